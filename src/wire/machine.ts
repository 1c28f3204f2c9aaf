import * as z from 'zod';
import { successAnswer, id, looseBoolean, looseNumber, looseString } from './field';

/**
 * A row of GET machines (docs/service/machines.md#record). Prices are dollars: GPU an hour, storage a GB and
 * month.
 */
export const machine = z.looseObject({
  id,
  num_gpus: looseNumber,
  gpu_name: looseString,
  disk_space: looseNumber,
  hostname: looseString,
  driver_version: looseString,
  reliability2: looseNumber,
  verification: looseString,
  public_ipaddr: looseString,
  geolocation: looseString,
  num_reports: looseNumber,
  listed: looseBoolean,
  listed_gpu_cost: looseNumber,
  listed_storage_cost: looseNumber,
  listed_inet_up_cost: looseNumber,
  listed_inet_down_cost: looseNumber,
  listed_min_gpu_count: looseNumber,
  min_bid_price: looseNumber,
  credit_discount_max: looseNumber,
  gpu_occupancy: looseString,
  current_rentals_running: looseNumber,
  current_rentals_running_on_demand: looseNumber,
  current_rentals_on_demand: looseNumber,
  current_rentals_resident: looseNumber,
  timeout: looseNumber,
  end_date: looseNumber,
});
export type WireMachine = z.infer<typeof machine>;

export const machineList = z.looseObject({ machines: z.array(z.unknown()) });

/** PUT minbid; `you_sent` echoes the body. */
export const minimumBidAnswer = successAnswer.extend({
  you_sent: z.looseObject({ price: looseNumber }).optional().catch(undefined),
});

/** PUT dnotify; `you_sent` is the number of clients told, as a text. */
export const maintenanceAnswer = successAnswer.extend({ you_sent: looseString });
