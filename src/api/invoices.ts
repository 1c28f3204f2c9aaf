import type { Invoice } from '../model/accounts/invoice';
import { zero, type Micros } from '../model/money';
import { defined } from '../util/defined';
import { invoice, invoiceList, type WireInvoice } from '../wire/invoice';
import type { Client } from './client';
import type { Http } from './http';
import { readPages } from './listing';
import { amount, nonEmpty, timeOf } from './modelValues';
import { read } from './request';

/** Lists invoices, payments and credits (docs/service/billing.md#invoices). */
export function invoicesApi(http: Http): Client['invoices'] {
  return {
    list: async ({ from, to }, options) => {
      const request = {
        ...read('GET /api/v1/invoices/'),
        query: {
          select_filters: JSON.stringify({ when: { gte: from, lte: to } }),
          latest_first: 'true',
          limit: 100,
        },
      };
      const { items, skipped, missing } = await readPages(
        http,
        request,
        invoiceList,
        withAmount,
        toInvoice,
        options,
      );
      return { items, skipped, isComplete: missing === 0 };
    },
  };
}

/** A row without its amount must not look like one of nothing. */
const withAmount = invoice.refine((wire) => dollarsOf(wire) !== undefined, 'no amount');

function dollarsOf(wire: WireInvoice): Micros | undefined {
  return amount(wire.amount ?? (wire.amount_cents === undefined ? undefined : wire.amount_cents / 100));
}

function toInvoice(wire: WireInvoice): Invoice {
  const paidOn = timeOf(wire.paid_on);
  const at = wire.start ?? (paidOn === undefined ? undefined : Math.floor(paidOn / 1000));
  return defined<Invoice>({
    number: wire.metadata?.invoice_id ?? wire.id,
    at,
    // An unpaid row has a null as its end; the flat form has none, but the time of the payment.
    isPaid: wire.end !== undefined || paidOn !== undefined,
    type: wire.type ?? '',
    source: nonEmpty(wire.metadata?.service) ?? nonEmpty(wire.service) ?? nonEmpty(wire.source),
    description: nonEmpty(wire.description),
    // The service writes money that was paid in below zero.
    amount: (zero - (dollarsOf(wire) ?? zero)) as Micros,
  });
}
