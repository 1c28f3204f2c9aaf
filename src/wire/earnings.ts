import * as z from 'zod';
import { id, looseNumber, looseString } from './field';

const sums = z
  .looseObject({
    total_gpu: looseNumber,
    total_stor: looseNumber,
    total_bwu: looseNumber,
    total_bwd: looseNumber,
  })
  .optional()
  .catch(undefined);

const account = z
  .looseObject({ balance: looseNumber, service_fee: looseNumber, total: looseNumber, credit: looseNumber })
  .optional()
  .catch(undefined);

/** Amounts are dollars; names and lists may be missing (docs/service/billing.md#earnings). */
export const earningsReport = z.looseObject({
  summary: sums,
  current: account,
  username: looseString,
  email: looseString,
  fullname: looseString,
  address1: looseString,
  address2: looseString,
  city: looseString,
  zip: looseString,
  country: looseString,
  taxinfo: looseString,
  per_machine: z.array(z.unknown()).nullish(),
  per_day: z.array(z.unknown()).nullish(),
});

const earned = {
  gpu_earn: looseNumber,
  sto_earn: looseNumber,
  bwu_earn: looseNumber,
  bwd_earn: looseNumber,
};

export const machineEarnings = z.looseObject({
  machine_id: id,
  ...earned,
});

/** `day` counts days since 1970-01-01 UTC. */
export const dayEarnings = z.looseObject({
  day: z.preprocess((value) => (typeof value === 'string' ? Number(value) : value), z.number()),
  ...earned,
});
