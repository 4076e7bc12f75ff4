import 'reflect-metadata';
import { type DataSource, type QueryRunner } from 'typeorm';
import * as typeorm from 'typeorm';
import descriptor from '../../../src/drivers/typeorm.js';
import { type LiveDriver, construct, detailsOf, inCallback, invoke, taken } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';

const driver: LiveDriver = {
  descriptor,
  packages: ['typeorm', 'pg'],
  dialect: 'postgres',
  pools: [
    {
      kind: 'data-source',
      details: detailsOf(descriptor, 'DataSource'),
      arguments: ({ host, port, user, database }) => [{ type: 'postgres', host, port, username: user, database, poolSize: 2 }],
      open: (...given) => invoke(construct(typeorm.DataSource)(...given), 'initialize'),
      close: (source) => invoke(source, 'destroy'),
      lends: {
        'pool-manager': (source, use) => use((source as DataSource).manager),
        'transaction-manager': inCallback('transaction'),
        'query-runner': taken(
          async (source) => {
            const runner = (source as DataSource).createQueryRunner();
            await runner.connect();
            return runner;
          },
          async (runner) => {
            if (!(runner as QueryRunner).isReleased) await (runner as QueryRunner).release();
          },
        ),
      },
      queries: {
        builder: (source, text) => {
          const [, expression = '', alias = ''] = /^SELECT (.*) AS (\w+)$/s.exec(text) ?? [];
          return (source as DataSource).createQueryBuilder().select(expression, alias).from('(SELECT 1)', 'one');
        },
      },
      untried: {
        'pool-repository': 'it needs an entity',
        'current-query-runner': 'it is a query runner’s',
        '*.stream': 'it needs another package',
        '*.getRawAndEntities': 'it needs an entity',
        '*.getOne': 'it needs an entity',
        '*.getOneOrFail': 'it needs an entity',
        '*.getMany': 'it needs an entity',
        '*.getManyAndCount': 'it needs an entity',
        '*.getCount': 'it needs an entity',
        '*.getExists': 'it needs an entity',
      },
    },
  ],
};

testClaims(driver);
testCoverage(driver);
