import { commandAction, titledAction } from '../../editor/commands';
import { noGpuSentence } from '../../editor/failureText';
import { localize, t } from '../../editor/localize';
import { message, type Action } from '../../editor/message';
import { pricePerDay } from '../../editor/priceText';
import { spendable } from '../../model/accounts/account';
import { consoleAddress, consolePages } from '../../model/accounts/webConsole';
import type { Instance } from '../../model/instances/instance';
import { stoppedCostPerDay } from '../../model/instances/instanceCost';
import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor, takenGpuWords } from '../../model/instances/instanceState';
import { warningKey, warningsFor, type Warning } from '../../model/instances/warnings';
import { spanOfHours } from '../../model/quote';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { burnNow } from '../../store/instances/burn';
import { priceNotice, priceNoticeKind } from '../../store/instances/priceWatch';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { durationText } from '../../util/duration';
import { assertNever } from '../../util/errors';
import { EndNotes } from './endNotes';
import { expiredText, hostEndsText, noCreditForVolumesText, noCreditText } from './endText';
import { forgottenKind, forgottenShape, postForgotten, warnForgotten, type ForgottenDeps } from './forgotten';
import { PlannedMaintenance } from './plannedMaintenance';
import { reviewPriceIncreases, warnPriceIncrease, type PriceDeps } from './priceIncreases';

type Deps = ForgottenDeps &
  PriceDeps &
  Pick<Services, 'oneWindow' | 'commands' | 'volumes' | 'instanceGroups'>;

