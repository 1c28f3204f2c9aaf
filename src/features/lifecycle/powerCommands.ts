import type { CommandArgs, InstanceTarget } from '../../commandSpecs';
import { showInstances } from '../../editor/chooseInstance';
import { allRows, runCommand, titledAction } from '../../editor/commands';
import { choose, confirm, type Question } from '../../editor/confirm';
import { confirmOverBudget } from '../../editor/confirmOverBudget';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { withCancellableProgress } from '../../editor/progress';
import { labelOf } from '../../editor/titles';
import { destroyedText, notConfirmedText } from '../../model/instances/destroyVerdict';
import { isPastEnd, type Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor, stateOf } from '../../model/instances/instanceState';
import type { Account, ActingAccount } from '../../store/accounts/accounts';
import { accountFor } from '../../store/accounts/sameAccount';
import { destroyAndVerify, type DestroyVerdict } from '../../store/instances/destruction';
import {
  changePower,
  type PowerOptions,
  type PowerRequest,
  type PowerVerdict,
} from '../../store/instances/power';
import type { WorkLoss } from '../../store/instances/workOnInstances';
import { checkBeforeDestroy, checkQuietly, hasWorkToSave } from './beforeDestroy';
import { reportFailures, runEach, type RowResult } from './bulk';
import type { LifecycleDeps } from './deps';
import { destroyQuestion } from './destroyText';
import {
  cancelStartQuestion,
  nameOfSome,
  rebootQuestion,
  startQuestion,
  stoppedPrice,
  stopQuestion,
} from './lifecycleText';
import { reportNotSucceeded } from './powerOutcome';
import { confirmStartOverLimit } from './priceLimit';
import { faultsOfMachine } from './reportMachine';
import { chooseInstances } from './targets';

/** Refreshes the list after a change; the list itself shows a failure. */
function refresh({ fleet, log }: LifecycleDeps): void {
  fleet.refresh().catch((error: unknown) => {
    log.warn(`The list could not be read after a change: ${String(error)}`);
  });
}

/** Shows progress. Canceling drops requests that were not sent, and stops confirming those that were. */
function working<T>(
  title: string,
  instances: readonly Instance[],
  action: (instance: Instance, signal: AbortSignal) => Promise<T>,
): Promise<readonly RowResult<T>[]> {
  return withCancellableProgress(title, (signal, report) =>
    runEach(
      instances,
      (instance) => {
        if (instances.length > 1) {
          report(instanceName(instance));
        }
        return action(instance, signal);
      },
      signal,
    ),
  );
}

/** The row that the command was called on, and the selected ones. */
export type Rows = CommandArgs<'gpuRental.instance.start'>;

export async function start(deps: LifecycleDeps, ...[target, selected]: Rows): Promise<void> {
  const account = accountFor(deps.accounts);
  const instances = await chooseToStart(deps, true, target, selected);
  if (instances.length > 0 && (await confirm(startQuestion(instances)))) {
    await startAll(deps, instances, account);
  }
}

/** Returns the instances to start. One whose rental has ended is named with what is left to do. */
async function chooseToStart(
  deps: LifecycleDeps,
  canPickMany: boolean,
  ...[target, selected]: Rows
): Promise<readonly Instance[]> {
  const [only, ...others] = allRows(target, selected);
  const instance = only && others.length === 0 ? deps.fleet.find(only.instanceId) : undefined;
  const now = deps.clock.now();
  if (
    instance &&
    stateOf(instance, deps.fleet.facts(instance.id), now) === 'stopped' &&
    isPastEnd(instance, now)
  ) {
    message(
      'warning',
      t("The rental of {0} has ended, so it can't be started again.", instanceName(instance)),
      titledAction('gpuRental.instance.copyData', only),
      titledAction('gpuRental.instance.rentAnother', only),
    );
    return [];
  }
  return chooseInstances(deps, target, selected, 'canStart', 'gpuRental.instance.start', canPickMany);
}

/** Starts at a price that the user has already seen; returns the result. */
export async function startNow(
  deps: LifecycleDeps,
  target: InstanceTarget | undefined,
): Promise<'started' | 'queued' | 'failed'> {
  const account = accountFor(deps.accounts);
  const instances = await chooseToStart(deps, false, target);
  const [only] = instances.length === 0 ? [] : await startAll(deps, instances, account);
  const verdict = only?.kind === 'done' ? only.value : 'notDone';
  return verdict === 'done' ? 'started' : verdict === 'queued' ? 'queued' : 'failed';
}

