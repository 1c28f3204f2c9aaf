import type { GpuFault, MachineProof, ProvedGpu } from '../model/proof/machineProof';
import { defined } from '../util/defined';
import { plainText } from './plainText';

/** The first line of our output; earlier text comes from the machine's greeting or a startup file. */
export const proofGreeting = 'gpu-rental proof';

export type ProofAnswer =
  | { readonly kind: 'proof'; readonly proof: MachineProof }
  /** Another window or computer is running the check now. */
  | { readonly kind: 'busy' }
  /** Neither the disk nor the memory has room for a small file. */
  | { readonly kind: 'noRoom' }
  /** The output is incomplete: the connection was cut, or the machine ended the shell. */
  | { readonly kind: 'cut' };

/** The script prints a few kilobytes; longer output is not its own. */
const longestAnswer = 32_768;
const longestName = 80;
const mostGpus = 64;
/** Docker containers can see the log of a host that has run for months. */
const recentSeconds = 24 * 3600;
/** Errors that NVIDIA attributes to the hardware or its firmware (docs/proof.md#xid). */
const hardwareXids = new Set([48, 62, 63, 64, 74, 79, 92, 94, 95, 119, 120]);
/** The exit codes that the script reports for a tool that was ended, and a shell for a missing one. */
const code = { ok: '0', ended: '124', missing: '127' };

/** Parses the output of `gpuProbe.sh`; other lines are ignored. Returns `undefined` if none of it is there. */
export function parseProof(stdout: string, at: number): ProofAnswer | undefined {
  const lines = stdout.slice(0, longestAnswer).split(/\r?\n/);
  const start = lines.indexOf(proofGreeting);
  if (start < 0) {
    return undefined;
  }
  const report = lines.slice(start + 1);
  const end = report.indexOf('end');
  if (end < 0) {
    return { kind: report.includes('busy') ? 'busy' : report.includes('no-room') ? 'noRoom' : 'cut' };
  }
  const all = new Report(report.slice(0, end));
  // Each look with enough room also reports whether the driver's tool ended.
  return /^\d{1,3}$/.test(all.code('smi') ?? '')
    ? { kind: 'proof', proof: proofOf(all, at) }
    : { kind: 'cut' };
}

/** The output lines, by the name that each begins with. */
class Report {
  constructor(private readonly lines: readonly string[]) {}

  of(name: string): readonly string[] {
    return this.lines
      .filter((line) => line.startsWith(`${name} `))
      .map((line) => line.slice(name.length + 1).trim());
  }

  code(name: string): string | undefined {
    return this.of(`${name}-code`)[0];
  }

  /** Returns the first group of the pattern in each matching line. */
  all(name: string, pattern: RegExp): readonly string[] {
    return this.of(name).flatMap((line) => pattern.exec(line)?.[1] ?? []);
  }
}

function proofOf(report: Report, at: number): MachineProof {
  const rows = report.of('smi').flatMap((line) => readRow(line) ?? []);
  const found = gpusOf(report, rows);
  const isPartitioned = rows.some(({ mig }) => mig === 'Enabled');
  return defined<MachineProof>({
    at,
    ...found,
    driver:
      rows.find((row) => row.driver !== undefined)?.driver ??
      report.all('look', /^driver (\d[\d.]{0,20})$/)[0],
    cuda: report.all('table', /CUDA(?: [A-Z]+)? Version:\s*(\d{1,3}\.\d{1,2})\b/)[0],
    mig: isPartitioned,
    migDevices: isPartitioned ? migDevices(report) : undefined,
    faults:
      found.kind === 'amd'
        ? rasFaults(report)
        : [...toolFaults(report, rows), ...eccFaults(rows), ...xidFaults(report), ...clockFaults(report)],
    disk: diskOf(report),
  });
}

