import { commandAction, runCommand, titledAction } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { noGpuSentence } from '../../editor/failureText';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { pricePerDay, pricePerHour } from '../../editor/priceText';
import { withCancellableProgress } from '../../editor/progress';
import { isPastEnd } from '../../model/instances/instance';
import { stoppedCostPerDay } from '../../model/instances/instanceCost';
import { isChanging, stateLabel, stateOf, type InstanceStateKind } from '../../model/instances/instanceState';
import { perHour, runningRateOf } from '../../model/quote';
import type { Services } from '../../services';
import { DisposableStore } from '../../util/disposable';
import { durationText, redrawAt } from '../../util/duration';
import type { HeldMachine } from './hostChecks';

type Deps = Pick<Services, 'fleet' | 'clock'>;

/**
 * Offers to start a stopped instance at its price, and waits until it runs. Returns false if the user declines or
 * stops waiting, or if it does not start; the reason was then shown.
 */
export async function startFirst(
  deps: Deps,
  { instanceId, account }: HeldMachine,
  name: string,
): Promise<boolean> {
  if (!(await isWanted(deps, instanceId, name))) {
    return false;
  }
  account();
  const answer = await runCommand('gpuRental.instance.startNow', { instanceId });
  return (answer === 'started' || answer === 'queued') && waitUntilRunning(deps, instanceId, name);
}

async function isWanted({ fleet, clock }: Deps, instanceId: number, name: string): Promise<boolean> {
  const instance = fleet.find(instanceId);
  if (instance && isPastEnd(instance, clock.now())) {
    // The start itself reports that it can't be made.
    return true;
  }
  const rate = instance && runningRateOf(instance);
  const price = pricePerHour(rate === undefined ? undefined : perHour(rate));
  return confirm({
    message: t('“{0}” is stopped. Start it and connect?', name),
    detail: `${t('Cost once started: {0}.', price)} ${t(
      'If another user has the GPU, the start waits until it is free.',
    )}`,
    button: t('Start and Connect'),
  });
}

async function waitUntilRunning(deps: Deps, instanceId: number, name: string): Promise<boolean> {
  const { clock, fleet } = deps;
  const startedAt = clock.now();
  const end = await withCancellableProgress(
    t('Waiting for {0} to start before connecting', name),
    (signal, report) =>
      new Promise<'running' | 'failed' | 'cancelled'>((resolve) => {
        const store = new DisposableStore();
        const finish = (how: 'running' | 'failed' | 'cancelled') => {
          store.dispose();
          resolve(how);
        };
        const check = () => {
          const instance = fleet.find(instanceId);
          const kind = instance && stateOf(instance, fleet.facts(instanceId), clock.now());
          if (kind === 'running') {
            finish('running');
          } else if (!instance || !isOnItsWay(kind)) {
            finish('failed');
          } else {
            const elapsed = localize(durationText(redrawAt(clock.now()).now - startedAt));
            report(`${localize(stateLabel(instance, kind ?? 'other'))} · ${elapsed}`);
          }
        };
        const tick = () => {
          check();
          if (!store.isDisposed) {
            store.add(clock.schedule(tick, redrawAt(clock.now()).nextInMs));
          }
        };
        store.add(fleet.onDidChange(check));
        signal.addEventListener('abort', () => {
          finish('cancelled');
        });
        tick();
      }),
    t('Stop Waiting'),
  );
  if (end === 'cancelled') {
    warnStillStarting(deps, instanceId, name);
  }
  return end === 'running';
}

function isOnItsWay(kind: InstanceStateKind | undefined): boolean {
  return (
    kind !== undefined && kind !== 'destroying' && (isChanging(kind) || kind === 'queued' || kind === 'other')
  );
}

/** Shows that the start continues and what it costs, although the user stopped waiting. */
function warnStillStarting({ clock, fleet }: Deps, instanceId: number, name: string): void {
  const instance = fleet.find(instanceId);
  if (instance && stateOf(instance, fleet.facts(instanceId), clock.now()) === 'queued') {
    const price = pricePerDay(stoppedCostPerDay(instance));
    const cancel = commandAction(t('Stop Waiting'), 'gpuRental.instance.stop', { instanceId });
    message('warning', noGpuSentence(name, price), cancel);
    return;
  }
  const stop = titledAction('gpuRental.instance.stop', { instanceId });
  message('warning', t('{0} keeps starting and costs money.', name), stop);
}
