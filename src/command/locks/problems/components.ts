/**
 * The strongly connected components of a graph, by Tarjan's algorithm (Depth-first search and linear graph algorithms, 1972),
 * without recursion: nodes that lead to each other, in one list each. Nodes that lead nowhere back stand alone.
 */
export function stronglyConnectedComponents(successors: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const indices = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const components: string[][] = [];

  for (const root of successors.keys()) if (!indices.has(root)) visit(root);
  return components;

  function visit(root: string): void {
    const path = [enter(root)];
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const next = step.successors[step.next];
      step.next += 1;
      if (next === undefined) {
        path.pop();
        leave(step.node, path.at(-1)?.node);
      } else if (!indices.has(next)) {
        path.push(enter(next));
      } else if (onStack.has(next)) {
        lower(step.node, indices.get(next) ?? 0);
      }
    }
  }

  function enter(node: string) {
    indices.set(node, indices.size);
    low.set(node, indices.size - 1);
    stack.push(node);
    onStack.add(node);
    return { node, successors: successors.get(node) ?? [], next: 0 };
  }

  function leave(node: string, before: string | undefined): void {
    if (before !== undefined) lower(before, low.get(node) ?? 0);
    if (low.get(node) !== indices.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    for (const each of component) onStack.delete(each);
    components.push(component);
  }

  function lower(node: string, to: number): void {
    low.set(node, Math.min(low.get(node) ?? to, to));
  }
}
