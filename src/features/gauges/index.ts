import { t } from '../../editor/localize';
import type { InstanceNote, NoteLine } from '../../editor/treeGroups';
import {
  chartOf,
  gaugeNames,
  gaugesOf,
  type GaugeName,
  type GaugeReading,
  type Gauges,
} from '../../model/instances/gauges';
import { stateOf } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import type { Disposable } from '../../util/disposable';

type Deps = Pick<Services, 'fleet' | 'gauges' | 'instanceGroups' | 'clock'>;

/** Shows the use of a running machine in its row, and the last hour in its tooltip. */
export function register({ fleet, gauges, instanceGroups, clock }: Deps): Disposable {
  return instanceGroups.addInstanceNotes({
    onDidChange: gauges.onDidChange,
    note: (instanceId) => {
      const instance = fleet.find(instanceId);
      const now = clock.now();
      return instance && stateOf(instance, fleet.facts(instanceId), now) === 'running'
        ? gaugeNote(gaugesOf(instance), () => gauges.of(instanceId), now)
        : undefined;
    },
  });
}

/**
 * Rounds the figures of a row to tens, so that small changes do not redraw it with each list. A disk that is nearly
 * full is shown to the percent.
 */
function gaugeNote(gauges: Gauges, history: () => readonly GaugeReading[], now: number): InstanceNote {
  const { gpu, memory, disk } = gauges;
  const row = [
    ...(gpu === undefined ? [] : [t('GPU {0} %', tens(gpu))]),
    ...(memory === undefined ? [] : [t('RAM {0} %', tens(memory))]),
    ...(disk === undefined ? [] : [t('disk {0} %', Math.round(disk))]),
  ].join(' ');
  const lines = () =>
    gaugeNames.flatMap((name): NoteLine[] => {
      const value = gauges[name];
      const chart = chartOf(history(), name, now);
      return value === undefined ? [] : [[labelOf(name), [`${Math.round(value)} %`, chart].join(' ').trim()]];
    });
  return { row, isFigure: true, lines };
}

function tens(percent: number): number {
  return Math.round(percent / 10) * 10;
}

function labelOf(name: GaugeName): string {
  switch (name) {
    case 'gpu':
      return t('GPU, last hour');
    case 'memory':
      return t('Memory, last hour');
    case 'disk':
      return t('Disk, last hour');
    case 'cpu':
      return t('CPU, last hour');
  }
}
