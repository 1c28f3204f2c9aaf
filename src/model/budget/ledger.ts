import * as z from 'zod';
import { chargedBy, type Charge } from '../accounts/charge';
import { micros, zero } from '../money';
import { chargedIn, chargedUntil, chargeLines } from './charged';
import { stretchOf } from './period';

const sum = z.object({ from: z.number(), amount: micros, least: micros }).readonly();

/** The charges at a moment, small enough to share between windows. Times are Unix seconds. */
export const ledgerShape = z
  .object({
    /** By the service's clock if `isClockProved`. */
    at: z.number(),
    /** False if the answer had no time, so that this computer's clock was used, which may be wrong. */
    isClockProved: z.boolean(),
    /** False if some or all charges could not be read. */
    isWhole: z.boolean(),
    day: sum,
    month: sum,
    /** Until when each instance and volume has been charged, by the service's name for it. */
    chargedUntil: z.array(z.tuple([z.string(), z.number()]).readonly()).readonly(),
  })
  .readonly();
export type Ledger = z.infer<typeof ledgerShape>;

export function ledgerOf(
  charges: readonly Charge[],
  reading: Pick<Ledger, 'at' | 'isClockProved' | 'isWhole'>,
): Ledger {
  const lines = chargeLines(charges.map((charge) => chargedBy(reading.at, charge)));
  const [day, month] = [stretchOf('day', reading.at), stretchOf('month', reading.at)];
  return {
    ...reading,
    day: { from: day.from, ...chargedIn(lines, day) },
    month: { from: month.from, ...chargedIn(lines, month) },
    chargedUntil: [...chargedUntil(lines)],
  };
}

/** Returns the ledger for when the charges could not be read. */
export function unreadLedger(at: number): Ledger {
  const none = { amount: zero, least: zero };
  return {
    at,
    isClockProved: false,
    isWhole: false,
    day: { from: stretchOf('day', at).from, ...none },
    month: { from: stretchOf('month', at).from, ...none },
    chargedUntil: [],
  };
}
