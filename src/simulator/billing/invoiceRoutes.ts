import { isObject, toNumber } from '../body';
import { callerOf, ok, route, ServiceError, type Route, type SimRequest } from '../route';
import type { World } from '../world';
import { page } from './chargeRoutes';

const daySeconds = 86_400;
const usualRows = 60;

/** A row of the answer, in Unix seconds and dollars (docs/service/billing.md#invoices). */
interface Invoice {
  start: number;
  end: number | null;
  type: string;
  source: string;
  description: string;
  amount: number;
  metadata: { invoice_id: number; service: string };
  items: [];
}

interface InvoiceState {
  rows: (Invoice & { accountId: number })[];
  seeded: boolean;
}

const reads = { permission: 'billing_read', endpoint: 'api.invoices', everySeconds: 3 } as const;

/** GET invoices: what the account paid in and got back (docs/service/billing.md#invoices). */
export function invoiceRoutes(world: World): Route[] {
  const state = world.section<InvoiceState>('invoices', () => ({ rows: [], seeded: false }));
  seed(world, state);
  return [
    route('GET /api/v1/invoices/', reads, (request) => {
      const { accountId } = callerOf(request);
      const { from, to } = readWhen(request);
      const sign = request.query.get('latest_first') === 'false' ? 1 : -1;
      const rows = state.rows
        .filter((row) => row.accountId === accountId && row.start >= from && row.start <= to)
        .map(({ start, end, type, source, description, amount, metadata, items }) => ({
          start,
          end,
          type,
          source,
          description,
          amount,
          metadata,
          items,
        }))
        .sort((a, b) => sign * (a.start - b.start));
      return ok(page(rows, request, { usualRows }));
    }),
  ];
}

/** Refused with 200 without its bounds (docs/service/billing.md#invoices). */
function readWhen(request: SimRequest): { from: number; to: number } {
  let filters: unknown;
  try {
    filters = JSON.parse(request.query.get('select_filters') ?? '{}');
  } catch {
    filters = undefined;
  }
  const when = isObject(filters) && isObject(filters['when']) ? filters['when'] : {};
  const from = toNumber(when['gte']) ?? toNumber(when['gt']);
  const to = toNumber(when['lte']) ?? toNumber(when['lt']);
  if (from === undefined || to === undefined) {
    throw new ServiceError(200, undefined, 'Invalid date range');
  }
  return { from, to };
}

/** What the first account paid in before, so that its report has something to show. */
function seed(world: World, state: InvoiceState): void {
  const first = world.accounts[0];
  if (state.seeded || !first) {
    return;
  }
  state.seeded = true;
  const today = Math.floor(world.now() / daySeconds) * daySeconds;
  const past = [
    {
      days: 27,
      type: 'credit',
      source: 'stripe',
      service: 'stripe_payments',
      description: 'Top-up',
      amount: -50,
    },
    {
      days: 12,
      type: 'credit',
      source: 'promotion',
      service: 'transfer',
      description: 'Promotional credit',
      amount: -5,
    },
    {
      days: 9,
      type: 'refund',
      source: 'stripe',
      service: 'stripe_payments',
      description: 'Refund of a top-up',
      amount: 8,
    },
    {
      days: 2,
      type: 'credit',
      source: 'coinbase',
      service: 'coinbase',
      description: 'Top-up',
      amount: -20,
      isOpen: true,
    },
  ];
  for (const [index, { days, type, source, service, description, amount, isOpen }] of past.entries()) {
    const start = today - days * daySeconds + 36_000;
    const metadata = { invoice_id: 3301 + index, service };
    const end = isOpen === true ? null : start + 5;
    state.rows.push({
      start,
      end,
      type,
      source,
      description,
      amount,
      metadata,
      items: [],
      accountId: first.id,
    });
  }
  world.changed();
}
