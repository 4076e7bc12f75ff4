import type { DriverDescriptor } from './driver.js';

/** Every driver the analyzer knows. */
export const drivers: readonly DriverDescriptor[] = [];
