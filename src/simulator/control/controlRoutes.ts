import { BodyReader } from '../body';
import { readFaultOrder, type Faults } from '../faults';
import type { InstanceService } from '../instances/instanceService';
import type { RequestLog } from '../requestLog';
import { callerOf, ok, route, ServiceError, type Route } from '../route';
import type { KeyPermissions } from '../state';
import type { World } from '../world';
import { instanceControls } from './instanceControls';

export interface ControlContext {
  readonly world: World;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly instances: InstanceService;
}

/** Only a full key may control the simulator: a scoped key belongs to a program. */
export function onlyByFullKey(world: World, routes: readonly Route[]): Route[] {
  return routes.map((steering) => ({
    ...steering,
    handle: (request) => {
      const key = world.keys.byId(callerOf(request).keyId);
      if (!key || key.permissions || key.onlyInstance !== undefined) {
        throw new ServiceError(403, 'not_authorized', 'Only a full key may steer the simulator.');
      }
      return steering.handle(request);
    },
  }));
}

/** Routes that control the simulator itself; the service has none of them. */
export function controlRoutes(context: ControlContext): Route[] {
  const { world } = context;
  return onlyByFullKey(world, [
    ...faultRoutes(context),
    ...logRoutes(context),
    ...timeRoutes(world),
    ...accountControls(world),
    ...instanceControls(world, context.instances),
  ]);
}

function faultRoutes({ faults }: ControlContext): Route[] {
  return [
    route('POST /__sim/faults/', {}, (request) =>
      ok({ success: true, fault: faults.add(readFaultOrder(request.body)) }),
    ),
    route('GET /__sim/faults/', {}, () => ok({ faults: faults.list() })),
    route('DELETE /__sim/faults/', {}, (request) => {
      faults.clear(BodyReader.of(request.body).integer('id'));
      return ok({ success: true });
    }),
  ];
}

function logRoutes({ log }: ControlContext): Route[] {
  return [
    route('GET /__sim/requests/', {}, (request) =>
      ok({ requests: log.list(Number(request.query.get('since') ?? 0)) }),
    ),
    route('DELETE /__sim/requests/', {}, () => {
      log.clear();
      return ok({ success: true });
    }),
  ];
}

function timeRoutes(world: World): Route[] {
  const status = () => ({
    now: world.now(),
    speed: world.clock.speed,
    seed: world.seed,
    instances: world.instances.length,
  });
  return [
    route('GET /__sim/status/', {}, () => ok(status())),
    route('POST /__sim/heartbeat/', {}, () => ok({ success: true })),
    route('POST /__sim/advance/', {}, (request) => {
      world.clock.advance((BodyReader.of(request.body).number('seconds') ?? 0) * 1000);
      world.changed();
      return ok(status());
    }),
    route('PUT /__sim/speed/', {}, (request) => {
      world.clock.speed = BodyReader.of(request.body).number('speed') ?? 1;
      return ok(status());
    }),
  ];
}

function accountControls(world: World): Route[] {
  return [
    route('POST /__sim/accounts/', {}, (request) => {
      const body = BodyReader.of(request.body);
      const email = body.text('email');
      const credit = body.number('credit');
      const account = world.addAccount({
        ...(email === undefined ? {} : { email }),
        ...(credit === undefined ? {} : { credit }),
      });
      const { value, record } = world.keys.create({ accountId: account.id, name: 'Full access' });
      world.changed();
      return ok({ success: true, account, key: value, key_id: record.id });
    }),
    route('POST /__sim/keys/', {}, (request) => {
      const body = BodyReader.of(request.body);
      // Checked to be an object; what it grants is decided when it is used.
      const permissions: KeyPermissions | undefined = body.object('permissions');
      const whitelist = body.fields['ip_whitelist'];
      const { value, record } = world.keys.create({
        accountId: body.integer('account_id') ?? callerOf(request).accountId,
        name: body.text('name') ?? 'Made for a test',
        ...(permissions ? { permissions } : {}),
        ...(Array.isArray(whitelist) ? { ipWhitelist: whitelist.map(String) } : {}),
      });
      world.changed();
      return ok({ success: true, key: value, key_id: record.id });
    }),
    route('PUT /__sim/credit/', {}, (request) => {
      const body = BodyReader.of(request.body);
      const account = world.account(body.integer('account_id') ?? callerOf(request).accountId);
      account.credit = body.number('credit') ?? account.credit;
      account.balance = body.number('balance') ?? account.balance;
      world.changed();
      return ok({ success: true, account });
    }),
  ];
}
