import * as z from 'zod';
import type { Charge } from '../accounts/charge';
import { micros, zero } from '../money';
import { chargedIn, chargedUntil, chargeLines } from './charged';
import { stretchOf } from './period';

const sum = z.object({ from: z.number(), amount: micros, least: micros }).readonly();

/** What the service had charged at a moment, short enough for windows to tell each other. Times in Unix seconds. */
export const ledgerShape = z
  .object({
    /** By the service's clock, where `isClockProved`. */
    at: z.number(),
    /** False where the answer did not say what time it is: this computer's clock may be wrong. */
    isClockProved: z.boolean(),
    /** False where the charges could not be read, or not all of them. */
    isWhole: z.boolean(),
    day: sum,
    month: sum,
    /** Until when each instance and volume is charged, by the name that the service gives it. */
    chargedUntil: z.array(z.tuple([z.string(), z.number()]).readonly()).readonly(),
  })
  .readonly();
export type Ledger = z.infer<typeof ledgerShape>;

export function ledgerOf(
  charges: readonly Charge[],
  reading: Pick<Ledger, 'at' | 'isClockProved' | 'isWhole'>,
): Ledger {
  const lines = chargeLines(charges);
  const [day, month] = [stretchOf('day', reading.at), stretchOf('month', reading.at)];
  return {
    ...reading,
    day: { from: day.from, ...chargedIn(lines, day) },
    month: { from: month.from, ...chargedIn(lines, month) },
    chargedUntil: [...chargedUntil(lines)],
  };
}

/** Where the charges could not be read. */
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
