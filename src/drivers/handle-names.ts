/** What applications call the handle that their module keeps: by what it is, or by the library that gives it. */
export const handleNames: ReadonlySet<string> = new Set(
  'pool sql db database postgres postgresql pg mysql mariadb neon knex prisma drizzle kysely sequelize orm datasource source'.split(' '),
);
