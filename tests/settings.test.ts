import { drivers } from '../src/drivers/index.js';
import { readSettings } from '../src/settings.js';

const read = (own: unknown) => readSettings({ 'advisory-lock': own });

describe('settings', () => {
  it.each([undefined, null, 'text', {}, { other: {} }, { 'advisory-lock': undefined }])('are the defaults for %j', (settings) => {
    expect(readSettings(settings)).toEqual({
      pooler: 'unknown',
      lockTimeout: 'none',
      handles: [],
      wrappers: [],
      lockFunctions: [],
      drivers: [],
      followImports: true,
      triggerWords: [],
    });
  });

  it('keep what is given and fill in the rest', () => {
    const handles = [{ is: { from: 'file', name: 'db', path: 'src/db.ts' }, role: 'pool', driver: 'pg' }];
    expect(read({ pooler: 'transaction', handles, followImports: false, lockTimeout: undefined })).toMatchObject({
      pooler: 'transaction',
      handles,
      followImports: false,
      lockTimeout: 'none',
    });
  });

  it('are one object per settings object, so that analyses are shared', () => {
    const own = { pooler: 'none' };
    expect(read(own)).toBe(read(own));
    expect(read(own)).not.toBe(read({ ...own }));
    expect(readSettings({})).toBe(readSettings({ other: 1 }));
  });

  it.each([
    [{ lockFunctions: [{ name: 'app.take_lock', action: 'acquire', level: 'session' }] }, ['take_lock']],
    [{ wrappers: [{ call: 'withLock', does: 'hold', level: 'session' }] }, ['withLock']],
    [{ wrappers: [{ call: 'Locks.take', does: 'acquire', level: 'session', key: 0 }] }, ['take']],
    [{ wrappers: [{ call: { from: 'package', name: 'runSql', package: '@acme/db' }, sql: 0, on: 'pool' }] }, ['runSql']],
    [{ wrappers: [{ call: { from: 'file', name: 'default', path: 'src/with-lock.ts' }, sql: 1 }] }, ['with-lock']],
    [{ wrappers: [{ call: { from: 'package', name: 'default', package: '@acme/mutex' }, sql: 1 }] }, ['mutex']],
    [{ handles: [{ is: 'db', role: 'pool', driver: 'pg' }] }, []],
  ])('name the words that make a file worth analysing: %j', (own, words) => {
    expect(read(own).triggerWords).toEqual(words);
  });
});

const driver = {
  name: 'acme-sql',
  dialect: 'postgres',
  modules: ['@acme/sql'],
  exports: [{ names: ['Pool'], new: 'pool' }],
  kinds: {
    pool: {
      role: 'pool',
      methods: {
        run: { sends: { sql: [{ argument: 0 }], result: { shape: 'one-of', results: [{ shape: 'count' }, { shape: 'rows', at: [] }] } } },
        free: { effect: { does: 'gives-back', of: { argument: 0 } } },
        limit: { clause: { is: 'limit', at: { argument: 'last' } } },
      },
    },
  },
  examples: [{ code: 'new Pool().run("SELECT 1")', sends: [{ over: 'pool' }] }],
};

describe('a driver in the settings', () => {
  it('is taken as it is', () => {
    expect(read({ drivers: [driver] }).drivers).toEqual([driver]);
  });
});

describe('the drivers of the plugin itself', () => {
  it.each(drivers.map((each) => [each.name, each] as const))('have a shape that the settings accept: %s', (_, each) => {
    expect(read({ drivers: [each] }).drivers).toEqual([each]);
  });
});

