import type { Client } from '../../api/client';
import type { CallOptions } from '../../api/http';
import { listedFrom } from '../../model/accounts/charge';
import { ledgerOf, type Ledger } from '../../model/budget/ledger';
import { stretchOf } from '../../model/budget/period';

const daySeconds = 86_400;
const rowsAPage = 100;

/** The charges that were read, and the number of pages. */
export interface LedgerReading {
  readonly ledger: Ledger;
  readonly pages: number;
}

/**
 * Reads the charges of the current month by the clock of the service. `now` (this computer's Unix seconds)
 * only selects the first range; if the service reports another month, that one is read.
 */
export async function readLedger(
  client: Pick<Client, 'charges'>,
  now: number,
  options: CallOptions,
): Promise<LedgerReading> {
  const first = await readAround(client, now, options);
  const { at, isClockProved } = first.ledger;
  return isClockProved && !isAround(at, now) ? readAround(client, at, options) : first;
}

async function readAround(
  client: Pick<Client, 'charges'>,
  now: number,
  options: CallOptions,
): Promise<LedgerReading> {
  let date = Number.NaN;
  const onHeaders = (headers: Readonly<Record<string, string>>) => {
    date = Date.parse(headers['date'] ?? '') / 1000;
  };
  const { items, skipped, isComplete } = await client.charges.list(rangeAround(now), {
    ...options,
    onHeaders,
  });
  const at = Number.isNaN(date) ? now : date;
  const ledger = ledgerOf(items, {
    at,
    isClockProved: !Number.isNaN(date),
    isWhole: isComplete && skipped === 0 && isAround(at, now),
  });
  return { ledger, pages: Math.max(1, Math.ceil((items.length + skipped) / rowsAPage)) };
}

/**
 * Returns the month of a moment plus some days on both sides, for charges that began earlier and for a slow
 * clock.
 */
function rangeAround(now: number) {
  return {
    from: listedFrom(stretchOf('month', now).from),
    to: Math.floor(now) + daySeconds,
  };
}

/** Returns whether the range read around one moment contains the month of another. */
function isAround(at: number, now: number): boolean {
  const { from, to } = rangeAround(now);
  return stretchOf('month', at).from >= from && at <= to;
}