/** A line of the driver's tool, with `undefined` for values that it does not report, as `[N/A]`. */
interface Row {
  readonly index: number;
  readonly name: string | undefined;
  readonly memoryMb: number | undefined;
  readonly driver: string | undefined;
  readonly ecc: number | undefined;
  readonly mig: string | undefined;
  /** The text in place of figures when a GPU does not work. */
  readonly broken: string | undefined;
}

function readRow(line: string): Row | undefined {
  const cells = line.split(',').map((cell) => cell.trim());
  const [index, name, memory, driver, ecc, mig] = cells;
  if ((cells.length !== 4 && cells.length !== 6) || index === undefined || !/^\d{1,2}$/.test(index)) {
    return undefined;
  }
  return {
    index: Number(index),
    name: readName(name),
    memoryMb: readCount(memory),
    driver: /^\d[\d.]{0,20}$/.test(driver ?? '') ? driver : undefined,
    ecc: readCount(ecc),
    mig,
    broken: cells.find((cell) => /\b(?:lost|unknown error|requires reset|err!)/i.test(cell)),
  };
}

function readName(cell: string | undefined): string | undefined {
  const name = plainText(cell ?? '').slice(0, longestName);
  return /^[A-Za-z][\w .()/+-]*$/.test(name) ? name : undefined;
}

function readCount(cell: string | undefined): number | undefined {
  return cell !== undefined && /^\d{1,9}$/.test(cell) ? Number(cell) : undefined;
}

/** Returns the GPUs by the driver's tool if it exists, then by the driver itself, then by the device files. */
function gpusOf(report: Report, rows: readonly Row[]): Pick<MachineProof, 'kind' | 'gpus'> {
  const working = rows.filter(({ broken }) => broken === undefined);
  if (rows.length > 0 || report.code('smi') !== code.missing) {
    const gpus = working.map(({ name, memoryMb }) => defined<ProvedGpu>({ name, memoryMb }));
    return { kind: 'nvidia', gpus: gpus.slice(0, mostGpus) };
  }
  const models = report.all('look', /^model (.+)$/);
  const devices = report.of('look').filter((line) => line === 'device nvidia');
  if (models.length + devices.length > 0) {
    const known = models.map((model) => defined<ProvedGpu>({ name: readName(model) }));
    return { kind: 'nvidia', gpus: (known.length > 0 ? known : devices.map(() => ({}))).slice(0, mostGpus) };
  }
  const amd = report.of('look').flatMap((line) => readAmd(line) ?? []);
  return amd.length > 0 ? { kind: 'amd', gpus: amd.slice(0, mostGpus) } : { kind: 'none', gpus: [] };
}

/** Parses bytes, 0 if unknown, and the name if the driver has one. */
function readAmd(line: string): ProvedGpu | undefined {
  const [, bytes, name] = /^amd (\d{1,15})(?: (.*))?$/.exec(line) ?? [];
  if (bytes === undefined) {
    return undefined;
  }
  const memoryMb = Math.floor(Number(bytes) / 1024 ** 2);
  return defined<ProvedGpu>({ name: readName(name), memoryMb: memoryMb > 0 ? memoryMb : undefined });
}

function migDevices(report: Report): readonly string[] | undefined {
  return report.code('parts') === code.ok
    ? report.all('parts', /^MIG (\d{1,2}(?:c\.\d{1,2})?g\.\d{1,3}gb\S{0,12})\s/).slice(0, mostGpus)
    : undefined;
}

function toolFaults(report: Report, rows: readonly Row[]): readonly GpuFault[] {
  const ended = report.code('smi');
  if (ended === code.missing && rows.length === 0) {
    return [{ kind: 'smiMissing' }];
  }
  if (ended === code.ended) {
    return [{ kind: 'smiHung' }];
  }
  const broken = rows.flatMap((row) =>
    row.broken === undefined
      ? []
      : [{ kind: 'smiFailed' as const, gpu: row.index, detail: plainText(row.broken) }],
  );
  if (broken.length > 0) {
    return broken;
  }
  const last = report.of('smi').findLast((line) => line !== '' && readRow(line) === undefined);
  return ended === code.ok && rows.length > 0
    ? []
    : [defined<GpuFault>({ kind: 'smiFailed', detail: last === undefined ? undefined : plainText(last) })];
}

