import { BodyReader } from '../body';
import { callerOf, ok, route, ServiceError, type Route, type SimRequest } from '../route';
import type { World } from '../world';
import type { Lifecycle } from './lifecycle';

interface PriceIncrease {
  id: number;
  instanceId: number;
  accountId: number;
  /** Dollars an hour for the GPUs. */
  currentPrice: number;
  newPrice: number;
  /** Unix seconds by which to answer; the old price holds until then. */
  expiresAt: number;
}

interface PriceState {
  pending: PriceIncrease[];
}

/**
 * Price increases that hosts ask for (docs/service/instances.md#price-increases). Tests make them with
 * `propose`.
 */
export class PriceIncreases {
  private readonly state: PriceState;

  constructor(
    private readonly world: World,
    private readonly lifecycle: Lifecycle,
  ) {
    this.state = world.section('priceIncreases', () => ({ pending: [] }));
  }

  propose(instanceId: number, newPrice: number, hours = 48): PriceIncrease {
    const instance = this.world.instance(instanceId);
    if (!instance) {
      throw new ServiceError(404, 'no_such_instance', `Instance ${instanceId} not found.`);
    }
    const increase = {
      id: this.world.nextId('priceIncrease'),
      instanceId,
      accountId: instance.accountId,
      currentPrice: instance.rates.gpu,
      newPrice,
      expiresAt: this.world.now() + hours * 3600,
    };
    this.state.pending.push(increase);
    this.world.changed();
    return increase;
  }

  routes(): Route[] {
    const write = { permission: 'instance_write', everySeconds: 1 } as const;
    const answer = (verb: 'accept' | 'reject') =>
      route(`PUT /api/v0/instances/${verb}-price-increase/`, write, (request) => {
        const increase = this.requested(request);
        const instance = this.world.instance(increase.instanceId);
        if (instance && verb === 'accept') {
          this.lifecycle.billing.settle(instance);
          instance.rates.gpu = increase.newPrice;
          this.lifecycle.changed(instance);
        }
        return ok({ success: true });
      });
    return [
      route(
        'GET /api/v0/instances/pending-price-increases/',
        { permission: 'instance_read', everySeconds: 1 },
        (request) => ok({ success: true, pending_price_increases: this.rows(request) }),
      ),
      answer('accept'),
      answer('reject'),
    ];
  }

  private rows(request: SimRequest) {
    const { accountId } = callerOf(request);
    return this.current(accountId).map((increase) => ({
      id: increase.id,
      instance_id: increase.instanceId,
      current_price: increase.currentPrice,
      new_price: increase.newPrice,
      expires_at: increase.expiresAt,
    }));
  }

  private current(accountId: number): PriceIncrease[] {
    return this.state.pending.filter(
      (increase) =>
        increase.accountId === accountId &&
        increase.expiresAt > this.world.now() &&
        this.world.instance(increase.instanceId) !== undefined,
    );
  }

  private requested(request: SimRequest): PriceIncrease {
    const id = BodyReader.of(request.body).integer('pending_price_increase_id');
    const increase = this.current(callerOf(request).accountId).find((other) => other.id === id);
    if (!increase) {
      throw new ServiceError(404, 'not_found', 'There is no such pending price increase.');
    }
    this.state.pending = this.state.pending.filter((other) => other !== increase);
    this.world.changed();
    return increase;
  }
}
