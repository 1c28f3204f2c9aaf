import * as z from 'zod';
import { listUnder, numbers, texts } from './field';

const item = z.looseObject({ ...texts('type', 'description'), ...numbers('amount') });

/** A row of GET charges, in Unix seconds and dollars (docs/service/billing.md#charges). */
export const charge = z.looseObject({
  ...numbers('start', 'end', 'amount'),
  ...texts('type', 'source', 'description'),
  metadata: z.unknown().optional(),
  items: z.array(item).optional().catch(undefined),
});
export type WireCharge = z.infer<typeof charge>;

export const chargeList = listUnder('results');