function eccFaults(rows: readonly Row[]): readonly GpuFault[] {
  return rows.flatMap(({ index, ecc = 0 }) => (ecc > 0 ? [{ kind: 'ecc', gpu: index, number: ecc }] : []));
}

/**
 * Returns the error counts of AMD's driver, which counts for each part of a GPU; the script adds them up
 * (docs/proof.md#errors-of-amd-gpus).
 */
function rasFaults(report: Report): readonly GpuFault[] {
  return report.of('look').flatMap((line) => {
    const [, gpu, number] = /^amd-errors (\d{1,2}) (\d{1,12})$/.exec(line) ?? [];
    return Number(number) > 0 ? [{ kind: 'ras' as const, gpu: Number(gpu), number: Number(number) }] : [];
  });
}

/** Returns each code once. */
function xidFaults(report: Report): readonly GpuFault[] {
  const up = Number(report.all('kernel', /^up (\d{1,10})$/)[0] ?? NaN);
  const codes = report.of('kernel').flatMap((line) => {
    const [, seconds, xid] = /^xid (\d{1,10}) (\d{1,4}) \S/.exec(line) ?? [];
    return up - Number(seconds) < recentSeconds && hardwareXids.has(Number(xid)) ? [Number(xid)] : [];
  });
  return [...new Set(codes)].map((number) => ({ kind: 'xid', number }));
}

/** Slowed down by the hardware, by heat in the driver's or the hardware's view, or by the power supply. */
const slowedBits = 0x8 | 0x20 | 0x40 | 0x80;

/** Returns the GPUs that were slowed down both times: a moment is no fault. */
function clockFaults(report: Report): readonly GpuFault[] {
  const seen = report.of('clocks').flatMap((line) => {
    const [, gpu, bits] = /^(\d{1,2}), 0x([0-9a-f]{1,16})$/i.exec(line) ?? [];
    return bits === undefined
      ? []
      : [{ gpu: Number(gpu), isSlowed: (parseInt(bits.slice(-8), 16) & slowedBits) !== 0 }];
  });
  return [...new Set(seen.map(({ gpu }) => gpu))].slice(0, mostGpus).flatMap((gpu) => {
    const looks = seen.filter((one) => one.gpu === gpu);
    return looks.length > 1 && looks.every(({ isSlowed }) => isSlowed)
      ? [{ kind: 'slowed' as const, gpu }]
      : [];
  });
}

function diskOf(report: Report): MachineProof['disk'] {
  const lines = report.of('disk');
  const sizes = lines.flatMap((line) => {
    const [, size, free] = /\s(\d{1,15})\s+\d+\s+(\d{1,15})\s+\d+%\s/.exec(line) ?? [];
    return size === undefined || free === undefined ? [] : [{ sizeGb: toGb(size), freeGb: toGb(free) }];
  });
  const speeds = lines.flatMap((line) => {
    const [, bytes, seconds] =
      /^(\d{1,12}) bytes .*copied, (\d{1,4}(?:\.\d{1,9})?(?:e-\d\d?)?) s/.exec(line) ?? [];
    const rate = Number(bytes) / 1e6 / Number(seconds);
    return Number.isFinite(rate) && rate > 0 ? [rate] : [];
  });
  // The rented disk comes first, before that of the home folder. The larger test write comes last and measures more
  // accurately.
  return defined<MachineProof['disk']>({ ...sizes[0], mbPerSecond: speeds.at(-1) });
}

function toGb(kilobytes: string): number {
  return (Number(kilobytes) * 1024) / 1e9;
}
