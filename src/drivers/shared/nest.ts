/** `@Transactional()` of nestjs-cls hands out transactions behind injected handles of whatever library it adapts. */
import type { ImplicitTransaction } from '../driver.js';

export const nestTransactions: readonly ImplicitTransaction[] = [{ module: '@nestjs-cls/transactional' }];
