import * as z from 'zod';
import { listUnder, numbers, texts } from './field';

const item = z.looseObject({ ...texts('type', 'description'), ...numbers('amount') });

/** A row of GET charges, in Unix seconds and dollars (docs/service/billing.md#charges). */
export const charge = z.looseObject({
  ...numbers('start', 'end', 'amount'),
  ...texts('type', 'source', 'description'),
  metadata: z.unknown().optional(),
  /** An odd item is kept without fields, so that the others don't add up to less than the amount. */
  items: z
    .array(item.catch({ type: undefined, description: undefined, amount: undefined }))
    .optional()
    .catch(undefined),
});
export type WireCharge = z.infer<typeof charge>;

export const chargeList = listUnder('results');
