import { defineDriver } from './driver.js';
import type { Call, GiveDetails, Result } from './driver.js';

/** PostgREST wraps the function's value in `{ data, error }`. */
const data: Result = { shape: 'value', at: ['data'], beside: ['error', 'status', 'statusText', 'count'] };

const rpc: Call = {
  sends: { sql: [], functionName: { argument: 0 }, values: [{ argument: 1 }], result: data, lazy: 'resent' },
  gives: { kind: 'request', same: true },
};

const client: GiveDetails = { kind: 'client', url: [{ argument: 0 }] };

export default defineDriver({
  name: 'supabase',
  dialect: 'postgres',
  modules: ['@supabase/supabase-js', '@supabase/ssr'],
  exports: [
    { names: ['SupabaseClient'], modules: ['@supabase/supabase-js'], new: client },
    { names: ['createClient'], modules: ['@supabase/supabase-js'], call: { gives: client } },
    { names: ['createServerClient', 'createBrowserClient'], modules: ['@supabase/ssr'], call: { gives: client } },
  ],
  distinctiveMethods: { rpc: 'client' },
  kinds: {
    /** Every request is a transaction on a session of its own. */
    client: { role: 'http', methods: { rpc, schema: { gives: { kind: 'client', same: true } } } },
    request: {
      fluent: true,
      methods: {
        abortSignal: { signal: { at: [{ argument: 0 }] } },
        limit: { clause: { is: 'limit', at: { argument: 0 } } },
      },
      awaits: { sql: [{ receiver: true }], result: data, lazy: 'resent' },
    },
  },
  examples: [
    {
      code: `import { createClient } from '@supabase/supabase-js';
        const supabase = createClient(process.env.URL, process.env.KEY);
        const { data } = await supabase.rpc('pg_try_advisory_lock', { key: 1 });
        await supabase.schema('app').rpc('pg_advisory_unlock', { key: 1 }).abortSignal(AbortSignal.timeout(1000)).single();
        await supabase.rpc('pg_try_advisory_lock', { key: 2 }).limit(1);
        supabase.rpc('pg_advisory_unlock', { key: 2 });`,
      sends: [
        { over: 'http', sql: 'pg_try_advisory_lock', cell: 'data' },
        { over: 'http', sql: 'pg_advisory_unlock', cell: 'data' },
        { over: 'http', sql: 'pg_try_advisory_lock', cell: 'data' },
        { over: 'http', sql: 'pg_advisory_unlock', sent: false },
      ],
    },
    {
      code: `import { SupabaseClient } from '@supabase/supabase-js';
        import { createBrowserClient, createServerClient } from '@supabase/ssr';
        export const a = (supabase: SupabaseClient) => supabase.rpc('pg_try_advisory_lock', { key: 1 });
        export const b = () => createServerClient(url, key, {}).rpc('pg_try_advisory_lock', { key: 2 });
        export const c = () => createBrowserClient(url, key).rpc('pg_try_advisory_lock', { key: 3 });`,
      sends: [{ over: 'http' }, { over: 'http' }, { over: 'http' }],
    },
  ],
});
