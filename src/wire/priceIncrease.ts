import * as z from 'zod';
import { id, looseList, numbers, texts } from './field';

/**
 * A row of GET instances/pending-price-increases. Its form is not public, so every field but the id is
 * optional (docs/service/instances.md#price-increases).
 */
export const priceIncrease = z.looseObject({
  id,
  ...numbers('instance_id', 'contract_id', 'machine_id'),
  ...numbers('current_price', 'old_price', 'new_price', 'deadline', 'expires_at'),
  ...texts('status'),
});
export type WirePriceIncrease = z.infer<typeof priceIncrease>;

export const priceIncreaseList = looseList('pending_price_increases', 'results');
