import * as z from 'zod';
import { flags, id, listUnder, looseList, looseMembers, numbers, successAnswer, texts } from './field';

/** A scheduled maintenance (docs/service/machines.md#maintenance), in Unix seconds. */
const maintenanceWindow = z.looseObject({
  ...numbers('start_time', 'end_time', 'duration_hours'),
  ...texts('maintenance_category', 'maintenance_reason'),
});
/** A row of GET and POST machines/maintenances (docs/service/machines.md#windows). */
export const maintenanceRow = maintenanceWindow.extend({ id, machine_id: id, ...numbers('cancelled_at') });
export const maintenanceList = looseList('maintenances', 'results');
export type WireMaintenanceWindow = z.infer<typeof maintenanceWindow>;

/**
 * A row of GET machines (docs/service/machines.md#record). Prices are dollars: GPU an hour, storage a GB and
 * month.
 */
export const machine = z.looseObject({
  id,
  ...texts('hostname', 'public_ipaddr', 'geolocation', 'verification'),
  ...texts('gpu_name', 'gpu_occupancy', 'driver_version'),
  ...numbers('num_gpus', 'disk_space', 'reliability2', 'num_reports', 'timeout', 'end_date'),
  ...flags('listed'),
  ...numbers('listed_gpu_cost', 'listed_storage_cost', 'listed_inet_up_cost', 'listed_inet_down_cost'),
  ...numbers('listed_min_gpu_count', 'min_bid_price'),
  ...numbers('current_rentals_running', 'current_rentals_running_on_demand'),
  ...numbers('current_rentals_on_demand', 'current_rentals_resident'),
  maintenance: looseMembers(maintenanceWindow),
});
export type WireMachine = z.infer<typeof machine>;

export const machineList = listUnder('machines');

/** PUT minbid; `you_sent` echoes the body. */
export const minimumBidAnswer = successAnswer.extend({
  you_sent: z.looseObject(numbers('price')).optional().catch(undefined),
});

/** PUT dnotify; `you_sent` is the number of notified clients, as a text. */
export const maintenanceAnswer = successAnswer.extend(texts('you_sent'));
