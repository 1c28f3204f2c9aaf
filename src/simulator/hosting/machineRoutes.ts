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
  ];
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
