import pg from 'pg';
import { type RunningServer, startPostgres } from './servers/postgres.js';

describe('the PostgreSQL server of the laboratory', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  it('answers on its port', async () => {
    const client = new pg.Client({ host: server.host, port: server.port, user: 'postgres', database: 'postgres' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock(1) AS taken');
      expect(rows).toEqual([{ taken: true }]);
    } finally {
      await client.end();
    }
  });
});
