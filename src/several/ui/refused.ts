import { commandAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { ask } from '../../editor/message';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor } from '../../model/instances/instanceState';
import { plainLabel } from '../../util/plainLabel';
import type { RefusedEngine } from '../model/engines';
import type { EngineDeps } from './deps';

/**
 * Explains why a tool can't use rented containers, and what to use instead. Virtual machines among the `given`
 * instances, or among all if none are given, can run some of these tools. The list of instances does not mark virtual
 * machines, so only those rented on this computer are known.
 */
export async function explainRefused(
  deps: EngineDeps,
  { name, why, instead, runsOnVm }: RefusedEngine,
  given: readonly number[],
): Promise<void> {
  const machines = runsOnVm === true ? virtualMachines(deps, given) : [];
  const [first, ...more] = machines;
  const names = machines.map((one) => plainLabel(instanceName(one)));
  const onVm = !first
    ? []
    : more.length === 0
      ? [t('{0} is a virtual machine, which can run {1} by itself. Install it there.', names[0] ?? '', name)]
      : [t('These are virtual machines, each of which can run {0} by itself: {1}', name, names.join(', '))];
  await ask(
    'info',
    {
      message: t("{0} can't use rented containers.", name),
      detail: [localize(why), localize(instead), ...onVm].join('\n\n'),
    },
    first &&
      more.length === 0 &&
      commandAction(t('Open Terminal'), 'gpuRental.instance.openTerminal', { instanceId: first.id }),
  );
}

function virtualMachines({ fleet, rentals, clock }: EngineDeps, given: readonly number[]): Instance[] {
  const { state } = fleet;
  const wanted = new Set(given);
  return (state.kind === 'ready' ? state.value.instances : []).filter(
    (one) =>
      (wanted.size === 0 || wanted.has(one.id)) &&
      rentals.find(one.id)?.config.vm === true &&
      actionsFor(one, fleet.facts(one.id), clock.now()).canConnect,
  );
}
