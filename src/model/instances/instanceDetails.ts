import { formatText } from '../../util/text';
import { formatMoney, type Micros } from '../money';
import { perHour, runningRateOf } from '../quote';
import { chartOf, gaugeNames, gaugesOf, type GaugeReading, type Gauges } from './gauges';
import type { Instance } from './instance';
import { costSoFar, stoppedCostPerDay } from './instanceCost';
import { displayLabel } from './instanceLabel';
import { intentOf, stateLabel, stateOf, type InstanceFacts } from './instanceState';

const mask = '•••';

/** Returns an instance as JSON to read, with units in the names. Values that may be secret are masked. */
export function detailsDocument(
  instance: Instance,
  facts: InstanceFacts,
  now: number,
  history: readonly GaugeReading[] = [],
  /** The result of the last check of the machine. */
  check?: string,
): string {
  const kind = stateOf(instance, facts, now);
  const running = runningRateOf(instance);
  const {
    env,
    onstart,
    args,
    jupyterToken,
    totalPerHour,
    gpuPerHour,
    storagePerHour,
    storagePerMonth,
    ...rest
  } = instance;
  const { inetUpPerGb, inetDownPerGb, bidPerHour, ...record } = rest;
  return `${JSON.stringify(
    {
      id: instance.id,
      name: displayLabel(instance),
      state: formatText(stateLabel(instance, kind)),
      meantTo: intentOf(instance, facts) === 'running' ? 'run' : 'be stopped',
      cost: {
        runningPerHour: money(running === undefined ? totalPerHour : perHour(running)),
        gpuPerHour: money(gpuPerHour),
        diskPerHour: money(storagePerHour),
        diskPerMonth: money(storagePerMonth),
        stoppedPerDay: money(stoppedCostPerDay(instance)),
        uploadPerGb: money(inetUpPerGb),
        downloadPerGb: money(inetDownPerGb),
        bidPerHour: money(bidPerHour),
        soFarAtMost: money(costSoFar(instance, now)),
      },
      startedAt: dated(instance.startedAt),
      endsAt: dated(instance.endsAt),
      check,
      lastHour: lastHour(history, gaugesOf(instance), now),
      record: {
        ...record,
        env:
          env && Object.fromEntries(env.map(([name, value]) => [name, name.startsWith('-p') ? value : mask])),
        onstart: onstart === undefined || onstart === '' ? onstart : mask,
        args: args?.map(() => mask),
        jupyterToken: jupyterToken === undefined ? undefined : mask,
      },
    },
    null,
    2,
  )}\n`;
}

/** Returns a chart of the last hour and the current value for each gauge that has readings. */
function lastHour(history: readonly GaugeReading[], gauges: Gauges, now: number) {
  const charts = gaugeNames.flatMap((name) => {
    const chart = chartOf(history, name, now);
    const last = gauges[name];
    return chart === undefined ? [] : [[name, last === undefined ? chart : `${chart} ${Math.round(last)} %`]];
  });
  return charts.length === 0 ? undefined : (Object.fromEntries(charts) as Readonly<Record<string, string>>);
}

function money(amount: Micros | undefined): string | undefined {
  return amount === undefined ? undefined : formatMoney(amount);
}

function dated(seconds: number | undefined): string | undefined {
  const time = seconds === undefined ? undefined : new Date(seconds * 1000);
  return time === undefined || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