/** `account` throws unless the account is active whose instances and budget were asked about. */
async function startAll(deps: LifecycleDeps, instances: readonly Instance[], account: () => ActingAccount) {
  const question = { message: t('Continue outside your budget?'), button: t('Continue Anyway') };
  account();
  if (!(await confirmStartOverLimit(deps, instances)) || !(await confirmOverBudget(deps.budget, question))) {
    return [];
  }
  return change(deps, account(), 'start', t('Starting {0}…', nameOfSome(instances)), instances);
}

/** Sends each request once, and reports those that failed or are unconfirmed. */
export async function change(
  deps: LifecycleDeps,
  account: ActingAccount,
  kind: PowerRequest,
  title: string,
  instances: readonly Instance[],
  more: Pick<PowerOptions, 'image' | 'readsBack'> = {},
): Promise<readonly RowResult<PowerVerdict>[]> {
  const results = await working(title, instances, (instance, signal) =>
    changePower(deps, account, instance, kind, { ...more, signal }),
  );
  refresh(deps);
  reportNotSucceeded(
    deps,
    kind,
    results,
    more.image ? 'gpuRental.instance.changeImage' : `gpuRental.instance.${kind}`,
  );
  return results;
}

export async function stop(deps: LifecycleDeps, ...[target, selected]: Rows): Promise<void> {
  const account = accountFor(deps.accounts);
  const instances = await chooseInstances(deps, target, selected, 'canStop', 'gpuRental.instance.stop', true);
  const isQueued = instances.every((instance) =>
    ['queued', 'outbid'].includes(stateOf(instance, deps.fleet.facts(instance.id), deps.clock.now())),
  );
  const question = isQueued
    ? cancelStartQuestion(instances)
    : await withWorkAtRisk(deps, instances, 'processes', stopQuestion(instances));
  if (instances.length === 0 || !(await confirm(question))) {
    return;
  }
  await stopEach(deps, account(), instances, isQueued);
}

/** Stops instances after the caller asked the user; returns the result. */
export async function stopNow(
  deps: LifecycleDeps,
  { instanceIds }: { readonly instanceIds: readonly number[] },
): Promise<void> {
  const account = accountFor(deps.accounts);
  const instances = instanceIds.flatMap((id) => deps.fleet.find(id) ?? []);
  await stopEach(deps, account(), instances);
}

async function stopEach(
  deps: LifecycleDeps,
  account: ActingAccount,
  instances: readonly Instance[],
  /** A start that was not cancelled after all would begin later, and cost money. */
  isQueued = false,
): Promise<void> {
  const title = isQueued
    ? t('Canceling the start of {0}…', nameOfSome(instances))
    : t('Stopping {0}…', nameOfSome(instances));
  const results = await change(deps, account, 'stop', title, instances, { readsBack: isQueued });
  const isStopped = (row: RowResult<PowerVerdict>) => row.kind === 'done' && row.value === 'done';
  const stopped = results.filter(isStopped).map(({ instance }) => instance);
  if (stopped.length > 0) {
    const [name, price] = [nameOfSome(stopped), stoppedPrice(stopped)];
    message(
      'info',
      isQueued
        ? t('The start of {0} is canceled. Storage still costs {1}.', name, price)
        : t('Stopping {0}. Storage still costs {1}.', name, price),
    );
  }
}

export async function reboot(deps: LifecycleDeps, ...[target, selected]: Rows): Promise<void> {
  const account = accountFor(deps.accounts);
  const instances = await chooseInstances(
    deps,
    target,
    selected,
    'canReboot',
    'gpuRental.instance.reboot',
    true,
  );
  const question = await withWorkAtRisk(deps, instances, 'processes', rebootQuestion(instances));
  if (instances.length === 0 || !(await confirm(question))) {
    return;
  }
  await change(deps, account(), 'reboot', t('Rebooting {0}…', nameOfSome(instances)), instances);
}

