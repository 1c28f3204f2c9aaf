import * as z from 'zod';
import { id, looseNumber, looseString } from './field';

/** A row of GET instances/pending-price-increases; only its place is public (service-facts 2.8), so all else is loose. */
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

export const priceIncreaseList = z.union([
  z.looseObject({ pending_price_increases: z.array(z.unknown()) }),
  z.looseObject({ results: z.array(z.unknown()) }),
  z.array(z.unknown()),
]);
