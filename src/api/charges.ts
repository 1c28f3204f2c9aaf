import type { Charge } from '../model/accounts/charge';
import { sumMoney, zero, type Micros } from '../model/money';
import { defined } from '../util/defined';
import { charge, chargeList, type WireCharge } from '../wire/charge';
import type { Client } from './client';
import type { Http } from './http';
import { readPages } from './listing';
import { amount, nonEmpty } from './modelValues';
import { read } from './request';

const rowsAPage = 100;

/** Lists charges (docs/service/billing.md#charges). */
export function chargesApi(http: Http): Client['charges'] {
  return {
    list: async ({ from, to }, options) => {
      const request = {
        ...read('GET /api/v0/charges/'),
        query: {
          select_filters: JSON.stringify({ day: { gte: from, lte: to } }),
          format: 'table',
          latest_first: 'true',
          limit: rowsAPage,
        },
      };
      const { items, skipped, missing } = await readPages(
        http,
        request,
        chargeList,
        withAmount,
        toCharge,
        options,
      );
      return { items, skipped, isComplete: missing === 0 };
    },
  };
}

/** A row without its amount must not look like one that cost nothing, and one below zero must not lower a sum. */
const withAmount = charge.refine((wire) => paid(wire.amount) !== undefined, 'no amount');

function paid(dollars: number | undefined): Micros | undefined {
  const value = amount(dollars);
  return value === undefined || value < 0 ? undefined : value;
}

function toCharge(wire: WireCharge): Charge {
  const label =
    typeof wire.metadata === 'object' && wire.metadata !== null && 'label' in wire.metadata
      ? wire.metadata.label
      : undefined;
  return defined<Charge>({
    start: wire.start,
    end: wire.end,
    type: wire.type ?? '',
    source: nonEmpty(wire.source),
    description: nonEmpty(wire.description),
    amount: amount(wire.amount) ?? zero,
    label: typeof label === 'string' ? nonEmpty(label) : undefined,
    items: toItems(wire.items ?? [], amount(wire.amount) ?? zero),
  });
}

type Item = Charge['items'][number];

/** A single item without an amount gets the rest of the charge; for several, the split is unknown. */
function toItems(wire: NonNullable<WireCharge['items']>, whole: Micros): readonly Item[] {
  const known = wire.flatMap((item): Item[] => {
    const value = paid(item.amount);
    return value === undefined
      ? []
      : [
          defined<Item>({
            type: item.type ?? '',
            amount: value,
            description: nonEmpty(item.description),
          }),
        ];
  });
  const unknown = wire.filter((item) => paid(item.amount) === undefined);
  const [only] = unknown;
  const rest = (whole - sumMoney(known.map((item) => item.amount))) as Micros;
  return only === undefined || rest <= 0
    ? known
    : [...known, { type: unknown.length === 1 ? (only.type ?? '') : '', amount: rest }];
}
