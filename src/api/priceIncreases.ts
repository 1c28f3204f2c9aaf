import type { PriceIncrease } from '../model/instances/priceIncrease';
import { priceIncrease, priceIncreaseList, type WirePriceIncrease } from '../wire/priceIncrease';
import { defined } from '../util/defined';
import type { Client } from './client';
import type { Http } from './http';
import { readList } from './listing';
import { price } from './modelValues';
import { read, sendWrite, write } from './request';

/** Lists, accepts and rejects price increases (docs/service/instances.md#price-increases). */
export function priceIncreasesApi(http: Http): Client['priceIncreases'] {
  return {
    list: (options) => {
      const request = read('GET /api/v0/instances/pending-price-increases/');
      return readList(http, request, priceIncreaseList, priceIncrease, toPriceIncrease, options);
    },
    accept: (id, options) => {
      const body = { pending_price_increase_id: id };
      return sendWrite(http, { ...write('PUT /api/v0/instances/accept-price-increase/'), body }, options);
    },
    reject: (id, options) => {
      const body = { pending_price_increase_id: id };
      return sendWrite(http, { ...write('PUT /api/v0/instances/reject-price-increase/'), body }, options);
    },
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
