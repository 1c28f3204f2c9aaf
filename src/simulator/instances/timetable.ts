import { BodyReader, isObject, pathId } from '../body';
import { callerOf, ok, route, ServiceError, type Route, type SimRequest } from '../route';
import type { World } from '../world';
import type { Lifecycle } from './lifecycle';

const hour = 3600;
/** Not documented; enough for every user, and few enough to be reached by a test. */
const mostEntries = 50;

const frequencies = ['HOURLY', 'DAILY', 'WEEKLY'] as const;
type Frequency = (typeof frequencies)[number];

/** How the timetable works: as usual, not at all, or with calls that fail. */
export const timetableManners = ['usual', 'silent', 'failing'] as const;
export type TimetableManner = (typeof timetableManners)[number];

interface Entry {
  id: number;
  accountId: number;
  instanceId: number;
  endpoint: string;
  method: string;
  body: unknown;
  startTime: number;
  endTime: number;
  frequency: Frequency;
  day: number | null;
  hour: number | null;
  status: 'PENDING' | 'FAILED';
  lastRun: number | null;
}

interface TimetableState {
  entries: Entry[];
  manner: TimetableManner;
}

/**
 * What the service does at a time (docs/service/timetable.md#how-it-runs). It runs each entry until it is deleted, also
 * after `end_time` and after its instance is gone, which is the worst that the public service may do.
 */
export class Timetable {
  private readonly state: TimetableState;

  constructor(
    private readonly world: World,
    private readonly lifecycle: Lifecycle,
  ) {
    this.state = world.section<TimetableState>('timetable', () => ({ entries: [], manner: 'usual' }));
    this.state.entries.forEach((entry) => this.plan(entry));
  }

  set manner(manner: TimetableManner) {
    this.state.manner = manner;
    this.world.changed();
  }

  routes(): Route[] {
    const reads = { permission: 'instance_read', everySeconds: 3.5 } as const;
    const writes = { permission: 'instance_write', everySeconds: 3.5 } as const;
    return [
      route('GET /api/v0/commands/schedule_job/', reads, (request) => ok(this.entriesOf(request).map(toRow))),
      route('POST /api/v0/commands/schedule_job/', writes, (request) => this.create(request)),
      route('PUT /api/v0/commands/schedule_job/{id}/', writes, (request) => {
        const entry = this.named(request);
        const changed = { ...entry, ...this.read(request, entry) };
        this.state.entries = this.state.entries.map((one) => (one === entry ? changed : one));
        this.plan(changed);
        return ok({ success: true, msg: 'Scheduled job updated' });
      }),
      route('DELETE /api/v0/commands/schedule_job/{id}/', writes, (request) => {
        const entry = this.named(request);
        this.state.entries = this.state.entries.filter((one) => one !== entry);
        this.world.changed();
        return ok({ success: true, msg: 'Scheduled job deleted' });
      }),
    ];
  }

  private create(request: SimRequest) {
    const wanted = this.read(request);
    const own = this.entriesOf(request);
    const same = own.find(
      (one) =>
        one.instanceId === wanted.instanceId &&
        one.endpoint === wanted.endpoint &&
        one.method === wanted.method,
    );
    if (same) {
      throw new ServiceError(422, 'job_exists', 'A scheduled job exists for this call.', {
        scheduled_job_id: same.id,
      });
    }
    if (own.length >= mostEntries) {
      throw new ServiceError(400, 'limit_exceeded', `At most ${mostEntries} scheduled jobs.`);
    }
    const id = this.world.nextId('scheduledJob', 901);
    const accountId = callerOf(request).accountId;
    const entry: Entry = { ...wanted, id, accountId, status: 'PENDING', lastRun: null };
    this.state.entries.push(entry);
    this.plan(entry);
    return ok({ success: true, scheduled_job_id: id, msg: 'Scheduled job created' });
  }

  private entriesOf(request: SimRequest): readonly Entry[] {
    const { accountId } = callerOf(request);
    return this.state.entries.filter((one) => one.accountId === accountId);
  }

