import type { Deployment } from '../model/deployment';
import { toDollars, type Micros } from '../model/money';
import { defined } from '../util/defined';
import {
  deployment,
  deploymentList,
  endpointStateAnswer,
  oneDeployment,
  type WireDeployment,
} from '../wire/deployment';
import { dayEarnings, earningsReport, machineEarnings, type WireEarned } from '../wire/earnings';
import {
  machine,
  machineList,
  maintenanceAnswer,
  maintenanceList,
  maintenanceRow,
  minimumBidAnswer,
  type WireMachine,
  type WireMaintenanceWindow,
} from '../wire/machine';
import type { Client, Listing } from './client';
import { NotUnderstoodError } from './errors';
import type { ApiRequest, CallOptions, Http } from './http';
import { readList, readRecords } from './listing';
import { amount, known, nonEmpty, price } from './modelValues';
import type { Earned, EarningsQuery } from './records/earnings';
import type { Machine, ScheduledMaintenance } from './records/machine';
import { read, sendWrite, write } from './request';

/** The host's machines (docs/service/machines.md#list). */
export function machinesApi(http: Http): Client['machines'] {
  return {
    list: (options) =>
      readList(http, read('GET /api/v0/machines/'), machineList, machine, toMachine, options),
    setMinimumBid: async (machineId, pricePerHour, options) => {
      const address = write('PUT /api/v0/machines/{machine_id}/minbid/', { machine_id: machineId });
      const request = { ...address, body: { price: toDollars(pricePerHour) } };
      const answer = await http.call(request, minimumBidAnswer, options);
      return defined<{ readonly price?: Micros }>({ price: price(answer.you_sent?.price) });
    },
    // See docs/service/machines.md#windows.
    maintenances: (machineIds, options) =>
      readWindows(
        http,
        {
          ...read('GET /api/v0/machines/maintenances'),
          query: { owner: 'me', machine_ids: JSON.stringify(machineIds) },
        },
        options,
      ),
    plannedMaintenance: (machineIds, options) =>
      readWindows(
        http,
        { ...read('POST /api/v0/machines/maintenances'), body: { machine_ids: machineIds } },
        options,
      ),
    cancelMaintenance: (id, options) =>
      sendWrite(
        http,
        { ...write('DELETE /api/v0/machines/maintenances'), body: { maintenance_id: id } },
        options,
      ),
    scheduleMaintenance: async (machineId, plan, options) => {
      const request = {
        // The documented path has no final slash (docs/service/machines.md#maintenance).
        ...write('PUT /api/v0/machines/{machine_id}/dnotify', { machine_id: machineId }),
        body: {
          sdate: new Date(plan.startsAt).toISOString(),
          duration: plan.hours,
          maintenance_reason: plan.reason,
          maintenance_category: plan.category,
        },
      };
      const answer = await http.call(request, maintenanceAnswer, options);
      return defined<{ readonly notified?: number }>({ notified: onlyNumber(answer.you_sent ?? '') });
    },
  };
}

async function readWindows(
  http: Http,
  request: ApiRequest,
  options?: CallOptions,
): Promise<Listing<ScheduledMaintenance>> {
  const { items, skipped } = await readList(
    http,
    request,
    maintenanceList,
    maintenanceRow,
    (wire) => ({
      ...toMaintenance(wire),
      id: wire.id,
      machineId: wire.machine_id,
      isCanceled: known(wire.cancelled_at) !== undefined,
    }),
    options,
  );
  return {
    items: items.flatMap(({ isCanceled, ...window }) => (isCanceled ? [] : [window])),
    skipped,
  };
}

/** Returns the number of `3` and `3 notifications sent`; `undefined` for a text that names none, or several. */
function onlyNumber(answer: string): number | undefined {
  const [number = '', another] = answer.slice(0, 200).match(/\d+(?:[.,]\d+)*/g) ?? [];
  return another === undefined && /^\d{1,9}$/.test(number) && !answer.includes(`-${number}`)
    ? Number(number)
    : undefined;
}

function toMachine(wire: WireMachine): Machine {
  return defined<Machine>({
    id: wire.id,
    hostname: nonEmpty(wire.hostname),
    gpuCount: wire.num_gpus,
    gpuName: nonEmpty(wire.gpu_name),
    diskSpaceGb: wire.disk_space,
    driverVersion: nonEmpty(wire.driver_version),
    reliability: wire.reliability2,
    verification: nonEmpty(wire.verification),
    publicIp: nonEmpty(wire.public_ipaddr),
    location: nonEmpty(wire.geolocation),
    isListed: wire.listed,
    gpuPerHour: price(wire.listed_gpu_cost),
    storagePerGbMonth: price(wire.listed_storage_cost),
    inetUpPerGb: price(wire.listed_inet_up_cost),
    inetDownPerGb: price(wire.listed_inet_down_cost),
    minBidPerHour: price(wire.min_bid_price),
    occupancy: nonEmpty(wire.gpu_occupancy),
    silentSeconds: known(wire.timeout),
    listedUntil: wire.end_date,
    maintenance: wire.maintenance?.map(toMaintenance),
  });
}

