import { BodyReader } from '../body';
import { callerOf, ok, route, ServiceError, type Route, type SimRequest, type SimResponse } from '../route';
import type { InstanceState } from '../state';
import type { World } from '../world';
import type { Lifecycle } from './lifecycle';
import { ownInstance } from './ownInstance';
import { instanceRow } from './record';
import { mergeRent } from './rentMerge';

/** The limit after creation (docs/service/instances.md#label). */
const longestLabel = 1024;

const update = { permission: 'instance_write', endpoint: 'api.instance.update', everySeconds: 1 } as const;
const destroy = { permission: 'instance_write', endpoint: 'api.instance.destroy', everySeconds: 3 } as const;

/** One instance, or several at once: read, start, stop, label, destroy, restart, bid. */
export function instanceRoutes(world: World, lifecycle: Lifecycle): Route[] {
  return [
    readRoute(world, lifecycle),
    depositRoute(world),
    ...changeRoutes(world, lifecycle),
    ...destroyRoutes(world, lifecycle),
    ...restartRoutes(world, lifecycle),
    updateTemplateRoute(world, lifecycle),
    bidRoute(world, lifecycle),
    reportRoute(world),
  ];
}

function readRoute(world: World, lifecycle: Lifecycle): Route {
  // The public service lets an instance key read its instance as well
  // (docs/service/authentication.md#instance-key).
  return route(
    'GET /api/v0/instances/{id}/',
    {
      permission: 'instance_read',
      endpoint: 'api.instance.show',
      everySeconds: 2,
      limitPerPath: true,
      instanceKey: true,
    },
    (request) => {
      const instance = world.instance(Number(request.params['id']));
      if (instance?.accountId !== callerOf(request).accountId) {
        // A destroyed instance reads as null (docs/service/instances.md#read-one).
        return ok({ instances: null });
      }
      lifecycle.billing.settle(instance);
      return ok({ instances: instanceRow(world, instance) });
    },
  );
}

/** Deposits are made in the web console, which the simulator has not (docs/service/instances.md#deposit). */
function depositRoute(world: World): Route {
  return route(
    'GET /api/v0/instances/balance/{id}/',
    { permission: 'instance_read', endpoint: 'api.instance.balance', everySeconds: 3 },
    (request) => {
      ownInstance(world, request);
      return ok({ success: true, refundable_deposit: 0, total_discount: 0, discount_months: 0 });
    },
  );
}

function changeRoutes(world: World, lifecycle: Lifecycle): Route[] {
  return [
    route('PUT /api/v0/instances/{id}/', { ...update, instanceKey: true }, (request) =>
      change(world, lifecycle, ownInstance(world, request), request),
    ),
    // See docs/service/instances.md#several-at-once.
    route('PUT /api/v0/instances/', update, (request) => {
      const body = BodyReader.of(request.body);
      const state = wantedState(body) ?? refuseState(body);
      const chosen = severalInstances(world, request, body.ids('ids') ?? []);
      const queued = chosen.filter((instance) => setState(lifecycle, instance, state));
      return queued.length > 0 ? queuedAnswer() : ok({ success: true });
    }),
  ];
}

function change(
  world: World,
  lifecycle: Lifecycle,
  instance: InstanceState,
  request: SimRequest,
): SimResponse {
  const body = BodyReader.of(request.body);
  const state = wantedState(body);
  const label = body.text('label');
  if (state === undefined && label === undefined) {
    throw new ServiceError(400, 'invalid_args', 'Give a state or a label.');
  }
  if (label !== undefined) {
    if (callerOf(request).onlyInstance !== undefined) {
      throw new ServiceError(
        403,
        'not_authorized',
        'The key of an instance can only start, stop and destroy.',
      );
    }
    if (label.length > longestLabel) {
      throw new ServiceError(400, 'label_too_long', `The label may have ${longestLabel} characters.`);
    }
    instance.label = label;
    world.instanceChanged(instance);
  }
  return state !== undefined && setState(lifecycle, instance, state) ? queuedAnswer() : ok({ success: true });
}

/** True when a start has to wait. */
function setState(lifecycle: Lifecycle, instance: InstanceState, state: 'running' | 'stopped'): boolean {
  if (state === 'stopped') {
    lifecycle.stop(instance);
    return false;
  }
  return lifecycle.start(instance).queued;
}

/** A queued start answers 200 beside `success: false` (docs/service/instances.md#start). */
function queuedAnswer(): SimResponse {
  return ok({
    success: false,
    error: 'resources_unavailable',
    msg: 'Required resources are currently unavailable, state change queued.',
  });
}

function wantedState(body: BodyReader): 'running' | 'stopped' | undefined {
  const state = body.text('state');
  return state === undefined || state === 'running' || state === 'stopped' ? state : refuseState(body);
}

function refuseState(body: BodyReader): never {
  throw new ServiceError(400, 'invalid_args', `Invalid state ${body.text('state') ?? ''}.`);
}

