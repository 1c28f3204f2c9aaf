import * as z from 'zod';
import { listUnder, looseTime, numbers, texts } from './field';

/** A row of GET invoices, in Unix seconds and dollars, or in its flat form (docs/service/billing.md#invoices). */
export const invoice = z.looseObject({
  ...numbers('id', 'start', 'end', 'amount', 'amount_cents'),
  ...texts('type', 'source', 'description', 'service'),
  paid_on: looseTime,
  metadata: z
    .looseObject({ ...numbers('invoice_id'), ...texts('service') })
    .optional()
    .catch(undefined),
});
export type WireInvoice = z.infer<typeof invoice>;

export const invoiceList = listUnder('results');
