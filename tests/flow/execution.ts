import { compileFunction } from 'node:vm';
import ts from 'typescript';
import { randomNumbers } from './random-program.js';
import type { Trace } from './traces.js';

/** What the outside world decides at each point of one run; points beyond the list take the first choice. */
class Oracle {
  readonly choices: { taken: number; options: number }[] = [];
  readonly events: string[] = [];
  private readonly random = randomNumbers(1);

  constructor(
    private readonly given: readonly number[],
    private readonly maxEvents: number,
  ) {}

  get isOverrun(): boolean {
    return this.events.length > this.maxEvents;
  }

  /** Takes one of the events. Far beyond the limit it varies them, so that every loop ends. */
  choose(events: readonly string[]): number {
    if (this.isOverrun) {
      return Math.floor(this.random() * events.length);
    }
    const taken = this.given[this.choices.length] ?? 0;
    this.choices.push({ taken, options: events.length });
    this.events.push(events[taken] ?? '');
    return taken;
  }

  note(event: string): void {
    if (!this.isOverrun) this.events.push(event);
  }
}

/** Everything a function really does, found by running it with every sequence of choices of the outside world. */
export async function tracesOfExecution(text: string, maxEvents: number): Promise<ReadonlySet<Trace>> {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  const names = ['c', 'p', 't', 'n', 'it', 'r'];
  const make: unknown = compileFunction(`${outputText}; return f;`, names);
  const traces = new Set<Trace>();
  let given: number[] | null = [];
  while (given !== null) {
    const oracle = new Oracle(given, maxEvents);
    const end = await run(make, oracle);
    if (oracle.events.length <= maxEvents) traces.add([...oracle.events, end].join(' '));
    given = nextChoices(oracle.choices);
  }
  return traces;
}

function nextChoices(choices: readonly { taken: number; options: number }[]): number[] | null {
  const taken = choices.map((choice) => choice.taken);
  for (let index = choices.length - 1; index >= 0; index -= 1) {
    const choice = choices[index];
    if (choice !== undefined && choice.taken + 1 < choice.options) return [...taken.slice(0, index), choice.taken + 1];
  }
  return null;
}

async function run(make: unknown, oracle: Oracle): Promise<'return' | 'throw'> {
  const fail = (): never => {
    throw new Error('chosen');
  };
  const world = [
    (id: number) => (oracle.choose([`c${id}`, `c${id}!`]) === 1 ? fail() : id),
    (id: number) => {
      oracle.note(`p${id}`);
      return Promise.resolve().then(() => (oracle.choose([`p${id}+`, `p${id}-`]) === 1 ? fail() : id));
    },
    (id: number) => oracle.choose([`t${id}-`, `t${id}+`]) === 1,
    (id: number) => (oracle.choose([`n${id}?`, `n${id}.`]) === 1 ? { m: id } : null),
    (id: number) => iterable(oracle, id, fail),
    (id: number) => ({
      [Symbol.dispose]: () => {
        if (oracle.choose([`d${id}`, `d${id}!`]) === 1) fail();
      },
    }),
  ];
  try {
    const started = call(call(make, world), []);
    if (isGenerator(started)) drive(started, oracle);
    else await started;
    return 'return';
  } catch (error) {
    if (error instanceof Error && /chosen|suppressed/i.test(error.message)) return 'throw';
    throw error;
  }
}

function call(callee: unknown, given: readonly unknown[]): unknown {
  if (!isCallable(callee)) throw new TypeError('Not a function.');
  return callee(...given);
}

function isCallable(value: unknown): value is (...given: readonly unknown[]) => unknown {
  return typeof value === 'function';
}

function iterable(oracle: Oracle, id: number, fail: () => never): Iterable<number> {
  return {
    [Symbol.iterator]: () => ({
      next: () => {
        const choice = oracle.choose([`i${id}|`, `i${id}.`, `i${id}!`]);
        return choice === 2 ? fail() : { done: choice === 0, value: id };
      },
      return: () => {
        oracle.note(`i${id}x`);
        return { done: true, value: id };
      },
    }),
  };
}

function isGenerator(value: unknown): value is Generator {
  return typeof value === 'object' && value !== null && 'next' in value;
}

/** Consumes a generator, as nicely or rudely as the oracle says. */
function drive(generator: Generator, oracle: Oracle): void {
  let result = generator.next();
  while (result.done !== true) {
    const id = String(result.value);
    const choice = oracle.choose([`y${id}`, `y${id}!`, `y${id}x`]);
    if (choice === 0) result = generator.next();
    else if (choice === 1) result = generator.throw(new Error('chosen'));
    else result = generator.return(undefined);
  }
}