describe('a mistake in the settings', () => {
  const key = "settings['advisory-lock']";
  const withPool = (pool: object) => ({ drivers: [{ ...driver, kinds: { pool } }] });

  it.each<[unknown, string]>([
    ['pgbouncer', `${key} is "pgbouncer"; allowed: an object.`],
    [null, `${key} is null; allowed: an object.`],
    [[], `${key} is []; allowed: an object.`],
    [{ poolr: 'none' }, `${key}.poolr is not known; allowed in ${key}: pooler, lockTimeout, handles, wrappers, lockFunctions, drivers, followImports. Did you mean "pooler"?`],
    [{ 'lock timeout': 1, pooler: 'none' }, `${key}["lock timeout"] is not known; allowed in ${key}: pooler, lockTimeout, handles, wrappers, lockFunctions, drivers, followImports. Did you mean "lockTimeout"?`],
    [{ pooler: 'transactions' }, `${key}.pooler is "transactions"; allowed: "none", "session", "transaction". Did you mean "transaction"?`],
    [{ pooler: true }, `${key}.pooler is true; allowed: "none", "session", "transaction".`],
    [{ lockTimeout: 5000 }, `${key}.lockTimeout is 5000; allowed: "none", "role".`],
    [{ followImports: 'yes' }, `${key}.followImports is "yes"; allowed: true or false.`],
    [{ handles: { db: 'pool' } }, `${key}.handles is {"db":"pool"}; allowed: an array.`],
    [{ handles: [{ is: 'db', role: 'Pool', driver: 'pg' }] }, `${key}.handles[0].role is "Pool"; allowed: "pool", "single", "connection", "transaction". Did you mean "pool"?`],
    [{ handles: [{ is: 'db', role: 'pool' }] }, `${key}.handles[0] lacks "driver"; it needs is, role, driver.`],
    [{ handles: [{ is: '', role: 'pool', driver: 'pg' }] }, `${key}.handles[0].is is ""; allowed: a string that is not empty, or an object.`],
    [{ handles: [{ is: 5, role: 'pool', driver: 'pg' }] }, `${key}.handles[0].is is 5; allowed: a string that is not empty, or an object.`],
    [{ handles: [{ is: { from: 'module', name: 'db' }, role: 'pool', driver: 'pg' }] }, `${key}.handles[0].is.from is "module"; allowed: "file", "package".`],
    [{ handles: [{ is: { from: 'file', nam: 'db' }, role: 'pool', driver: 'pg' }] }, `${key}.handles[0].is.nam is not known; allowed in ${key}.handles[0].is: from, name, package, path. Did you mean "name"?`],
    [{ wrappers: [{ call: 'run', sql: -1 }] }, `${key}.wrappers[0].sql is -1; allowed: a position, counted from 0.`],
    [{ wrappers: [{ call: 'run', sql: '0' }] }, `${key}.wrappers[0].sql is "0"; allowed: a position, counted from 0.`],
    [{ wrappers: [{ call: 'run' }] }, `${key}.wrappers[0] lacks "sql"; it needs call, sql.`],
    [{ wrappers: [{ call: 'run', does: 'hold' }] }, `${key}.wrappers[0] lacks "level"; it needs call, does, level.`],
    [{ wrappers: [{ call: 'run', does: 'holds', level: 'session' }] }, `${key}.wrappers[0].does is "holds"; allowed: "acquire", "try", "release", "hold". Did you mean "hold"?`],
    [{ wrappers: [{ call: 'run', does: 'hold', level: 'session', sql: 0 }] }, `${key}.wrappers[0].sql is not known; allowed in ${key}.wrappers[0]: call, does, level, key, handle, callback.`],
    [{ lockFunctions: [{ name: 'f', action: 'unlock', level: 'session' }] }, `${key}.lockFunctions[0].action is "unlock"; allowed: "acquire", "try", "release".`],
    [{ lockFunctions: ['take_lock'] }, `${key}.lockFunctions[0] is "take_lock"; allowed: an object.`],
    [{ lockFunctions: [{ name: 'f', action: 'try', level: 'session', mode: () => 1 }] }, `${key}.lockFunctions[0].mode is a function; allowed: "shared", "exclusive".`],
    [{ drivers: [{ ...driver, dialect: 'postgresql' }] }, `${key}.drivers[0].dialect is "postgresql"; allowed: "postgres", "mysql", "either". Did you mean "postgres"?`],
    [{ drivers: [{ ...driver, examples: [] }] }, `${key}.drivers[0].examples is []; allowed: an array with at least 1 entry.`],
    [withPool({ methods: { $run: { sends: { sql: [{ argument: 0 }], result: { shape: 'row' } } } } }), `${key}.drivers[0].kinds.pool.methods.$run.sends.result lacks "at"; it needs at.`],
    [withPool({ methods: { run: { effect: { does: 'give-back' } } } }), `${key}.drivers[0].kinds.pool.methods.run.effect.does is "give-back"; allowed: "gives-back", "closes", "begins", "commits", "rolls-back", "commits-and-gives-back", "listens". Did you mean "gives-back"?`],
    [withPool({ methods: { run: { gives: { kind: 'pool', same: 1 } } } }), `${key}.drivers[0].kinds.pool.methods.run.gives.same is 1; allowed: true or false.`],
    [withPool({ methods: { run: { variants: [{ batch: { argument: 'first' } }] } } }), `${key}.drivers[0].kinds.pool.methods.run.variants[0].batch.argument is "first"; allowed: a position, counted from 0, or "last".`],
  ])('is explained: %j', (own, message) => {
    expect(() => read(own)).toThrow(new Error(message));
  });

  it('is explained deep inside a driver, too', () => {
    const place = `${key}.drivers[0].kinds.pool`;
    expect(() => read(withPool({ roles: 'pool' }))).toThrow(`${place}.roles is not known; allowed in ${place}: role, extends, `);
    expect(() => read(withPool({ roles: 'pool' }))).toThrow('Did you mean "role"?');
  });

  it('is explained for values that cannot be written as JSON', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    expect(() => read({ pooler: cyclic })).toThrow('is an object with cycles; allowed');
    expect(() => read({ pooler: 1n })).toThrow('is a bigint; allowed');
  });

  it('is reported every time, not only the first', () => {
    const own = { pooler: 'x' };
    expect(() => read(own)).toThrow('allowed');
    expect(() => read(own)).toThrow('allowed');
  });
});