function severalInstances(world: World, request: SimRequest, ids: readonly number[]): InstanceState[] {
  const { accountId } = callerOf(request);
  if (ids.length === 0) {
    throw new ServiceError(400, 'invalid_args', 'Give the ids of the instances.');
  }
  return ids.map((id) => {
    const instance = world.instance(id);
    if (instance?.accountId !== accountId) {
      throw new ServiceError(404, 'no_such_instance', `Instance ${id} not found.`);
    }
    return instance;
  });
}

function destroyRoutes(world: World, lifecycle: Lifecycle): Route[] {
  return [
    route('DELETE /api/v0/instances/{id}/', { ...destroy, instanceKey: true }, (request) => {
      lifecycle.destroy(ownInstance(world, request));
      return ok({ success: true });
    }),
    route('DELETE /api/v0/instances/', destroy, (request) => {
      const ids = BodyReader.of(request.body).ids('instance_ids') ?? [];
      for (const instance of severalInstances(world, request, ids)) {
        lifecycle.destroy(instance);
      }
      return ok({ success: true });
    }),
  ];
}

function restartRoutes(world: World, lifecycle: Lifecycle): Route[] {
  return (['reboot', 'recycle'] as const).map((action) =>
    route(
      `PUT /api/v0/instances/${action}/{id}/`,
      { permission: 'instance_write', endpoint: `api.instance.${action}`, everySeconds: 1 },
      (request) => {
        lifecycle.reboot(ownInstance(world, request), action === 'recycle');
        return ok({ success: true });
      },
    ),
  );
}

/** Creates the container again from another image or template (docs/service/instances.md#change-image-or-template). */
function updateTemplateRoute(world: World, lifecycle: Lifecycle): Route {
  return route(
    'PUT /api/v0/instances/update_template/{id}/',
    { permission: 'instance_write', endpoint: 'api.instance.update_template', everySeconds: 1 },
    (request) => {
      const instance = ownInstance(world, request);
      const body = BodyReader.of(request.body);
      const image = body.text('image');
      const hash = body.text('template_hash_id');
      const template =
        hash === undefined ? undefined : world.ports.templates?.byHash(hash, instance.accountId);
      if (hash === undefined ? !image?.trim() : !template) {
        throw new ServiceError(400, 'invalid_args', 'Give an image or a template that exists.');
      }
      lifecycle.reboot(instance, true);
      const merged = mergeRent({ ...(image === undefined ? {} : { image }) }, template);
      instance.image = merged.image ?? instance.image;
      instance.templateHash = template?.hashId ?? null;
      instance.templateId = template?.id ?? null;
      instance.templateName = template?.name ?? null;
      if (template) {
        Object.assign(instance, { env: { ...merged.env }, onstart: merged.onstart, access: merged.access });
      }
      lifecycle.changed(instance);
      return ok({ success: true, updated_instance: instance.id });
    },
  );
}

const reportProblems = [
  'Unable To Start Instance',
  'Instance Takes Too Long To Load',
  'Instance Has Less Disk Space Than Requested',
  'Machine Has Port Issues',
  'Machine Performance Is Less Than Expected',
  'Other',
];
const longestReport = 512;

/** Takes a report of the machine of an instance (docs/service/instances.md#report-its-machine). */
function reportRoute(world: World): Route {
  return route(
    'PUT /api/v0/machines/{id}/report',
    { permission: 'instance_write', endpoint: 'api.machine.report', everySeconds: 1.2 },
    (request) => {
      const body = BodyReader.of(request.body);
      const instance = world.instance(body.integer('instance_id') ?? 0);
      if (
        instance?.accountId !== callerOf(request).accountId ||
        String(instance.machineId) !== request.params['id']
      ) {
        throw new ServiceError(
          403,
          'not_authorized',
          'There is no active instance of yours on this machine.',
        );
      }
      if (!reportProblems.includes(body.text('problem') ?? '')) {
        throw new ServiceError(400, 'invalid_args', `problem must be one of ${reportProblems.join(', ')}.`);
      }
      if ((body.text('message') ?? '').length > longestReport) {
        throw new ServiceError(400, 'invalid_args', `message may have ${longestReport} characters.`);
      }
      return ok({ success: true });
    },
  );
}

function bidRoute(world: World, lifecycle: Lifecycle): Route {
  return route(
    'PUT /api/v0/instances/bid_price/{id}/',
    { permission: 'instance_write', endpoint: 'api.instance.bid_price', everySeconds: 5.5 },
    (request) => {
      const instance = ownInstance(world, request);
      const price = BodyReader.of(request.body).number('price');
      const { gpus } = world.market.sliceOf(instance);
      if (price === undefined || price < 0.001 || price > 32 * gpus) {
        throw new ServiceError(400, 'invalid_args', 'Please set a bid price >= 0.001.');
      }
      if (!instance.isBid) {
        throw new ServiceError(400, 'invalid_args', 'Only an interruptible instance has a bid price.');
      }
      lifecycle.billing.settle(instance);
      instance.bidPrice = price;
      instance.rates.gpu = price;
      lifecycle.changed(instance);
      return ok({ success: true });
    },
  );
}
