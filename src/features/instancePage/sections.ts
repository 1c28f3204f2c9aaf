import { localize, t } from '../../editor/localize';
import { pricePerDay, pricePerHour } from '../../editor/priceText';
import { momentText, secondText } from '../../editor/timeText';
import {
  columnEnds,
  columnMs,
  columnValues,
  gaugeNames,
  gaugesOf,
  type GaugeName,
  type GaugeReading,
} from '../../model/instances/gauges';
import { gpuColumns, type GpuReading } from '../../model/instances/gpuReading';
import type { Instance } from '../../model/instances/instance';
import { stoppedCostPerDay } from '../../model/instances/instanceCost';
import { displayLabel } from '../../model/instances/instanceLabel';
import { formatMoney } from '../../model/money';
import { soldGpuGb } from '../../model/offers/gpuMemory';
import { placeText } from '../../model/offers/places';
import type { MachineProof } from '../../model/proof/machineProof';
import { runtypeName, templateRuntype } from '../../model/rentals/rentPlan';
import { plainLabel } from '../../util/plainLabel';
import type { ReportView } from '../../webview/report/protocol';

type Section = ReportView['sections'][number];
type Buttons = ReportView['buttons'];
type Cell = Section['table']['rows'][number]['cells'][number];
type Fact = readonly [label: string, value: string | undefined];

/** A row of a table of the page. */
export interface PageRow {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  /** What it does with the instance when it ends. */
  readonly ends?: string | undefined;
  /** The accessible name of what a click does. */
  readonly action?: string | undefined;
}

/** Returns a table of names and values, without the unknown ones. */
export function factsSection(
  id: string,
  title: string,
  facts: readonly Fact[],
  buttons: Buttons = [],
): Section {
  const rows = facts.flatMap(([label, value], index) => {
    const plain = plainLabel(value ?? '');
    return plain === '' ? [] : [{ id: String(index), cells: [{ text: label }, { text: plain }] }];
  });
  return { id, title, folded: false, table: { caption: title, columns: [], rows }, buttons };
}

/** Returns the end of the log, below everything else. */
export function logOutput(text: string, buttons: Buttons): NonNullable<ReportView['output']> {
  return { title: t('Last Lines of the Log'), text, buttons };
}

/** Returns a table of things with their state; nothing without rows and buttons. */
export function rowsSection(
  id: string,
  title: string,
  caption: string,
  rows: readonly PageRow[],
  buttons: Buttons = [],
): readonly Section[] {
  const columns = [t('Name'), t('State')].map((label) => ({ label, numeric: false }));
  const all = rows.map(({ id: row, name, state, action }) => ({
    id: row,
    cells: [{ text: plainLabel(name) }, { text: plainLabel(state) }],
    ...(action === undefined ? {} : { action }),
  }));
  return all.length === 0 && buttons.length === 0
    ? []
    : [{ id, title, folded: false, table: { caption, columns, rows: all }, buttons }];
}

/** Returns the last hour as lines with their table; nothing without two readings to compare. */
export function useSection(history: readonly GaugeReading[], at: number): readonly Section[] {
  // Columns that move with the clock would be drawn again with each list.
  const now = Math.ceil(at / columnMs) * columnMs;
  const columns = gaugeNames
    .map((name) => ({ name: gaugeLabel(name), values: columnValues(history, name, now) }))
    .filter(({ values }) => values.filter((value) => value !== undefined).length > 1);
  if (columns.length === 0) {
    return [];
  }
  const times = columnEnds(now).map((end) => momentText(end, end));
  const caption = t('Use in percent, mean of 3 minutes');
  return [linesSection('use', t('Use in the Last Hour'), caption, times, columns)];
}

