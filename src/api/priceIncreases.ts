import type { PriceIncrease } from '../model/instances/priceIncrease';
import { priceIncrease, priceIncreaseList, type WirePriceIncrease } from '../wire/priceIncrease';
import { defined } from '../util/defined';
import type { Client } from './client';
import type { CallOptions, Http } from './http';
import { listReader } from './listing';
import { price } from './modelValues';
import { sendWrite } from './write';

/** Lists, accepts and rejects price increases (docs/service/instances.md#price-increases). */
export function priceIncreasesApi(http: Http): Client['priceIncreases'] {
  const answer = async (verb: 'accept' | 'reject', id: number, options: CallOptions | undefined) => {
    const path = `/api/v0/instances/${verb}-price-increase/`;
    await sendWrite(
      http,
      { method: 'PUT', path, body: { pending_price_increase_id: id }, route: `PUT ${path}` },
      options,
    );
  };
  return {
    list: listReader(http, {
      path: '/api/v0/instances/pending-price-increases/',
      answer: priceIncreaseList,
      names: ['pending_price_increases', 'results'],
      record: priceIncrease,
      toModel: toPriceIncrease,
    }),
    accept: (id, options) => answer('accept', id, options),
    reject: (id, options) => answer('reject', id, options),
  };
}

function toPriceIncrease(wire: WirePriceIncrease): PriceIncrease {
  return defined<PriceIncrease>({
    id: wire.id,
    instanceId: wire.instance_id ?? wire.contract_id,
    currentPrice: price(wire.current_price ?? wire.old_price),
    newPrice: price(wire.new_price),
    deadline: wire.deadline ?? wire.expires_at,
  });
}
