import type { Volume, VolumeOffer, VolumeSearch } from '../model/volume';
import { defined } from '../util/defined';
import {
  createdVolume,
  volume,
  volumeList,
  volumeOffer,
  volumeOfferList,
  type WireCreatedVolume,
  type WireVolume,
  type WireVolumeOffer,
} from '../wire/volume';
import type { Client } from './client';
import type { Http } from './http';
import { readList, readSearch } from './listing';
import { known, nonEmpty, price } from './modelValues';
import { read, sendWrite, write } from './request';

/** Lists, searches, rents, clones and deletes volumes (docs/service/volumes.md#list). */
export function volumesApi(http: Http): Client['volumes'] {
  return {
    list: (options) => {
      const request = { ...read('GET /api/v0/volumes/'), query: { owner: 'me', type: 'all_volume' } };
      return readList(http, request, volumeList, volume, toVolume, options);
    },
    search: (search, options) => {
      const request = { ...read('POST /api/v0/volumes/search/'), body: searchBody(search) };
      return readSearch(http, request, volumeOfferList, volumeOffer, toVolumeOffer, options);
    },
    create: async ({ offerId, sizeGb, name }, options) => {
      const body = { id: offerId, size: sizeGb, name: nonEmpty(name) };
      return idIn(await http.call({ ...write('PUT /api/v0/volumes/'), body }, createdVolume, options));
    },
    clone: async ({ volumeId, offerId, sizeGb }, options) => {
      const body = { src_id: volumeId, dst_id: offerId, size: sizeGb };
      return idIn(await http.call({ ...write('POST /api/v0/volumes/copy/'), body }, createdVolume, options));
    },
    remove: (id, options) => sendWrite(http, { ...write('DELETE /api/v0/volumes/'), body: { id } }, options),
  };
}

/** The number in "V.20118481" is the volume's id (docs/service/volumes.md#rent). */
function idIn({ volume_id, volume_name }: WireCreatedVolume): { readonly id?: number } {
  const named = Number(/(?<!\d)(\d+)\s*$/.exec(volume_name ?? '')?.[1]);
  const id = volume_id ?? (Number.isInteger(named) ? named : undefined);
  return id === undefined ? {} : { id };
}

function searchBody({ machineId, leastSizeGb, isVerified, limit }: VolumeSearch): Record<string, unknown> {
  return {
    machine_id: machineId === undefined ? undefined : { eq: machineId },
    disk_space: { gte: leastSizeGb ?? 1 },
    ...(isVerified === true ? { verified: { eq: true }, external: { eq: false } } : {}),
    order: [['storage_cost', 'asc']],
    limit,
    allocated_storage: leastSizeGb ?? 1,
  };
}

function toVolume(wire: WireVolume): Volume {
  return defined<Volume>({
    id: wire.id,
    label: nonEmpty(wire.label),
    sizeGb: known(wire.disk_space),
    status: nonEmpty(wire.status),
    machineId: wire.machine_id,
    location: nonEmpty(wire.geolocation),
    instanceIds: wire.instances?.flatMap(instanceId),
    perHour: price(wire.storage_total_cost),
    createdAt: wire.start_date,
    endsAt: wire.end_date,
  });
}

/** Reads a record, or the bare number that other clients receive (docs/service/volumes.md#record). */
function instanceId(value: unknown): number[] {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : value;
  const number = typeof id === 'number' || typeof id === 'string' ? Number(id) : Number.NaN;
  return Number.isInteger(number) && number > 0 ? [number] : [];
}

function toVolumeOffer(wire: WireVolumeOffer): VolumeOffer {
  return defined<VolumeOffer>({
    id: wire.id,
    machineId: wire.machine_id,
    sizeGb: known(wire.disk_space),
    diskMbPerSecond: known(wire.disk_bw),
    perGbMonth: price(wire.storage_cost),
    reliability: wire.reliability ?? wire.reliability2,
    location: nonEmpty(wire.geolocation),
    durationSeconds: known(wire.duration),
    endsAt: wire.end_date,
  });
}
