import * as z from 'zod';
import { looseBoolean, looseNumber, looseString } from './field';

const item = z.looseObject({
  type: looseString,
  amount: looseNumber,
  description: looseString,
  rate: looseNumber,
  quantity: looseNumber,
});

/** A row of GET charges, in Unix seconds and dollars (docs/service/billing.md#charges). */
export const charge = z.looseObject({
  start: looseNumber,
  end: looseNumber,
  type: looseString,
  source: looseString,
  description: looseString,
  amount: looseNumber,
  metadata: z.unknown().optional(),
  items: z.array(item).optional().catch(undefined),
});
export type WireCharge = z.infer<typeof charge>;

export const chargeList = z.looseObject({
  success: looseBoolean,
  count: looseNumber,
  total: looseNumber,
  next_token: z.string().nullish().catch(undefined),
  results: z.array(z.unknown()),
});
