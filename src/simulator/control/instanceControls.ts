import { BodyReader, pathId } from '../body';
import { engineFaults, isEngineFault } from '../engine/engineScene';
import type { InstanceService } from '../instances/instanceService';
import { timetableManners } from '../instances/timetable';
import { isMachineManner, machineManners } from '../login/manners';
import { ok, route, ServiceError, type Route, type SimRequest } from '../route';
import type { BootFailure, InstanceState } from '../state';
import type { World } from '../world';

const outcomes = ['exited', 'unknown', 'offline', 'created', 'stuck'];

/** Routes for tests that control machines and instances; the service has none of them. */
export function instanceControls(world: World, service: InstanceService): Route[] {
  return [
    ...bootControls(world, service),
    ...stateControls(world, service),
    ...marketControls(world),
    ...priceControls(service),
    ...timetableControls(service),
    ...engineControls(service),
  ];
}

function bootControls(world: World, { orders }: InstanceService): Route[] {
  return [
    // Of one instance, of the next boots on one machine, or of the next boots at all.
    route('POST /__sim/next-boot/', {}, (request) => {
      const body = BodyReader.of(request.body);
      const failure = readFailure(body);
      const instanceId = body.integer('instance_id');
      if (instanceId === undefined) {
        orders.failBoot(failure, body.integer('times') ?? 1, body.integer('machine_id'));
      } else {
        const instance = anyInstance(world, instanceId);
        instance.nextBootFailure = failure;
        world.changed();
      }
      return ok({ success: true });
    }),
    // How login and tools behave: of one instance from its next boot on, or of the next machines that boot.
    route('POST /__sim/next-manner/', {}, (request) => {
      const body = BodyReader.of(request.body);
      const manner = body.text('manner') ?? 'usual';
      if (!isMachineManner(manner)) {
        throw new ServiceError(400, 'invalid_args', `manner must be one of ${machineManners.join(', ')}.`);
      }
      const instanceId = body.integer('instance_id');
      if (instanceId === undefined) {
        orders.behave(manner, body.integer('times') ?? 1, body.integer('machine_id'));
      } else {
        anyInstance(world, instanceId).manner = manner;
        world.changed();
      }
      return ok({ success: true });
    }),
    route('POST /__sim/next-rent/', {}, (request) => {
      const body = BodyReader.of(request.body);
      orders.doubtNextRent(body.text('error') ?? 'resources_unavailable', body.text('msg') ?? 'Bid pending.');
      return ok({ success: true });
    }),
    route('DELETE /__sim/orders/', {}, () => {
      orders.clear();
      return ok({ success: true });
    }),
  ];
}

function readFailure(body: BodyReader): BootFailure {
  const outcome = body.text('outcome') ?? 'exited';
  if (!outcomes.includes(outcome)) {
    throw new ServiceError(400, 'invalid_args', `outcome must be one of ${outcomes.join(', ')}.`);
  }
  return { outcome, message: body.text('message') ?? 'Error: the container ended with code 1' };
}

