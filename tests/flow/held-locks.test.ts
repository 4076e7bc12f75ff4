import { describe, expect, test } from 'vitest';
import { leaksOf } from './held-locks.js';
import type { Leak } from './held-locks.js';
import { graphOfText } from './traces.js';

const CASES: readonly { name: string; text: string; leaks: readonly Leak[] }[] = [
  {
    name: 'A: no try',
    text: `async function f() {
      await acquire();
      await work();
      await release();
    }`,
    leaks: [
      {
        exit: 'throw',
        path: [
          'await 2 `await acquire()`',
          'await 3 `await work()` throw',
          'exit throw 1',
        ],
      },
    ],
  },
  {
    name: 'B: acquired before the try',
    text: `async function f() {
      await acquire();
      try {
        await work();
        return await more();
      } finally {
        await release();
      }
    }`,
    leaks: [],
  },
  {
    name: 'C: acquired inside the try',
    text: `async function f() {
      try {
        await before();
        await acquire();
        await work();
      } finally {
        await release();
      }
    }`,
    leaks: [],
  },
  {
    name: 'D: released on one branch',
    text: `async function f() {
      await acquire();
      if (ready) await release();
    }`,
    leaks: [
      {
        exit: 'return',
        path: [
          'await 2 `await acquire()`',
          'condition truthy 3 `ready` false',
          'exit return 1',
        ],
      },
    ],
  },
  {
    name: 'E: the handler swallows and goes on',
    text: `async function f() {
      await acquire();
      try {
        await work();
      } catch (error) {
        console.error(error);
      }
      await release();
    }`,
    leaks: [],
  },
  {
    name: 'F: released inside the try',
    text: `async function f() {
      try {
        await acquire();
        await work();
        await release();
        await after();
      } catch {}
    }`,
    leaks: [
      {
        exit: 'return',
        path: [
          'await 3 `await acquire()`',
          'await 4 `await work()` throw',
          'catch 7',
          'exit return 1',
        ],
      },
    ],
  },
  {
    name: 'G: a try-lock, tested',
    text: `async function f() {
      if (!(await tryAcquire())) return;
      try {
        await work();
      } finally {
        await release();
      }
    }`,
    leaks: [],
  },
  {
    name: 'G2: a try-lock in a variable, tested, released without finally',
    text: `async function f() {
      const got = await tryAcquire();
      if (!got) return;
      await work();
      await release();
    }`,
    leaks: [
      {
        exit: 'throw',
        path: [
          'await 2 `await tryAcquire()`',
          'assign 2 `got = await tryAcquire()`',
          'condition truthy 3 `got` true',
          'await 4 `await work()` throw',
          'exit throw 1',
        ],
      },
    ],
  },
  {
    name: 'H: an early return between acquire and try',
    text: `async function f() {
      await acquire();
      if (done) return 1;
      try {
        return await work();
      } finally {
        await release();
      }
    }`,
    leaks: [
      {
        exit: 'return',
        path: [
          'await 2 `await acquire()`',
          'condition truthy 3 `done` true',
          'return 3 `return 1;`',
          'exit return 1',
        ],
      },
    ],
  },
  {
    name: 'I: break in a loop runs finally',
    text: `async function f() {
      for (const key of keys) {
        await acquire();
        try {
          if (await bad(key)) break;
        } finally {
          await release();
        }
      }
    }`,
    leaks: [],
  },
  {
    name: 'J: released in a finalizer inside a finalizer',
    text: `async function f() {
      await acquire();
      try {
        await work();
      } finally {
        try {
          await log();
        } finally {
          await release();
        }
      }
    }`,
    leaks: [],
  },
  {
    name: 'K: a statement before the release in finally',
    text: `async function f() {
      await acquire();
      try {
        await work();
      } finally {
        await log();
        await release();
      }
    }`,
    leaks: [
      {
        exit: 'throw',
        path: [
          'await 2 `await acquire()`',
          'await 4 `await work()`',
          'finally normal 5',
          'await 6 `await log()` throw',
          'exit throw 1',
        ],
      },
    ],
  },
  {
    name: 'L: a chain with finally',
    text: `function f() {
      return acquire()
        .then(() => work())
        .finally(() => release());
    }`,
    leaks: [],
  },
  {
    name: 'M: a chain without finally',
    text: `function f() {
      return acquire()
        .then(() => work())
        .then(() => release());
    }`,
    leaks: [
      {
        exit: 'throw',
        path: [
          'await settle 2 `acquire()`',
          'callback-start 3 `() => work()`',
          'return 3 `work()`',
          'await settle 3 `work()` throw',
          'callback-end throw 3 `() => work()` throw',
          'exit throw 1',
        ],
      },
    ],
  },
  {
    name: 'N: a chain that nobody waits for',
    text: `function f() {
      acquire()
        .then(() => work())
        .then(() => release());
    }`,
    leaks: [
      {
        exit: 'return',
        path: [
          'await settle 2 `acquire()`',
          'callback-start 3 `() => work()`',
          'return 3 `work()`',
          'await settle 3 `work()` throw',
          'callback-end throw 3 `() => work()` throw',
          'exit return 1',
        ],
      },
    ],
  },
  {
    name: 'O: the process ends',
    text: `async function f() {
      await acquire();
      console.log('started');
      process.exit(1);
    }`,
    leaks: [],
  },
  {
    name: 'P: a try-lock whose answer a chain hands on',
    text: `async function f() {
      await tryAcquire().then(async (got) => {
        if (!got) return;
        await work();
        await release();
      });
    }`,
    leaks: [
      {
        exit: 'throw',
        path: [
          'await settle 2 `tryAcquire()`',
          'callback-start 2 `async (got) => { if (!got) return; awai…`',
          'assign settled 2 `got`',
          'condition truthy 3 `got` true',
          'await 4 `await work()` throw',
          'callback-end throw 2 `async (got) => { if (!got) return; awai…` throw',
          'exit throw 1',
        ],
      },
    ],
  },
];

describe('a lock held at the end of a function, and the path that leaves it held', () => {
  test.each(CASES)('$name', ({ text, leaks }) => {
    expect(leaksOf(graphOfText(text), text)).toEqual(leaks);
  });
});
