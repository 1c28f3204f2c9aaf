import * as z from 'zod';
import { id, numbers, texts } from './field';

const sums = z.looseObject(numbers('total_gpu', 'total_stor', 'total_bwu', 'total_bwd'));
const account = z.looseObject(numbers('balance', 'service_fee', 'total', 'credit'));

/** A value that is no list becomes one unreadable row, so that it counts as left out. */
const rows = z.array(z.unknown()).nullish().catch([undefined]);

/** Amounts are dollars; names and lists may be missing (docs/service/billing.md#earnings). */
export const earningsReport = z.looseObject({
  summary: sums.optional().catch(undefined),
  current: account.optional().catch(undefined),
  ...texts('username', 'email', 'fullname', 'address1', 'address2', 'city', 'zip', 'country', 'taxinfo'),
  per_machine: rows,
  per_day: rows,
});

const earned = z.looseObject(numbers('gpu_earn', 'sto_earn', 'bwu_earn', 'bwd_earn'));
export type WireEarned = z.infer<typeof earned>;

export const machineEarnings = earned.extend({ machine_id: id });

/** `day` counts days since 1970-01-01 UTC. */
export const dayEarnings = earned.extend({
  day: z.preprocess((value) => (typeof value === 'string' ? Number(value) : value), z.number()),
});
