import type { Deposit } from '../model/instances/deposit';
import { defined } from '../util/defined';
import { deposit } from '../wire/instance';
import { NotUnderstoodError } from './errors';
import type { CallOptions, Http } from './http';
import { amount, known } from './modelValues';
import { read } from './request';

/** Reads what was paid in advance for an instance (docs/service/instances.md#deposit). */
export async function readDeposit(http: Http, id: number, options?: CallOptions): Promise<Deposit> {
  const request = read('GET /api/v0/instances/balance/{id}/', { id });
  const wire = await http.call(request, deposit, options);
  const refundable = amount(wire.refundable_deposit);
  if (refundable === undefined) {
    throw new NotUnderstoodError({ route: request.route, status: 200 });
  }
  return defined<Deposit>({
    refundable,
    discount: amount(wire.total_discount),
    months: known(wire.discount_months),
  });
}
