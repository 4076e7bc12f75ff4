import type { TSESTree } from '@typescript-eslint/utils';
import type { Call, Condition, Position, Result } from '../drivers/driver.js';
import { memberName, unwrap } from '../source/ast.js';
import type { Core, Placed } from './core.js';
import type { MakingNode } from './values.js';

/** Finds what stands where a descriptor says, and decides what depends on it. */
export function createPositions(core: Pick<Core, 'parts' | 'valueOf'>) {
  const { parts } = core;
  return { placed, holds, variantOf };

  function placed(node: MakingNode, position: Position): Placed {
    if ('template' in position) return node.type === 'TaggedTemplateExpression' ? { kind: 'found', node: node.quasi } : { kind: 'absent' };
    if ('receiver' in position) {
      const callee = node.type === 'CallExpression' ? unwrap(node.callee) : null;
      return callee?.type === 'MemberExpression' ? { kind: 'found', node: callee.object } : { kind: 'absent' };
    }
    if (node.type === 'TaggedTemplateExpression') return { kind: 'absent' };
    const list = node.arguments;
    const index = 'rest' in position ? position.rest : position.argument === 'last' ? list.length - 1 : position.argument;
    const spread = list.findIndex((argument) => argument.type === 'SpreadElement');
    if (spread >= 0 && spread <= index) return { kind: 'unknown' };
    const argument = list[index];
    if (!argument) return { kind: 'absent' };
    if ('rest' in position || position.property === undefined) return { kind: 'found', node: argument };
    return parts.propertyOf(argument, position.property);
  }

  function holds(node: MakingNode, condition: Condition): boolean {
    return answer(node, condition) === 'yes';
  }

  function answer(node: MakingNode, condition: Condition): 'yes' | 'no' | 'open' {
    const place = placed(node, condition.at);
    if (place.kind === 'unknown') return 'open';
    if (place.kind === 'absent') return condition.absent === true ? 'yes' : 'no';
    const expression = unwrap(place.node);
    const isNothing = core.valueOf(expression).type === 'nothing';
    const constant = isNothing ? { value: undefined } : parts.constantOf(expression);
    if (condition.absent === true) return isNothing || constant?.value === false ? 'yes' : constant ? 'no' : isCertainlyPresent(expression) ? 'no' : 'open';
    if (condition.member !== undefined) {
      if (expression.type === 'MemberExpression') return memberName(expression) === condition.member ? 'yes' : 'no';
      return constant || isCertainlyPresent(expression) ? 'no' : 'open';
    }
    if (condition.present === true) return !constant || (constant.value !== false && constant.value !== null && constant.value !== undefined) ? 'yes' : 'no';
    if (constant) return constant.value === condition.equals ? 'yes' : 'no';
    return isCertainlyPresent(expression) || isNamedConstant(expression) ? 'no' : 'open';
  }

  /**
   * The meaning of a call that has several, by what its arguments say. Where they leave open which it is, the result may be
   * that of each.
   */
  function variantOf(call: Call, node: MakingNode): Call {
    const open: Call[] = [];
    let chosen: Call = call;
    for (const variant of call.variants ?? []) {
      const answers = (variant.when ?? []).map((condition) => {
        const found = answer(node, condition);
        // Where the text itself may stand instead of an object with options, it most often does.
        return found === 'open' && isTextPlace(call, condition.at) ? 'no' : found;
      });
      if (answers.includes('no')) continue;
      if (answers.includes('open')) open.push(variant);
      else {
        chosen = variantOf(variant, node);
        break;
      }
    }
    const results = [chosen, ...open].flatMap(({ sends }) => sends?.result ?? []);
    const [only, ...others] = distinct(results);
    if (!chosen.sends || !only || others.length === 0) return chosen;
    return { ...chosen, sends: { ...chosen.sends, result: { shape: 'one-of', results: [only, ...others] } } };
  }
}

const isTextPlace = (call: Call, at: Position): boolean =>
  'argument' in at &&
  at.property !== undefined &&
  call.sends?.sql.some((position) => 'argument' in position && position.argument === at.argument && position.property === undefined) === true;

const distinct = (results: readonly Result[]): Result[] => {
  const byText = new Map(results.map((result) => [JSON.stringify(result), result]));
  return [...byText.values()];
};

/** `QueryTypes.UPDATE`: conditions ask for such a name by `member`. */
const isNamedConstant = (node: TSESTree.Node): boolean => node.type === 'MemberExpression' && /^[A-Z][A-Z0-9_]*$/.test(memberName(node) ?? '');

/** An object, array or function, which no constant is equal to. */
function isCertainlyPresent({ type }: TSESTree.Node): boolean {
  return (
    type === 'ObjectExpression' ||
    type === 'ArrayExpression' ||
    type === 'ArrowFunctionExpression' ||
    type === 'FunctionExpression' ||
    type === 'NewExpression' ||
    type === 'ClassExpression'
  );
}