function stateControls(world: World, { lifecycle }: InstanceService): Route[] {
  return [
    // Ends an instance in a state of failure at once, or changes what its host reports.
    route('PUT /__sim/instances/{id}/', {}, (request) => {
      const instance = pathInstance(world, request);
      const body = BodyReader.of(request.body);
      const status = body.text('actual_status');
      const message = body.text('status_msg');
      const gpuUse = body.number('gpu_util');
      if (gpuUse !== undefined) {
        instance.gpuUse = gpuUse;
      }
      const endsAt = body.number('end_date');
      if (endsAt !== undefined) {
        instance.hostEndsAt = endsAt;
      }
      if (status !== undefined) {
        lifecycle.fail(instance, status, message ?? `The host reports ${status}.`);
        // The machine reports any state while the contract continues, as with `frozen` and `recycling`.
        instance.failed = body.text('cur_state') !== 'running';
      } else if (message !== undefined) {
        instance.statusMessage = message;
        lifecycle.changed(instance);
      }
      return ok({ success: true, instance });
    }),
    route('POST /__sim/instances/{id}/outbid/', {}, (request) => {
      const instance = pathInstance(world, request);
      lifecycle.outbid(instance);
      if (BodyReader.of(request.body).text('intended_status') === 'stopped') {
        // The public service records the loss of the bid like a stop (docs/service/instances.md#loss-of-the-bid).
        instance.intendedStatus = 'stopped';
        instance.actualStatus = 'stopped';
        lifecycle.changed(instance);
      }
      return ok({ success: true });
    }),
    // The whole machine becomes unreachable for its renters.
    route('POST /__sim/machines/{id}/offline/', {}, (request) => {
      const id = Number(request.params['id']);
      world.market.mark('goneMachines', id, true);
      const hit = world.instances.filter(
        (instance) => instance.machineId === id && instance.actualStatus !== 'exited',
      );
      hit.forEach((instance) => lifecycle.fail(instance, 'offline', 'The host disconnected.'));
      return ok({ success: true, instances: hit.map((instance) => instance.id) });
    }),
  ];
}

function marketControls(world: World): Route[] {
  return [
    route('PUT /__sim/offers/{id}/', {}, (request) => {
      const slice = world.market.offer(pathId(request.params['id'], 'not_found', 'There is no such offer.'));
      if (!slice) {
        throw new ServiceError(404, 'not_found', 'There is no such offer.');
      }
      const body = BodyReader.of(request.body);
      const gone = body.flag('gone');
      const isPrivate = body.flag('private');
      const price = body.number('price_per_gpu');
      if (gone !== undefined) {
        world.market.mark('goneOffers', slice.offerId, gone);
      }
      if (isPrivate !== undefined) {
        world.market.mark('privateMachines', slice.machine.id, isPrivate);
      }
      if (price !== undefined) {
        world.market.setPrice(slice.machine.id, price);
      }
      return ok({ success: true });
    }),
  ];
}

function priceControls({ priceIncreases }: InstanceService): Route[] {
  return [
    route('POST /__sim/price-increases/', {}, (request) => {
      const body = BodyReader.of(request.body);
      const increase = priceIncreases.propose(
        body.integer('instance_id') ?? 0,
        body.number('new_price') ?? 0,
        body.number('hours'),
      );
      return ok({ success: true, increase });
    }),
  ];
}

function timetableControls({ timetable }: InstanceService): Route[] {
  return [
    route('PUT /__sim/timetable/', {}, (request) => {
      const wanted = BodyReader.of(request.body).text('manner');
      const manner = timetableManners.find((known) => known === wanted);
      if (!manner) {
        throw new ServiceError(400, 'invalid_args', `manner must be one of ${timetableManners.join(', ')}.`);
      }
      timetable.manner = manner;
      return ok({ success: true });
    }),
  ];
}

function engineControls(instances: InstanceService): Route[] {
  return [
    route('PUT /__sim/engine/', {}, (request) => {
      const body = BodyReader.of(request.body);
      const fault = body.text('fault');
      const contextTokens = body.integer('context_tokens');
      if (fault !== undefined && !isEngineFault(fault)) {
        throw new ServiceError(400, 'invalid_args', `fault must be one of ${engineFaults.join(', ')}.`);
      }
      instances.playEngines({
        ...(fault === undefined ? {} : { fault }),
        ...(contextTokens === undefined ? {} : { contextTokens }),
      });
      return ok({ success: true });
    }),
  ];
}

function anyInstance(world: World, id: number): InstanceState {
  const instance = world.instance(id);
  if (!instance) {
    throw new ServiceError(404, 'no_such_instance', `Instance ${id} not found.`);
  }
  return instance;
}

function pathInstance(world: World, request: SimRequest): InstanceState {
  return anyInstance(world, pathId(request.params['id'], 'no_such_instance', 'Instance not found.'));
}