export async function destroy(deps: LifecycleDeps, ...[target, selected]: Rows): Promise<void> {
  const account = accountFor(deps.accounts);
  const instances = await chooseInstances(
    deps,
    target,
    selected,
    'canDestroy',
    'gpuRental.instance.destroy',
    true,
  );
  if (instances.length === 0 || !(await confirmDestruction(deps, account, instances))) {
    return;
  }
  const own = account();
  const results = await working(t('Destroying {0}…', nameOfSome(instances)), instances, (instance, signal) =>
    destroyAndVerify(deps, own, instance.id, signal),
  );
  refresh(deps);
  reportFailures(deps, t('Some instances are unchanged and still cost money.'), results);
  reportVerdicts(results);
}

async function confirmDestruction(
  deps: LifecycleDeps,
  account: () => Account,
  instances: readonly Instance[],
): Promise<boolean> {
  let canPark = false;
  const makeQuestion = async () => {
    const found = await checkBeforeDestroy(deps, account(), instances);
    canPark = hasWorkToSave(found);
    return destroyQuestion(instances, found, (instance) => faultsOfMachine(deps, instance));
  };
  return askBeforeLoss(deps, account, instances, makeQuestion, () => canPark);
}

/** Returns what the question to destroy an instance must name, for other features; `undefined` if it is gone. */
export async function lossByDestroy(
  deps: LifecycleDeps,
  { instanceId }: { readonly instanceId: number },
): Promise<string | undefined> {
  const instance = deps.fleet.find(instanceId);
  const { active } = deps.accounts;
  if (!instance || !active) {
    return undefined;
  }
  const question = destroyQuestion([instance], await checkQuietly(deps, active, [instance]));
  return (await withWorkAtRisk(deps, [instance], 'disk', question)).detail;
}

/** Asks before data is lost, and offers to download files first: by a login, or from a stopped machine by its host. */
export async function askBeforeLoss(
  deps: LifecycleDeps,
  account: () => Account,
  instances: readonly Instance[],
  makeQuestion: () => Promise<Required<Question>>,
  canPark = () => false,
): Promise<boolean> {
  const asked = await makeQuestion();
  const { button, ...question } = await withWorkAtRisk(deps, instances, 'disk', asked);
  const [only, ...others] = instances;
  const alone =
    only && others.length === 0
      ? { id: only.id, ...actionsFor(only, deps.fleet.facts(only.id), deps.clock.now()) }
      : undefined;
  const downloadFirst = async (instanceId: number) => {
    account();
    // The question returns only after a complete download, and there may be other data on the machine.
    const isWhole = await runCommand('gpuRental.instance.download', { instanceId });
    return isWhole === true && askBeforeLoss(deps, account, instances, makeQuestion, canPark);
  };
  const answer = await choose<boolean>(
    question,
    { label: button, run: () => Promise.resolve(true) },
    alone?.canDownload === true && { label: t('Download First…'), run: () => downloadFirst(alone.id) },
    alone?.canConnect === true &&
      canPark() && {
        label: labelOf('gpuRental.instance.park'),
        run: async () => {
          account();
          await runCommand('gpuRental.instance.park', { instanceId: alone.id });
          return false;
        },
      },
  );
  return answer === true;
}

function reportVerdicts(results: readonly RowResult<DestroyVerdict>[]): void {
  const withVerdict = (verdict: DestroyVerdict) =>
    results.filter((row) => row.kind === 'done' && row.value === verdict).map(({ instance }) => instance);
  const destroyed = withVerdict('destroyed');
  if (destroyed.length > 0) {
    message('info', localize(destroyedText(destroyed.map(instanceName))));
  }
  for (const instance of withVerdict('notConfirmed')) {
    message('warning', localize(notConfirmedText(instanceName(instance))), showInstances());
  }
}

/** Adds to a question what would be lost of the work on the instances. */
async function withWorkAtRisk<Q extends Question>(
  { work }: Pick<LifecycleDeps, 'work'>,
  instances: readonly Instance[],
  loss: WorkLoss,
  question: Q,
): Promise<Q> {
  const isWhole = await work.whole();
  const lines = instances.flatMap(({ id }) => work.atRisk(id, loss)).map((line) => `⚠ ${localize(line)}`);
  if (!isWhole) {
    lines.push(`⚠ ${t("Unsaved work on it can't be checked. See the log for details.")}`);
  }
  return lines.length === 0
    ? question
    : { ...question, detail: [...lines, '', question.detail ?? ''].join('\n') };
}
