import * as z from 'zod';
import { id, listUnder, numbers, successAnswer, texts } from './field';

/**
 * A row of GET volumes; `instances` holds ids or records (docs/service/volumes.md#record). Sizes are GB,
 * costs dollars an hour.
 */
export const volume = z.looseObject({
  id,
  ...texts('label', 'status', 'verification', 'geolocation', 'public_ipaddr'),
  ...numbers('disk_space', 'start_date', 'end_date', 'machine_id', 'host_id'),
  instances: z.array(z.unknown()).optional().catch(undefined),
  ...numbers('storage_total_cost', 'inet_up', 'inet_down', 'reliability2'),
});
export type WireVolume = z.infer<typeof volume>;

export const volumeList = listUnder('volumes');

/** A row of POST volumes/search; `storage_cost` is dollars a GB and month. */
export const volumeOffer = z.looseObject({
  id,
  ...numbers('machine_id', 'host_id', 'disk_space', 'disk_bw', 'storage_cost', 'storage_total_cost'),
  ...numbers('inet_up', 'inet_down', 'reliability', 'reliability2', 'duration', 'end_date'),
  ...texts('verification', 'geolocation'),
});
export type WireVolumeOffer = z.infer<typeof volumeOffer>;

export const volumeOfferList = listUnder('offers');

/** PUT volumes and POST volumes/copy; the number in `volume_name` ("V.20118481") is the volume's id. */
export const createdVolume = successAnswer.extend({
  ...texts('volume_name'),
  ...numbers('volume_id', 'id'),
});
export type WireCreatedVolume = z.infer<typeof createdVolume>;
