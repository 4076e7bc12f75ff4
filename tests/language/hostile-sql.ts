const lock = 'SELECT pg_advisory_lock(1)';

/** Files that no database would take, each of which mentions a lock. */
export const hostileSql: readonly string[] = [
  `${lock}\0;`,
  `'${lock}`,
  `$a$ ${lock}`,
  `/* ${lock}`,
  `"${lock}`,
  `${lock}${';'.repeat(1000)}`,
  `${'('.repeat(500)}${lock}`,
  `BEGIN ATOMIC ${lock}; ${lock};`,
  `COMMIT; ROLLBACK; ${lock}; END; ROLLBACK TO nowhere; RELEASE nothing;`,
  `\\copy t from stdin\n1\t2\n\\.\n${lock};`,
  `{{ config() }} ${lock} {% if x %}; ${lock}`,
  `${lock} -- eslint-disable-line a, b -- c\n-- eslint\n/* eslint-disable-line\n */ -- eslint-disable-next-line`,
  `\u2028${lock}\u2029;\r${lock}`,
  `SELECT pg_advisory_lock(\uD800);`,
];
