import type { Machine, ScheduledMaintenance } from './records/machine';
import { toDollars, type Micros } from '../model/money';
import {
  machine,
  machineList,
  maintenanceAnswer,
  minimumBidAnswer,
  type WireMachine,
  type WireMaintenanceWindow,
} from '../wire/machine';
import { defined } from '../util/defined';
import type { Client } from './client';
import type { Http } from './http';
import { readList } from './listing';
import { known, nonEmpty, price } from './modelValues';
import { read, write } from './request';

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

/** Returns the number of `3` and `3 notifications sent`; `undefined` for a text that names none, or several. */
function onlyNumber(said: string): number | undefined {
  const [number = '', another] = said.slice(0, 200).match(/\d+(?:[.,]\d+)*/g) ?? [];
  return another === undefined && /^\d{1,9}$/.test(number) && !said.includes(`-${number}`)
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