/** Returns lines of percentages over the times, with their table. */
function linesSection(
  id: string,
  title: string,
  caption: string,
  times: readonly string[],
  columns: readonly { readonly name: string; readonly values: readonly (number | undefined)[] }[],
): Section {
  const rows = times.map((time, index) => ({
    id: String(index),
    cells: [
      { text: time, sort: index },
      ...columns.map(({ values }) => {
        const value = values[index];
        return value === undefined ? { text: '–' } : { text: percent(value), sort: value };
      }),
    ],
  }));
  return {
    id,
    title,
    folded: true,
    chart: {
      kind: 'lines',
      unit: '%',
      categories: [...times],
      series: columns.map(({ name, values }) => ({ name, values: values.map((value) => value ?? null) })),
    },
    table: {
      caption,
      columns: [
        { label: t('Time'), numeric: false },
        ...columns.map(({ name }) => ({ label: name, numeric: true })),
      ],
      rows: rows.filter((row) => row.cells.slice(1).some(({ text }) => text !== '–')),
    },
  };
}

function gaugeLabel(name: GaugeName): string {
  switch (name) {
    case 'gpu':
      return t('GPU');
    case 'memory':
      return t('RAM');
    case 'disk':
      return t('Disk');
    case 'cpu':
      return t('CPU');
  }
}

function percent(value: number): string {
  return `${Math.round(value)} %`;
}

/**
 * Returns each GPU by itself, as the machine reported it last and as lines; nothing before it was read. The service states
 * one figure for all of them.
 */
export function gpuSections(
  readings: readonly GpuReading[],
  now: number,
  buttons: Buttons,
): readonly Section[] {
  const reading = readings.at(-1);
  if (!reading) {
    return [];
  }
  const rows = reading.gpus.map(({ index, percent: use, usedMb, memoryMb, celsius, watts, limitWatts }) => ({
    id: String(index),
    cells: [
      { text: t('GPU {0}', index), sort: index },
      figure(use, 100, ' %'),
      figure(usedMb && usedMb / 1024, memoryMb && memoryMb / 1024, ' GB'),
      figure(celsius, undefined, ' °C'),
      figure(watts, limitWatts, ' W'),
    ],
  }));
  const columns = [
    { label: t('GPU'), numeric: false },
    ...[t('Use'), t('Memory'), t('Temperature'), t('Power')].map((label) => ({ label, numeric: true })),
  ];
  const caption = t('As read from the machine at {0}', momentText(reading.at, now));
  return [
    { id: 'gpus', title: t('GPUs'), folded: false, table: { caption, columns, rows }, buttons },
    ...gpuLines(readings),
  ];
}

function gpuLines(readings: readonly GpuReading[]): readonly Section[] {
  const { ends, gpus } = gpuColumns(readings);
  const shown = gpus.filter(({ values }) => values.filter((value) => value !== undefined).length > 1);
  if (shown.length === 0) {
    return [];
  }
  const title = t('{0}: {1}', t('GPUs'), t('Use in the Last Hour'));
  const columns = shown.map(({ index, values }) => ({ name: t('GPU {0}', index), values }));
  return [linesSection('gpuLines', title, title, ends.map(secondText), columns)];
}

/** Returns a figure with its limit, which a bar shows as well. */
function figure(value: number | undefined, most: number | undefined, unit: string): Cell {
  if (value === undefined) {
    return { text: '–' };
  }
  const whole = most === undefined || unit === ' %' ? '' : ` / ${Math.round(most)}`;
  const share = most === undefined || most <= 0 ? undefined : Math.min(value / most, 1);
  return {
    text: `${Math.round(value)}${whole}${unit}`,
    sort: value,
    ...(share === undefined ? {} : { share }),
  };
}

