import type { Position, Sends } from '../drivers/driver.js';
import type { Core, Placed } from './core.js';
import type { MakingNode, SignalUse } from './values.js';

/** The AbortSignal that a call is given, if one of the places holds something; `placed` finds what stands there. */
export function signalGiven(
  core: Pick<Core, 'placed' | 'holds' | 'valueOf'>,
  call: MakingNode,
  signal: Sends['signal'],
  placed: (position: Position) => Placed = (position) => core.placed(call, position),
): SignalUse | null {
  const places = [
    ...(signal?.at ?? []).map((position) => ({ position, refused: false })),
    ...(signal?.refusedAt ?? []).map((position) => ({ position, refused: true })),
  ];
  for (const { position, refused } of places) {
    const place = placed(position);
    if (place.kind !== 'found' || core.valueOf(place.node).type === 'nothing') continue;
    const stopsServer = signal?.safeWhen?.some((condition) => core.holds(call, condition)) === true;
    return { node: place.node, ignored: signal?.ignored === true && !refused, refused, stopsServer };
  }
  return null;
}
