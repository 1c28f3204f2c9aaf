import * as z from 'zod';
import { successAnswer, id, looseNumber, looseString } from './field';

/**
 * A row of GET volumes; `instances` holds ids or records (docs/service/volumes.md#record). Sizes are GB,
 * costs dollars an hour.
 */
export const volume = z.looseObject({
  id,
  label: looseString,
  disk_space: looseNumber,
  status: looseString,
  start_date: looseNumber,
  end_date: looseNumber,
  machine_id: looseNumber,
  host_id: looseNumber,
  instances: z.array(z.unknown()).optional().catch(undefined),
  disk_name: looseString,
  storage_total_cost: looseNumber,
  inet_up: looseNumber,
  inet_down: looseNumber,
  reliability2: looseNumber,
  verification: looseString,
  geolocation: looseString,
  public_ipaddr: looseString,
});
export type WireVolume = z.infer<typeof volume>;

export const volumeList = z.looseObject({ volumes: z.array(z.unknown()) });

/** A row of POST volumes/search; `storage_cost` is dollars a GB and month. */
export const volumeOffer = z.looseObject({
  id,
  machine_id: looseNumber,
  host_id: looseNumber,
  disk_space: looseNumber,
  disk_bw: looseNumber,
  disk_name: looseString,
  storage_cost: looseNumber,
  storage_total_cost: looseNumber,
  inet_up: looseNumber,
  inet_down: looseNumber,
  reliability: looseNumber,
  reliability2: looseNumber,
  duration: looseNumber,
  verification: looseString,
  geolocation: looseString,
});
export type WireVolumeOffer = z.infer<typeof volumeOffer>;

export const volumeOfferList = z.looseObject({ offers: z.array(z.unknown()) });

/** PUT volumes; the number in `volume_name` ("V.20118481") is the volume's id. */
export const createdVolume = successAnswer.extend({
  volume_name: looseString,
  volume_id: looseNumber,
  id: looseNumber,
});
