import { contexts, type DriverName } from './contexts.js';

/**
 * The same lock with one bound value in the code of each driver: a module whose `send(value)` is the call, `value` being a
 * JavaScript expression.
 */
export interface BoundLock {
  readonly call: (value: string) => string;
  readonly code: (value: string) => string;
}

const calls: Readonly<Record<DriverName, (sql: (placeholder: string) => string, value: string) => string>> = {
  pg: (sql, value) => `c.query('${sql('$1')}', [${value}])`,
  'postgres.js': (sql, value) => `c\`${sql(`\${${value}}`)}\``,
  prisma: (sql, value) => `c.$executeRaw\`${sql(`\${${value}}`)}\``,
  drizzle: (sql, value) => `c.execute(sql\`${sql(`\${${value}}`)}\`)`,
  knex: (sql, value) => `c.raw('${sql('?')}', [${value}])`,
  kysely: (sql, value) => `sql\`${sql(`\${${value}}`)}\`.execute(c)`,
  typeorm: (sql, value) => `c.query('${sql('$1')}', [${value}])`,
  sequelize: (sql, value) => `sequelize.query('${sql(':key')}', { transaction, replacements: { key: ${value} } })`,
  mysql2: (sql, value) => `c.query('${sql('?')}', [${value}])`,
};

/** `sql` gets the placeholder as the driver writes it, or the interpolation. */
export function boundLock(driver: DriverName, sql: (placeholder: string) => string): BoundLock {
  const call = (value: string): string => calls[driver](sql, value);
  return { call, code: (value) => contexts[driver].connection.wrap(`await ${call(value)};`) };
}
