import type { TSESTree } from '@typescript-eslint/utils';
import type { Sends } from '../drivers/driver.js';
import { unwrap } from '../source/ast.js';
import { propertyOf } from '../source/objects.js';
import type { SqlText } from '../source/sql-text.js';
import type { SqlExpression } from '../sql/model.js';
import { ownFragmentValues } from './fragment-values.js';
import type { Frame } from './frames.js';
import type { CallNode } from './query.js';
import type { StatementParts } from './statements.js';

/** Finds the JavaScript expression that a hole or placeholder in SQL text stands for. */
export function createBoundValues({ scopes, evaluated, fragments }: StatementParts) {
  const { frames: frameReader } = evaluated;
  return { valueOf };

  function valueOf(expression: SqlExpression, sql: SqlText, sending: CallNode, sends: Sends, frames: readonly Frame[]): TSESTree.Node | null {
    if (expression.kind === 'hole') {
      const hole = sql.holes[expression.index];
      return hole ? resolved(hole.node, frames) : null;
    }
    if (expression.kind === 'cast') return valueOf(expression.argument, sql, sending, sends, frames);
    if (expression.kind !== 'placeholder') return null;
    const own = ownFragmentValues(fragments, sql.node);
    const place = own ?? (sends.values ? fragments.firstOf(sending, sends.values, frames) : null);
    if (place?.kind !== 'found') return null;
    const isSpread = !own && sends.values?.some((position) => 'rest' in position) === true;
    if (isSpread) return restValue(sending, sends, expression.position, frames);
    const list = resolved(place.node, frames);
    if (!list) return null;
    if (expression.name !== null) {
      const found = propertyOf(list, expression.name, scopes);
      return found.kind === 'found' ? resolved(found.node, frames) : null;
    }
    if (expression.position === null) return null;
    // Knex and mysql2 take a single value without an array around it.
    if (isScalar(unwrap(list))) return expression.position === 0 ? list : null;
    const element = propertyOf(list, String(expression.position), scopes);
    return element.kind === 'found' ? resolved(element.node, frames) : null;
  }

  function restValue(sending: CallNode, sends: Sends, position: number | null, frames: readonly Frame[]): TSESTree.Node | null {
    const rest = sends.values?.find((candidate) => 'rest' in candidate);
    if (!rest || !('rest' in rest) || position === null) return null;
    const place = frameReader.placed(sending, { rest: rest.rest + position }, frames);
    return place.kind === 'found' ? resolved(place.node, frames) : null;
  }

  function resolved(node: TSESTree.Node, frames: readonly Frame[]): TSESTree.Node | null {
    return frameReader.argumentFor(node, frames)?.node ?? null;
  }
}

/** An expression that gives no array, whatever it gives. */
const isScalar = ({ type }: TSESTree.Node): boolean =>
  type === 'Literal' || type === 'TemplateLiteral' || type === 'BinaryExpression' || type === 'UnaryExpression';
