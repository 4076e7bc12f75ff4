/** Holds everything in a driver's descriptor that can be tried against the package and a server. */
import { createBench } from './bench.js';
import { testKind } from './handle-claims.js';
import { type LiveDriver, resolvedKind } from './live-driver.js';
import { testBinding, testSettings } from './pool-claims.js';
import { useMariadbWatch, usePostgresWatch } from './watch.js';
import { testWay } from './way-claims.js';

/** Runs the claims of one driver, each as a test of its own. A failing one names the file whose claim is wrong. */
export function testClaims(driver: LiveDriver): void {
  const watch = driver.dialect === 'postgres' ? usePostgresWatch() : useMariadbWatch();
  describe.each(driver.pools)('$kind', (pool) => {
    const bench = createBench(driver, pool, watch);
    const handles = [pool.kind, ...Object.keys(pool.lends ?? {})];
    for (const kind of handles) testKind(bench, kind);
    for (const kind of [...handles, ...Object.keys(pool.queries ?? {})]) {
      for (const way of bench.ways(kind)) testWay(bench, kind, way);
    }
    testSettings(bench);
    testBinding(bench);
  });
}

/** Fails when a kind of connection or transaction of the descriptor is neither lent nor named among the untried. */
export function testCoverage(driver: LiveDriver): void {
  it('every kind of handle is tried, or said not to be', () => {
    const tried = driver.pools.flatMap(({ kind, lends, untried }) => [kind, ...Object.keys(lends ?? {}), ...Object.keys(untried ?? {})]);
    const handles = Object.keys(driver.descriptor.kinds).filter((kind) => resolvedKind(driver.descriptor, kind).role !== undefined);
    expect(handles.filter((kind) => !tried.includes(kind))).toEqual([]);
  });
}
