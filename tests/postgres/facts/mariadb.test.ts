import { type Connection, createConnection } from 'mariadb';
import { inject } from 'vitest';
import { until } from '../own-database.js';

const server = inject('servers').mariadb;

describe.skipIf(!server)('on MariaDB', () => {
  const opened: Connection[] = [];
  const connect = async (): Promise<Connection> => {
    const connection = await createConnection({ ...server, user: 'root' });
    connection.on('error', () => undefined);
    opened.push(connection);
    return connection;
  };
  const cell = async (connection: Connection, call: string): Promise<unknown> => {
    const [row] = await connection.query<{ cell: unknown }[]>(`SELECT ${call} AS cell`);
    return typeof row?.cell === 'bigint' ? Number(row.cell) : row?.cell;
  };
  const errorOf = async (connection: Connection, call: string): Promise<unknown> => {
    try {
      return await cell(connection, call);
    } catch (error) {
      return error instanceof Error && 'errno' in error ? error.errno : error;
    }
  };
  afterEach(() => {
    for (const connection of opened.splice(0)) connection.destroy();
  });

  it('GET_LOCK answers 1, and 0 when it has waited in vain', async () => {
    const [one, other] = [await connect(), await connect()];
    expect(await cell(one, "GET_LOCK('a', 0)")).toBe(1);
    expect(await cell(other, "GET_LOCK('a', 0)")).toBe(0);
  });

  it('RELEASE_LOCK answers 1, 0 for another session’s lock, and NULL for nobody’s', async () => {
    const [one, other] = [await connect(), await connect()];
    expect(await cell(one, "GET_LOCK('b', 0)")).toBe(1);
    expect(await cell(other, "RELEASE_LOCK('b')")).toBe(0);
    expect(await cell(one, "RELEASE_LOCK('b')")).toBe(1);
    expect(await cell(one, "RELEASE_LOCK('b')")).toBeNull();
  });

  it('locks count: two acquisitions need two releases', async () => {
    const connection = await connect();
    for (const call of ["GET_LOCK('c', 0)", "GET_LOCK('c', 0)", "RELEASE_LOCK('c')"]) expect(await cell(connection, call)).toBe(1);
    expect(await cell(connection, "IS_USED_LOCK('c')")).toBe(await cell(connection, 'CONNECTION_ID()'));
    expect(await cell(connection, 'RELEASE_ALL_LOCKS()')).toBe(1);
  });

  it.each([
    ['a NULL name', 'GET_LOCK(NULL, 0)', null],
    ['a NULL time-out', "GET_LOCK('d', NULL)", null],
    ['a negative time-out', "GET_LOCK('d', -1)", null],
    ['no time-out', "GET_LOCK('d')", 1582],
    ['a name of 192 characters', "GET_LOCK(REPEAT('x', 192), 0)", 1],
    ['a name of 193 characters', "GET_LOCK(REPEAT('x', 193), 0)", 1059],
    ['a number for a name', 'GET_LOCK(1, 0)', 4079],
  ])('%s: %s', async (_, call, answer) => {
    expect(await errorOf(await connect(), call)).toBe(answer);
  });

  it.each(['COMMIT', 'ROLLBACK'])('a lock outlives %s', async (end) => {
    const [one, other] = [await connect(), await connect()];
    await one.query('BEGIN');
    await cell(one, "GET_LOCK('e', 0)");
    await one.query(end);
    expect(await cell(other, "IS_FREE_LOCK('e')")).toBe(0);
  });

  it.each<[string, (connection: Connection) => unknown]>([
    ['the end of the session', (connection) => connection.end()],
    ['a reset of the session', (connection) => connection.reset()],
    ['KILL', async (connection) => {
      await (await connect()).query(`KILL ${connection.threadId ?? 0}`);
    }],
    ['the loss of the socket', (connection) => connection.destroy()],
  ])('a lock is freed by %s', async (_, free) => {
    const [one, other] = [await connect(), await connect()];
    await cell(one, "GET_LOCK('f', 0)");
    await free(one);
    await until('the lock was freed', async () => (await cell(other, "IS_FREE_LOCK('f')")) === 1);
  });

  it('a deadlock of locks is found', async () => {
    const [one, other] = [await connect(), await connect()];
    await cell(one, "GET_LOCK('g', 0)");
    await cell(other, "GET_LOCK('h', 0)");
    const outcomes = await Promise.all([errorOf(one, "GET_LOCK('h', 5)"), errorOf(other, "GET_LOCK('g', 5)").then(async (outcome) => {
      await other.query('DO RELEASE_ALL_LOCKS()');
      return outcome;
    })]);
    expect(outcomes).toContain(1213);
  });
});
