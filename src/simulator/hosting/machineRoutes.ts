import { BodyReader, pathId, toNumber } from '../body';
import type { Machine } from '../market/machines';
import type { Market } from '../market/market';
import { callerOf, ok, route, ServiceError, type Route, type SimRequest } from '../route';
import type { World } from '../world';
import { machineRow, machinesOf, type HostingState } from './hostMachines';

const categories = ['power', 'internet', 'disk', 'gpu', 'software', 'other'];
/** The highest bid in dollars per GPU and hour (docs/service/limits.md#sizes). */
const highestBid = 32;

/** The host's machines (docs/service/machines.md#list). */
export function machineRoutes(world: World, market: Market): Route[] {
  const state = world.section<HostingState>('hosting', () => ({ minBids: {}, maintenance: [] }));
  world.ports.minimumBid = (machineId) => state.minBids[machineId];
  return [
    route('GET /api/v0/machines/', { permission: 'machine_read', endpoint: 'api.machines' }, (request) => {
      const machines = machinesOf(world, market, callerOf(request).accountId);
      return ok({ machines: machines.map((machine) => machineRow(world, market, state, machine)) });
    }),
    route(
      'PUT /api/v0/machines/{id}/minbid/',
      { permission: 'machine_write', endpoint: 'api.machine.minbid', everySeconds: 1.5 },
      (request) => {
        const machine = ownMachine(world, market, request);
        const price = BodyReader.of(request.body, 'invalid_args').number('price');
        if (price === undefined || price < 0 || price > highestBid) {
          throw new ServiceError(422, 'invalid_args', `price must be a number from 0 to ${highestBid}.`);
        }
        state.minBids[machine.id] = price;
        world.changed();
        return ok({ success: true, you_sent: request.body });
      },
    ),
    // Documented without its final slash; the public command-line client sends one.
    route(
      'PUT /api/v0/machines/{id}/dnotify',
      { permission: 'machine_write', endpoint: 'api.machine.dnotify', everySeconds: 2.5 },
      (request) => schedule(world, market, state, request),
    ),
    ...windowRoutes(world, market, state),
  ];
}

/** The windows of maintenance, which have no final slash either (docs/service/machines.md#windows). */
function windowRoutes(world: World, market: Market, state: HostingState): Route[] {
  const path = '/api/v0/machines/maintenances' as const;
  const reads = { permission: 'instance_read', endpoint: 'api.machines.maintenances' } as const;
  const listed = (ids: readonly unknown[]) => state.maintenance.filter((one) => ids.includes(one.machine_id));
  const wanted = (given: unknown) => {
    if (!Array.isArray(given) || given.length === 0) {
      throw new ServiceError(400, 'invalid_args', 'machine_ids must be a list of numbers.');
    }
    return given as readonly unknown[];
  };
  return [
    route(`GET ${path}`, { ...reads, everySeconds: 2 }, (request) => {
      const ids = wanted(parsedIds(request.query.get('machine_ids')));
      const own = machinesOf(world, market, callerOf(request).accountId).map(({ id }) => id);
      if (!ids.every((id) => own.some((one) => one === id))) {
        throw new ServiceError(404, 'not_found', 'Machine not found');
      }
      return ok(listed(ids));
    }),
    route(`POST ${path}`, { ...reads, everySeconds: 1 }, (request) => {
      const ids = wanted(BodyReader.of(request.body).fields['machine_ids']);
      return ok(
        listed(ids)
          .filter(({ end_time }) => end_time > world.now())
          .map(({ id, machine_id, start_time, duration_hours, maintenance_category }) => ({
            ...{ id, machine_id, start_time, duration_hours, maintenance_category },
          })),
      );
    }),
    route(
      `DELETE ${path}`,
      { permission: 'machine_write', endpoint: 'api.machines.maintenances', everySeconds: 1 },
      (request) => {
        const id = BodyReader.of(request.body).integer('maintenance_id');
        const own = machinesOf(world, market, callerOf(request).accountId).map((machine) => machine.id);
        const at = state.maintenance.findIndex((one) => one.id === id && own.includes(one.machine_id));
        if (at < 0) {
          throw new ServiceError(400, 'invalid_args', 'There is no such window of maintenance.');
        }
        state.maintenance.splice(at, 1);
        world.changed();
        return ok({ success: true });
      },
    ),
  ];
}

function parsedIds(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

function ownMachine(world: World, market: Market, request: SimRequest): Machine {
  const id = pathId(request.params['id'], 'not_found', 'Machine not found');
  const machine = market.machine(id);
  if (!machine) {
    throw new ServiceError(404, 'not_found', 'Machine not found');
  }
  if (!machinesOf(world, market, callerOf(request).accountId).includes(machine)) {
    throw new ServiceError(403, 'not_authorized', 'This machine belongs to somebody else.');
  }
  return machine;
}

function schedule(world: World, market: Market, state: HostingState, request: SimRequest) {
  const machine = ownMachine(world, market, request);
  const body = BodyReader.of(request.body, 'invalid_args');
  const start = readDate(body.fields['sdate']);
  const duration = body.number('duration');
  const category = body.text('maintenance_category') ?? 'other';
  if (start === undefined) {
    throw new ServiceError(422, 'invalid_args', 'sdate must be a date and time in ISO 8601, in UTC.');
  }
  if (start < world.now()) {
    throw new ServiceError(422, 'invalid_args', 'sdate must be in the future.');
  }
  if (duration === undefined || duration <= 0 || duration > 24 * 30) {
    throw new ServiceError(422, 'invalid_args', 'duration must be a number of hours above 0.');
  }
  if (!categories.includes(category)) {
    throw new ServiceError(
      422,
      'invalid_args',
      `maintenance_category must be one of ${categories.join(', ')}.`,
    );
  }
  state.maintenance.push({
    id: world.nextId('maintenance'),
    machine_id: machine.id,
    start_time: start,
    end_time: start + duration * 3600,
    duration_hours: duration,
    maintenance_category: category,
    maintenance_reason: body.text('maintenance_reason') ?? '',
  });
  world.changed();
  const renters = world.instances.filter((instance) => instance.machineId === machine.id).length;
  return ok({ success: true, you_sent: String(renters + machine.taken) });
}

/** ISO 8601 in UTC as documented, or Unix seconds as the public command-line client sends. */
function readDate(value: unknown): number | undefined {
  const seconds = toNumber(value);
  if (seconds !== undefined) {
    return seconds > 0 ? seconds : undefined;
  }
  if (
    typeof value !== 'string' ||
    !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]00:?00)?$/.test(value)
  ) {
    return undefined;
  }
  const time = Date.parse(/(Z|[+-]00:?00)$/.test(value) ? value : `${value}Z`);
  return Number.isNaN(time) ? undefined : time / 1000;
}