/** Registers the warnings of upcoming costs and losses. Each appears once over all windows, in the focused one. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const keysNow = () =>
    new Map(warningsNow(deps).map((warning) => [warningKey(warning, deps.clock.now()), warning] as const));
  const check = () => {
    const account = deps.accounts.active?.key ?? '';
    for (const [key, warning] of keysNow()) {
      const isStillSo = () => account === deps.accounts.active?.key && keysNow().has(key);
      deps.oneWindow.offer(`${account}:warning:${key}`, () => show(deps, warning), { isStillSo });
    }
  };
  store.add(deps.instanceGroups.addInstanceNotes(store.add(new EndNotes(deps))));
  store.add(deps.instanceGroups.addInstanceNotes(store.add(new PlannedMaintenance(deps))));
  store.add(deps.fleet.onDidChange(check));
  store.add(deps.volumes.onDidChange(check));
  store.add(watchAccounts(deps.accounts, check));
  store.add(
    deps.idle.onDidCheck(() => {
      postForgotten(deps);
    }),
  );
  store.add(
    deps.notices.onDidPost(({ key, kind, accountKey, data }) => {
      const forgotten = kind === forgottenKind ? forgottenShape.safeParse(data).data : undefined;
      const increase = kind === priceNoticeKind ? priceNotice.safeParse(data).data : undefined;
      if (accountKey !== deps.accounts.active?.key) {
        return;
      }
      if (forgotten) {
        deps.oneWindow.offer(key, () => warnForgotten(deps, forgotten));
      } else if (increase) {
        deps.oneWindow.offer(key, () => warnPriceIncrease(deps, increase.id));
      }
    }),
  );
  store.add(deps.commands.register('gpuRental.reviewPriceIncreases', () => reviewPriceIncreases(deps)));
  return store;
}

function warningsNow({ accounts, fleet, volumes, clock, settings, work }: Deps): readonly Warning[] {
  const { state } = fleet;
  const account = accounts.active;
  // Outdated data must not cause warnings.
  if (!account || state.kind !== 'ready' || state.error !== undefined) {
    return [];
  }
  const now = clock.now();
  const { instances } = state.value;
  return warningsFor({
    instances,
    facts: (id) => fleet.facts(id),
    rate: burnNow({ fleet, volumes, clock }).rate,
    credit: spendable(account.user),
    now,
    stoppedDays: settings.get('gpuRental.warn.stoppedDays'),
  }).filter((warning) => warning.kind !== 'stoppedLong' || !work.endsInstance(warning.instanceId));
}

function show(deps: Deps, warning: Warning): void {
  switch (warning.kind) {
    case 'lowCredit':
      warnLowCredit(deps, localize(spanOfHours(warning.hours)));
      return;
    case 'noCredit':
      message('warning', hasInstances(deps) ? noCreditText() : noCreditForVolumesText(), addCredit(deps));
      return;
    case 'noGpu':
    case 'stoppedLong':
    case 'hostEnds':
    case 'expired': {
      const instance = deps.fleet.find(warning.instanceId);
      if (instance) {
        warnOf(deps, instance, warning);
      }
      return;
    }
    default:
      assertNever(warning);
  }
}

function warnLowCredit(deps: Deps, remaining: string): void {
  message(
    'warning',
    t('At the current cost, your credit lasts {0}.', remaining),
    addCredit(deps),
    hasInstances(deps)
      ? commandAction(t('Stop Instances…'), 'gpuRental.instance.stop')
      : titledAction('gpuRental.volume.delete'),
  );
}

function hasInstances({ fleet: { state } }: Deps): boolean {
  return state.kind === 'ready' && state.value.instances.length > 0;
}

function warnOf(
  deps: Deps,
  instance: Instance,
  warning: Extract<Warning, { readonly instanceId: number }>,
): void {
  const { fleet, clock } = deps;
  const now = clock.now();
  const { instanceId } = warning;
  const name = instanceName(instance);
  const cost = stoppedCostPerDay(instance);
  const { canConnect, canDownload, canStart, canRunCommand } = actionsFor(
    instance,
    fleet.facts(instanceId),
    now,
  );
  // The service copies from a stopped instance, into which no login is possible.
  const copy = canRunCommand && !canConnect && titledAction('gpuRental.instance.copyData', { instanceId });
  switch (warning.kind) {
    case 'noGpu': {
      const words = takenGpuWords(instance);
      message(
        'warning',
        [
          noGpuSentence(name, pricePerDay(cost)),
          ...(words === undefined ? [] : [t('The service says: {0}', words)]),
        ].join(' '),
        { label: t('Wait'), run: () => undefined },
        canDownload && titledAction('gpuRental.instance.move', { instanceId }),
        canDownload && titledAction('gpuRental.instance.download', { instanceId }),
        commandAction(t('Stop Waiting'), 'gpuRental.instance.stop', { instanceId }),
        !canDownload && titledAction('gpuRental.instance.rentAnother', { instanceId }),
      );
      break;
    }
    case 'stoppedLong':
      message(
        'warning',
        t(
          '{0} has been stopped for {1}. Storage still costs {2}.',
          name,
          localize(durationText(now - warning.sinceMs)),
          pricePerDay(cost),
        ),
        titledAction('gpuRental.instance.destroy', { instanceId }),
      );
      break;
    case 'hostEnds':
      message(
        'warning',
        hostEndsText(name, warning.endsAtMs, now),
        canDownload && titledAction('gpuRental.instance.download', { instanceId }),
        canConnect && titledAction('gpuRental.instance.connect', { instanceId }),
        canStart && titledAction('gpuRental.instance.start', { instanceId }),
        copy,
        titledAction('gpuRental.instance.rentAnother', { instanceId }),
      );
      break;
    case 'expired':
      message(
        'warning',
        expiredText(name, warning.endsAtMs, warning.deletedAtMs, now),
        canDownload && titledAction('gpuRental.instance.download', { instanceId }),
        copy,
        titledAction('gpuRental.instance.rentAnother', { instanceId }),
        titledAction('gpuRental.instance.destroy', { instanceId }),
      );
      break;
    default:
      assertNever(warning);
  }
}

/** Returns the button only if the service has a page for it. */
function addCredit({ accounts }: Deps): Action | false {
  const { serviceUrl = '' } = accounts.active ?? {};
  return (
    consoleAddress(serviceUrl, consolePages.credit) !== undefined &&
    commandAction(t('Add Credit'), 'gpuRental.openConsole', { kind: 'credit' })
  );
}
