import { round, SeededRandom } from '../random';
import { gpuModels, type GpuModel } from './gpuModels';

/** A machine of the market; its parts never change. */
export interface Machine {
  readonly id: number;
  readonly hostId: number;
  readonly model: GpuModel;
  readonly gpus: number;
  /** GPUs that other renters hold. */
  readonly taken: number;
  /** Dollars an hour for one GPU. */
  readonly pricePerGpu: number;
  /** Dollars an hour for one GPU, interruptible, unless the host has set another. */
  readonly minBidPerGpu: number;
  readonly discount: number;
  readonly storageCost: number;
  readonly inetUpCost: number;
  readonly inetDownCost: number;
  readonly reliability: number;
  readonly verification: 'verified' | 'unverified' | 'deverified';
  readonly datacenter: boolean;
  readonly external: boolean;
  readonly staticIp: boolean;
  readonly vms: boolean;
  readonly geolocation: string | null;
  readonly publicIp: string;
  readonly cpu: CpuModel;
  readonly cpuRamMb: number;
  readonly cpuGhz: number;
  readonly mobo: string;
  readonly diskGb: number;
  readonly diskBandwidth: number;
  readonly diskName: string;
  readonly inetUp: number;
  readonly inetDown: number;
  readonly ports: number;
  readonly cuda: number;
  readonly driver: string;
  readonly os: string;
  readonly pcieBandwidth: number;
  readonly displayActive: boolean;
  /** Days from the world's beginning until the host withdraws it. */
  readonly listedDays: number;
}

interface CpuModel {
  readonly name: string;
  readonly cores: number;
  readonly arch: 'amd64' | 'arm64';
}

/** The first account rents out the machines of this host, so that the host's side can be tried. */
export const demoHostId = 60001;
const usualCount = 190;
const firstMachineId = 10_400;

const serverCpus: readonly [CpuModel, ...CpuModel[]] = [
  { name: 'AMD EPYC 7763 64-Core Processor', cores: 128, arch: 'amd64' },
  { name: 'AMD EPYC 9654 96-Core Processor', cores: 192, arch: 'amd64' },
  { name: 'AMD EPYC 7542 32-Core Processor', cores: 64, arch: 'amd64' },
  { name: 'Intel(R) Xeon(R) Platinum 8480+', cores: 112, arch: 'amd64' },
  { name: 'Intel(R) Xeon(R) Gold 6226R CPU @ 2.90GHz', cores: 64, arch: 'amd64' },
  { name: 'Neoverse-V2', cores: 72, arch: 'arm64' },
];
const deskCpus: readonly [CpuModel, ...CpuModel[]] = [
  { name: 'AMD Ryzen Threadripper PRO 5975WX', cores: 64, arch: 'amd64' },
  { name: 'AMD Ryzen 9 7950X 16-Core Processor', cores: 32, arch: 'amd64' },
  { name: 'AMD EPYC 7402P 24-Core Processor', cores: 48, arch: 'amd64' },
  { name: 'Intel(R) Core(TM) i9-13900K', cores: 32, arch: 'amd64' },
  { name: 'Intel(R) Core(TM) i7-12700K', cores: 20, arch: 'amd64' },
  { name: 'Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz', cores: 56, arch: 'amd64' },
];
const boards: readonly [string, ...string[]] = [
  'H12DSG-O-CPU',
  'ROMED8-2T',
  'X570 AORUS',
  'Z790-P',
  'MZ72-HB0',
];
const disks: readonly [string, ...string[]] = [
  'SAMSUNG MZVL22T0HBLB-00B00',
  'WD_BLACK SN850X 4000GB',
  'KIOXIA KCD61LUL7T68',
  'CT2000P3SSD8',
];
const places: readonly [Place, ...Place[]] = [
  { text: 'California, US', weight: 12 },
  { text: 'Texas, US', weight: 10 },
  { text: 'Washington, US', weight: 6 },
  { text: 'New York, US', weight: 6 },
  { text: 'US', weight: 6 },
  { text: ', US', weight: 2 },
  { text: 'Sweden, SE', weight: 8 },
  { text: 'Germany, DE', weight: 8 },
  { text: 'Netherlands, NL', weight: 5 },
  { text: 'Norway, NO', weight: 6 },
  { text: 'Poland, PL', weight: 5 },
  { text: 'Czechia, CZ', weight: 5 },
  { text: 'Spain, ES', weight: 4 },
  { text: 'United Kingdom, GB', weight: 5 },
  { text: 'Ukraine, UA', weight: 3 },
  { text: 'Quebec, CA', weight: 7 },
  { text: 'Japan, JP', weight: 5 },
  { text: 'South Korea, KR', weight: 5 },
  { text: 'Taiwan, TW', weight: 4 },
  { text: 'Vietnam, VN', weight: 3 },
  { text: 'Australia, AU', weight: 3 },
  { text: 'Brazil, BR', weight: 2 },
  { text: null, weight: 2 },
];
interface Place {
  readonly text: string | null;
  readonly weight: number;
}
const drivers: readonly [Driver, ...Driver[]] = [
  { cuda: 12.8, text: '570.124.04' },
  { cuda: 12.8, text: '570.86.15' },
  { cuda: 13, text: '580.65.06' },
  { cuda: 12.4, text: '550.144.03' },
  { cuda: 12.2, text: '535.216.01' },
];
interface Driver {
  readonly cuda: number;
  readonly text: string;
}

