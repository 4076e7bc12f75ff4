import type { Sends } from '../drivers/driver.js';
import type { Core } from './core.js';
import type { MakingNode, SignalUse } from './values.js';

/** The AbortSignal that a call is given, if one of the places holds something. */
export function signalGiven(core: Pick<Core, 'placed' | 'holds' | 'valueOf'>, call: MakingNode, signal: Sends['signal']): SignalUse | null {
  for (const position of signal?.at ?? []) {
    const place = core.placed(call, position);
    if (place.kind !== 'found' || core.valueOf(place.node).type === 'nothing') continue;
    const stopsServer = signal?.safeWhen?.some((condition) => core.holds(call, condition)) === true;
    return { node: place.node, ignored: signal?.ignored === true, stopsServer };
  }
  return null;
}