function toMaintenance(wire: WireMaintenanceWindow): ScheduledMaintenance {
  const start = known(wire.start_time);
  const hours = known(wire.duration_hours);
  const end =
    known(wire.end_time) ?? (start === undefined || hours === undefined ? undefined : start + hours * 3600);
  return defined<ScheduledMaintenance>({
    startsAt: start && start * 1000,
    endsAt: end && end * 1000,
    category: nonEmpty(wire.maintenance_category),
    reason: nonEmpty(wire.maintenance_reason),
  });
}

/** Lists, starts and stops deployments (docs/service/deployments.md#record). */
export function deploymentsApi(http: Http): Client['deployments'] {
  const move = async (request: ApiRequest, options: CallOptions | undefined) => {
    const answer = await http.call(request, endpointStateAnswer, options);
    return defined<{ endpointState?: string }>({ endpointState: nonEmpty(answer.endpoint_state) });
  };
  return {
    list: (options) =>
      readList(http, read('GET /api/v0/deployments/'), deploymentList, deployment, toDeployment, options),
    get: async (id, options) => {
      const request = read('GET /api/v0/deployment/{id}/', { id });
      const answer = await http.call(request, oneDeployment, options);
      const parsed = deployment.safeParse(answer.deployment);
      if (!parsed.success) {
        throw new NotUnderstoodError({ route: request.route, status: 200 });
      }
      return toDeployment(parsed.data);
    },
    start: (id, options) => move(write('POST /api/v0/deployment/{id}/start/', { id }), options),
    stop: (id, options) => move(write('POST /api/v0/deployment/{id}/stop/', { id }), options),
  };
}

function toDeployment(wire: WireDeployment): Deployment {
  return defined<Deployment>({
    id: wire.id,
    name: nonEmpty(wire.name),
    tag: nonEmpty(wire.tag),
    image: nonEmpty(wire.image),
    endpointState: nonEmpty(wire.endpoint_state),
    workers: wire.worker_count,
    createdAt: wire.created_at,
  });
}

const personFields = [
  'username',
  'email',
  'fullname',
  'address1',
  'address2',
  'city',
  'zip',
  'country',
  'taxinfo',
] as const;

/** Reads the earnings of a host (docs/service/billing.md#earnings). */
export function earningsApi(http: Http): Client['earnings'] {
  return {
    report: async (userId, query, options) => {
      const address = read('GET /api/v0/users/{user_id}/machine-earnings/', { user_id: userId });
      const request = { ...address, query: wireQuery(query) };
      const answer = await http.call(request, earningsReport, options);
      const context = { http, route: request.route };
      const machines = await readRecords(
        answer.per_machine ?? [],
        machineEarnings,
        (wire) => ({ machineId: wire.machine_id, ...toEarned(wire) }),
        context,
      );
      const days = await readRecords(
        answer.per_day ?? [],
        dayEarnings,
        (wire) => ({ day: wire.day, ...toEarned(wire) }),
        context,
      );
      const { summary, current } = answer;
      return defined({
        summary: defined<Earned>({
          gpu: amount(summary?.total_gpu),
          storage: amount(summary?.total_stor),
          upload: amount(summary?.total_bwu),
          download: amount(summary?.total_bwd),
        }),
        balance: amount(current?.balance),
        serviceFee: amount(current?.service_fee),
        total: amount(current?.total),
        credit: amount(current?.credit),
        perMachine: machines.items,
        perDay: days.items,
        person: personOf(answer),
        skipped: machines.skipped + days.skipped,
      });
    },
  };
}

function wireQuery({ startDay, endDay, lastDays, machineId }: EarningsQuery) {
  return { sday: startDay, eday: endDay, last_days: lastDays, machid: machineId };
}

function toEarned(wire: WireEarned): Earned {
  return defined<Earned>({
    gpu: amount(wire.gpu_earn),
    storage: amount(wire.sto_earn),
    upload: amount(wire.bwu_earn),
    download: amount(wire.bwd_earn),
  });
}

function personOf(answer: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    personFields.flatMap((name) => {
      const value = answer[name];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );
}