/** Machines with a driver that many images are too new for, and with fewer ports than a rental may need. */
const oldDriver: Driver = { cuda: 12.2, text: '535.54.03' };
const olderDriver: Driver = { cuda: 11.4, text: '470.82.01' };

function unusualDriver(index: number, model: GpuModel): Driver | undefined {
  if (model.computeCap < 890 && index % 41 === 9) {
    return olderDriver;
  }
  return model.computeCap < 1000 && index % 23 === 7 ? oldDriver : undefined;
}

function portsOf(index: number, usual: number): number {
  return index % 19 === 5 ? 1 + (index % 3) : usual;
}

/** The machines of a seed: the same ones each time. Every model is there at least twice. */
export function makeMachines(seed: number, count = usualCount): readonly Machine[] {
  const random = new SeededRandom(seed);
  const [first, ...others] = gpuModels;
  if (!first) {
    return [];
  }
  return Array.from({ length: count }, (_, index) => {
    const model = gpuModels[index >> 1] ?? random.weighted([first, ...others]);
    return makeMachine(random, index, model);
  });
}

function makeMachine(random: SeededRandom, index: number, model: GpuModel): Machine {
  const datacenter = model.datacenter ? random.chance(0.8) : random.chance(0.18);
  const gpus = random.pick(model.counts);
  const quality = random.next();
  const pricePerGpu = round(model.price * random.between(0.78, 1.3) * (datacenter ? 1.1 : 1), 4);
  const cpu = gpus > 2 || datacenter ? random.pick(serverCpus) : random.pick(deskCpus);
  const usualDriver = model.computeCap >= 1000 ? drivers[random.integer(0, 2)] : random.pick(drivers);
  const driver = unusualDriver(index, model) ?? usualDriver;
  const inetDown = round(datacenter ? random.between(900, 9400) : random.between(60, 1900), 1);
  const hosted = index % 63 === 20;
  return {
    id: firstMachineId + index * 7 + random.integer(0, 6),
    hostId: hosted ? demoHostId : demoHostId + 1 + random.integer(0, 89),
    model,
    gpus,
    taken: !hosted && random.chance(0.3) ? random.integer(1, gpus) : 0,
    pricePerGpu,
    minBidPerGpu: round(pricePerGpu * random.between(0.35, 0.7), 4),
    discount: round(random.between(0, 0.4), 2),
    storageCost: round(random.between(0.08, 0.25), 3),
    inetUpCost: round(random.chance(0.25) ? 0 : random.between(0.001, 0.02), 4),
    inetDownCost: round(random.chance(0.25) ? 0 : random.between(0.001, 0.015), 4),
    reliability: round(
      datacenter ? random.between(0.985, 0.9999) : 0.9995 - (1 - quality) ** 3 * random.between(0.02, 0.2),
      4,
    ),
    verification: random.chance(datacenter ? 0.96 : 0.84)
      ? 'verified'
      : random.chance(0.15)
        ? 'deverified'
        : 'unverified',
    datacenter,
    external: random.chance(0.03),
    staticIp: datacenter || random.chance(0.5),
    vms: random.chance(0.18),
    geolocation: random.weighted(places).text,
    // Addresses that are reserved for documentation (RFC 5737).
    publicIp: `${random.chance(0.5) ? '203.0.113' : '198.51.100'}.${1 + (index % 254)}`,
    cpu,
    cpuRamMb: random.pick([64, 128, 256, 512]) * 1007 * (gpus > 4 ? 2 : 1),
    cpuGhz: round(random.between(2.2, 5.1), 1),
    mobo: random.pick(boards),
    diskGb: round(random.between(120, 1100) * (datacenter ? 3 : 1) + gpus * 90, 1),
    diskBandwidth: round(random.between(450, 7200), 1),
    diskName: random.pick(disks),
    inetUp: round(inetDown * random.between(0.3, 1), 1),
    inetDown,
    ports: portsOf(index, random.chance(0.08) ? 0 : random.pick([16, 50, 100, 249, 500])),
    cuda: driver?.cuda ?? 12.8,
    driver: driver?.text ?? '570.124.04',
    os: random.chance(0.7) ? '22.04' : '24.04',
    pcieBandwidth: round(random.between(6, 12.6) * (model.pciGen - 2), 1),
    displayActive: !datacenter && random.chance(0.08),
    listedDays: round(random.between(4, 340), 2),
  };
}
