import { describe, expect, it } from 'vitest';

import { HOLE, type SqlInput } from '../../src/sql/model.js';
import { normalize } from '../../src/sql/normalize.js';
import { nodeSqlParser, type SqlParser } from '../../src/sql/parser.js';
import { parseWithRepair } from '../../src/sql/repair.js';
import { analyze, type InputOptions, sqlInput } from './sql-input.js';

/** The text as the parser read it, holes that stayed as names shown as ◆. */
function reading(input: SqlInput): string {
  const repaired = parseWithRepair(nodeSqlParser(), normalize(input));
  const sql = repaired.rendered.sql.replaceAll(HOLE, '◆').replaceAll(/ +/g, ' ').trim();
  return repaired.kind === 'parsed' ? sql : `✗ ${sql}`;
}

describe('holes', () => {
  it.each<[string, string, number[]]>([
    ['select pg_advisory_lock(«v»)', 'select pg_advisory_lock($1)', []],
    ['select «u»($1)', 'select ◆($1)', []],
    ['select a from «u»', 'select a from ◆', []],
    ['select a from x.«u»_jobs', 'select a from x.◆_jobs', []],
    ['select a from t «u»', 'select a from t', [0]],
    ['select a from t where a = 1 «u» order by b «u»', 'select a from t where a = 1 order by b', [0, 1]],
    ['select a from t order by b «v»', 'select a from t order by b', [0]],
    ['select a from t where a «u» 1', 'select a from t where a = 1', []],
    ['select a from t where a = 1 «u» b = 2', 'select a from t where a = 1 AND b = 2', []],
    ['select a from t where «f»', 'select a from t where $1', []],
    ['select a from t where a in «u»', 'select a from t where a in ($1)', []],
    ['select a from t where at > now() - interval «u»', 'select a from t where at > now() - interval $1', []],
    ['select * «u»', 'select *', [0]],
    ['select a * «u»', 'select a * $1', []],
    ['select «u», b from t', 'select $1, b from t', []],
    ['select a from t limit «u»', 'select a from t limit $1', []],
    ['select a from («u») s', 'select a from (SELECT 1) s', []],
    ['with «u» select 1', 'with ◆ AS (SELECT 1) select 1', []],
    ['with a as (select 1) «u»', 'with a as (select 1) SELECT 1', [0]],
    ['insert into t («u») values «u»', 'insert into t (◆) values ($1)', []],
    ['insert into t «u»', 'insert into t SELECT 1', [0]],
    ['insert into t values (1) «u»', 'insert into t values (1)', [0]],
    ['update t set «u» where a = 1', 'update t set ◆ = $1 where a = 1', []],
    ['create table t («u», a int)', 'create table t (◆ int, a int)', []],
    ['«u»; select 1', '; select 1', [0]],
    ['begin; «u»; commit', 'begin; ; commit', [0]],
    ['select a::«u», cast(b as «u»)', 'select a::◆, cast(b as ◆)', []],
    ['select 1«u»', 'select 11', []],
    ['select $«u»', 'select $1', []],
    [`select '«u»', "«u»", $$«u»$$ -- «u»`, `select '◆', "◆", $$◆$$ -- ◆`, []],
    ['select a b c «u» d', '✗ select a b c d', []],
  ])('%s', (sql, expected, gaps) => {
    expect(reading(sqlInput(sql))).toBe(expected);
    if (!expected.startsWith('✗')) expect(analyze(sql).gaps).toEqual(gaps);
  });

  it('begin with what is known of them', () => {
    expect(reading(sqlInput('select «i», «v» from t'))).toBe('select ◆, $1 from t');
  });

  it('without a kind are unknown', () => {
    expect(analyze(`select 1 from t ${HOLE}`).gaps).toEqual([0]);
  });
});

describe('repair', () => {
  function tries(sql: string, options: InputOptions = {}): number {
    let count = 0;
    const parser: SqlParser = {
      scan: (text) => nodeSqlParser().scan(text),
      parse(text) {
        count += 1;
        return nodeSqlParser().parse(text);
      },
    };
    parseWithRepair(parser, normalize(sqlInput(sql, options)));
    return count;
  }

  it.each([
    ['select 1', 1],
    ['select 1 from from', 1],
    ['select «u» from «u» where «u» and a = «u» order by «u» «u» limit «u»', 1],
    ['select a from t where a «u» 1', 2],
  ])('%s takes %i parses', (sql, count) => {
    expect(tries(sql)).toBe(count);
  });

  it('gives up in bounded time', () => {
    expect(tries(`select ${'«u» frob '.repeat(200)}`)).toBeLessThanOrEqual(48);
    expect(tries(`select ${'«u» frob '.repeat(9_000)}`)).toBeLessThanOrEqual(20);
  });
});

describe('placeholders', () => {
  it.each<[NonNullable<InputOptions['placeholders']>[number], string, string]>([
    ['question-mark', 'select ?, ??, a \\? b, x -> ?', 'select $1, ◆, a ? b, x -> $1'],
    ['question-mark', `select '?', "?", $1 -- ?`, `select '?', "?", $1 -- ?`],
    ['colon', 'select :a, :b::int, :c:, a[1:2], d::text', 'select $1, $1::int, ◆, a[1:2], d::text'],
    ['dollar-name', 'select $a, $b_c, $1, a$b', 'select $1, $1, $1, a$b'],
    ['at', 'select @a, @p1, @@version, x @> y', 'select $1, $1, @@version, x @> y'],
    ['pg-promise', 'select ${a}, $(b), $<c>, $[d], $/e/, $1, $2:raw, $3^', 'select $1, $1, $1, $1, $1, $1, $1, $1'],
    ['pg-promise', 'select ${a:name}, $2~, ${c:alias}', 'select ◆, ◆, ◆'],
    ['pg-promise', 'select $$ ${a} $$, $( )', '✗ select $$ ${a} $$, $( )'],
    ['pg-format', 'select %s, %L, %I, %1$s, a %% b', 'select $1, $1, ◆, $1, a % b'],
  ])('%s: %s', (style, sql, expected) => {
    expect(reading(sqlInput(sql, { placeholders: [style] }))).toBe(expected);
  });

  it('are left alone when their style is not in use', () => {
    expect(reading(sqlInput('select a ? b, @x, a % b'))).toBe('select a ? b, @x, a % b');
  });

  it('of several styles do not get into each other’s way', () => {
    const options: InputOptions = { placeholders: ['question-mark', 'colon', 'dollar-name'] };
    expect(reading(sqlInput('select ?, :a, $b, $1', options))).toBe('select $1, $1, $1, $1');
  });
});