  private named(request: SimRequest): Entry {
    const id = pathId(request.params['id'], 'not_found', 'Scheduled job not found');
    const entry = this.entriesOf(request).find((one) => one.id === id);
    if (!entry) {
      throw new ServiceError(404, 'not_found', 'Scheduled job not found');
    }
    return entry;
  }

  private read(request: SimRequest, before?: Entry) {
    const body = BodyReader.of(request.body);
    const need = <T>(value: T | undefined): T => {
      if (value === undefined) {
        throw new ServiceError(400, 'invalid_args', 'Invalid scheduled job.');
      }
      return value;
    };
    const frequency = need(frequencies.find((one) => one === (body.text('frequency') ?? before?.frequency)));
    const day = body.integer('day_of_the_week') ?? before?.day ?? null;
    const at = body.integer('hour_of_the_day') ?? before?.hour ?? null;
    const isPinned =
      (frequency !== 'WEEKLY' || (day !== null && day >= 0 && day <= 6)) &&
      (frequency === 'HOURLY' || (at !== null && at >= 0 && at <= 23));
    return {
      instanceId: need(body.integer('instance_id') ?? before?.instanceId),
      endpoint: need(body.text('api_endpoint') ?? before?.endpoint),
      method: need(body.text('request_method') ?? before?.method),
      body: body.object('request_body') ?? before?.body ?? {},
      startTime: need(body.number('start_time') ?? before?.startTime),
      endTime: need(body.number('end_time') ?? before?.endTime),
      frequency: need(isPinned ? frequency : undefined),
      day: frequency === 'WEEKLY' ? day : null,
      hour: frequency === 'HOURLY' ? null : at,
    };
  }

  /** Waits for the next time of an entry, 10 to 30 seconds late as the service is. */
  private plan(entry: Entry): void {
    this.world.changed();
    const late = 10 + ((entry.id * 7) % 21);
    const delay = nextRun(entry, this.world.now()) - this.world.now() + late;
    this.world.clock.schedule(() => {
      // An entry that was changed is another object.
      if (this.state.entries.includes(entry)) {
        this.run(entry);
        this.plan(entry);
      }
    }, delay * 1000);
  }

  private run(entry: Entry): void {
    const { manner } = this.state;
    if (manner === 'silent') {
      return;
    }
    entry.lastRun = Math.floor(this.world.now());
    entry.status = manner === 'failing' ? 'FAILED' : 'PENDING';
    const instance = this.world.instance(entry.instanceId);
    if (
      manner === 'failing' ||
      instance?.accountId !== entry.accountId ||
      entry.endpoint !== `/api/v0/instances/${instance.id}/`
    ) {
      return;
    }
    const state = isObject(entry.body) ? entry.body['state'] : undefined;
    this.world.ports.audit?.timetable(entry.accountId, entry.id, entry.method, { id: instance.id, state });
    if (entry.method === 'DELETE') {
      this.lifecycle.destroy(instance);
    } else if (entry.method === 'PUT' && state === 'stopped') {
      this.lifecycle.stop(instance);
    } else if (entry.method === 'PUT' && state === 'running') {
      this.lifecycle.start(instance);
    }
  }
}

/**
 * HOURLY does not wait for its start: it runs at the next full hour after it was made. The others run at their hour, which
 * is the one that their start names unless that is over (docs/service/timetable.md#how-it-runs).
 */
function nextRun({ frequency, day, hour: at }: Entry, now: number): number {
  const next = (Math.floor(now / hour) + 1) * hour;
  const isTime = (time: number) => {
    const date = new Date(time * 1000);
    return (
      (at === null || date.getUTCHours() === at) &&
      (frequency !== 'WEEKLY' || day === null || date.getUTCDay() === day)
    );
  };
  let time = next;
  while (!isTime(time)) {
    time += hour;
  }
  return time;
}

function toRow(entry: Entry) {
  return {
    id: entry.id,
    instance_id: entry.instanceId,
    api_endpoint: entry.endpoint,
    request_method: entry.method,
    request_body: entry.body,
    start_time: entry.startTime,
    end_time: entry.endTime,
    frequency: entry.frequency,
    day_of_the_week: entry.day,
    hour_of_the_day: entry.hour,
    min_of_the_hour: 0,
    status: entry.status,
    last_executed_around: entry.lastRun,
  };
}
