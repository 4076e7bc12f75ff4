import type { TSESTree } from '@typescript-eslint/utils';
import type { Variable } from './scope.js';

/** Which branch to take at each place where the text depends on the run; one reading takes one combination. */
export class Choices {
  readonly #taken = new Map<TSESTree.Node | Variable, number>();
  readonly #sizes: number[] = [];

  private constructor(readonly path: readonly number[] | null) {}

  /** Takes no branch: places that depend on the run stay holes. */
  static none(): Choices {
    return new Choices(null);
  }

  static first(): Choices {
    return new Choices([]);
  }

  /** The index of the branch to take of `size`, the same one for the same place; null to take none. */
  take(place: TSESTree.Node | Variable, size: number): number | null {
    if (!this.path || size < 1) return null;
    const known = this.#taken.get(place);
    if (known !== undefined) return known;
    const index = this.path[this.#sizes.length] ?? 0;
    this.#sizes.push(size);
    this.#taken.set(place, index);
    return index;
  }

  /** The combination after this one, once a reading has used it; null after the last. */
  next(): Choices | null {
    const path = this.#sizes.map((_, position) => this.path?.[position] ?? 0);
    for (let position = path.length - 1; position >= 0; position -= 1) {
      const index = path[position] ?? 0;
      if (index + 1 < (this.#sizes[position] ?? 0)) return new Choices([...path.slice(0, position), index + 1]);
    }
    return null;
  }
}
