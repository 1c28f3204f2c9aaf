import * as z from 'zod';
import { id, listUnder, looseNumber, looseString } from './field';

/**
 * A row of GET instances/pending-price-increases. Its form is not public, so every field but the id is
 * optional (docs/service/instances.md#price-increases).
 */
export const priceIncrease = z.looseObject({
  id,
  instance_id: looseNumber,
  contract_id: looseNumber,
  machine_id: looseNumber,
  current_price: looseNumber,
  old_price: looseNumber,
  new_price: looseNumber,
  deadline: looseNumber,
  expires_at: looseNumber,
  status: looseString,
});
export type WirePriceIncrease = z.infer<typeof priceIncrease>;

export const priceIncreaseList = listUnder('pending_price_increases', 'results');