/** Returns the parts of the machine with their use now; a stopped one keeps old figures, which are left out. */
export function machineSection(
  instance: Instance,
  {
    isRunning,
    proof,
    isEachShown = false,
    hostKey,
    buttons = [],
  }: {
    readonly isRunning: boolean;
    /** True if another part shows each GPU. */
    readonly isEachShown?: boolean;
    /** What it proved to be since it started. */
    readonly proof?: MachineProof | undefined;
    /** How its host key was checked. */
    readonly hostKey?: string | undefined;
    readonly buttons?: Buttons;
  },
): Section {
  const { gpuName, gpuCount, gpuRamMb, gpuTemperature, cpuCores, cpuRamMb, diskSpaceGb } = instance;
  const gauges = isRunning ? gaugesOf(instance) : {};
  const used = (whole: string | undefined, use: number | undefined) =>
    joined([whole, use === undefined ? undefined : t('{0} in use', percent(use))]);
  const memory = (mb: number | undefined) => (mb === undefined ? undefined : t('{0} GB', soldGpuGb(mb)));
  const gpus = proof?.gpus ?? [];
  const facts: readonly Fact[] = [
    [
      t('GPU'),
      joined([
        gpuName === undefined ? undefined : `${gpuCount ?? 1}× ${gpuName}`,
        memory(gpuRamMb),
        gauges.gpu === undefined ? undefined : t('{0} in use', percent(gauges.gpu)),
        isRunning && gpuTemperature !== undefined ? `${Math.round(gpuTemperature)} °C` : undefined,
      ]),
    ],
    // As the machine itself reported them, one by one.
    ...(gpus.length > 1 && !isEachShown ? gpus : []).map(({ name, memoryMb }, index): Fact => [
      t('GPU {0}', index),
      joined([name, memory(memoryMb)]),
    ]),
    [t('CPU cores'), used(cpuCores === undefined ? undefined : String(cpuCores), gauges.cpu)],
    [
      t('RAM'),
      used(cpuRamMb === undefined ? undefined : t('{0} GB', Math.round(cpuRamMb / 1024)), gauges.memory),
    ],
    [
      t('Disk'),
      used(diskSpaceGb === undefined ? undefined : t('{0} GB', Math.round(diskSpaceGb)), gauges.disk),
    ],
    [
      t('Network'),
      joined([
        instance.inetDownPerGb === undefined
          ? undefined
          : t('download {0}/GB', formatMoney(instance.inetDownPerGb)),
        instance.inetUpPerGb === undefined
          ? undefined
          : t('upload {0}/GB', formatMoney(instance.inetUpPerGb)),
      ]),
    ],
    [
      t('Driver'),
      joined([
        proof?.driver ?? instance.driverVersion,
        instance.cudaVersion === undefined ? undefined : `CUDA ${instance.cudaVersion}`,
      ]),
    ],
    [t('Host key of the instance'), hostKey],
  ];
  return factsSection('machine', t('Machine'), facts, buttons);
}

/** Returns how it was rented. The values of variables, scripts and arguments may be secret and are left out. */
export function configurationSection(instance: Instance, now: number, buttons: Buttons = []): Section {
  const {
    env = [],
    onstart = '',
    totalPerHour,
    bidPerHour,
    isInterruptible,
    startedAt,
    machineId,
  } = instance;
  const stopped = stoppedCostPerDay(instance);
  const facts: readonly Fact[] = [
    [t('Label'), displayLabel(instance)],
    [t('Image'), instance.image],
    [t('Template'), instance.templateName],
    [t('Run type'), runtypeText(instance)],
    // Ports are listed among the services.
    [
      t('Environment'),
      env
        .map(([name]) => name)
        .filter((name) => !name.startsWith('-'))
        .join(' '),
    ],
    [t('On-start script'), onstart === '' ? undefined : t('Yes')],
    [t('Rented'), startedAt === undefined ? undefined : momentText(startedAt * 1000, now)],
    [
      t('Rental type'),
      isInterruptible === undefined ? undefined : isInterruptible ? t('Interruptible') : t('On demand'),
    ],
    [t('Bid'), bidPerHour === undefined ? undefined : pricePerHour(bidPerHour)],
    [t('Running'), totalPerHour === undefined ? undefined : pricePerHour(totalPerHour)],
    [t('Stopped'), stopped === undefined ? undefined : t('{0} for storage', pricePerDay(stopped))],
    [t('Machine'), machineId === undefined ? undefined : `#${machineId}`],
    [t('Location'), placeText(instance.location ?? '')],
  ];
  return factsSection('configuration', t('Configuration'), facts, buttons);
}

/** A record states several words for what was chosen as one. */
function runtypeText({ runtype }: Instance): string | undefined {
  return runtype !== undefined && /ssh|jupyter|args/.test(runtype)
    ? localize(runtypeName(templateRuntype({ runtype })))
    : runtype;
}

function joined(parts: readonly (string | undefined)[]): string | undefined {
  const known = parts.filter((part) => part !== undefined && part !== '');
  return known.length === 0 ? undefined : known.join(' · ');
}
