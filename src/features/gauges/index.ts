import { gaugesOf } from '../../model/instances/gauges';
import { stateOf } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import type { Disposable } from '../../util/disposable';
import { gaugeNote } from './gaugeWords';

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
