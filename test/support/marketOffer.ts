import { fromDollars } from '../../src/model/money';
import type { Offer } from '../../src/model/offers/offer';

/** A believable offer; each call without an id is the same one. */
export function marketOffer(changes: Partial<Offer> = {}): Offer {
  return {
    id: 1001,
    machineId: 501,
    gpuName: 'RTX 4090',
    gpuCount: 1,
    gpuRamMb: 24_564,
    cudaVersion: 12.8,
    computeCapability: 890,
    cpuCores: 16,
    cpuRamMb: 64_000,
    diskSpaceGb: 500,
    inetDownMbit: 900,
    inetUpMbit: 400,
    directPorts: 20,
    location: 'Sweden, SE',
    countryCode: 'SE',
    gpuPerHour: fromDollars(0.4),
    // 20 GB of disk at $0.15 a GB and month.
    totalPerHour: fromDollars(0.4 + (20 * 0.15) / 720),
    storagePerGbMonth: fromDollars(0.15),
    minBidPerHour: fromDollars(0.2),
    inetDownPerGb: fromDollars(0.004),
    inetUpPerGb: fromDollars(0.002),
    reliability: 0.997,
    verified: true,
    rentable: true,
    datacenter: false,
    durationSeconds: 30 * 86_400,
    dlperfPerDollar: 300,
    score: 100,
    ...changes,
  };
}

/** The offer as of a service that does not state some members. */
export function lacking(offer: Offer, ...keys: readonly Exclude<keyof Offer, 'id'>[]): Offer {
  const kept = Object.entries(offer).filter(([key]) => !(keys as readonly string[]).includes(key));
  return { id: offer.id, ...Object.fromEntries(kept) };
}
