import type { InstanceTarget } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { commandAction, titledAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { message, type Action } from '../../editor/message';
import { whileReadingInstances, withCancellableProgress } from '../../editor/progress';
import type { InstanceNote, InstanceNotes } from '../../editor/treeGroups';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor } from '../../model/instances/instanceState';
import type { MachineProof } from '../../model/proof/machineProof';
import { speaksForReplacing, type Difference } from '../../model/proof/verdict';
import { differenceText, noteText } from '../../model/proof/verdictText';
import { overResult, type CheckResult } from '../../model/rentals/machineCheck';
import {
  checkTexts,
  notCheckedText,
  runsUncheckedText,
  unprovedText,
} from '../../model/rentals/machineCheckText';
import { checkText, judgeProof, laterFaultsOf } from '../../model/rentals/machineVerdict';
import { accountFor } from '../../store/accounts/sameAccount';
import { listedInstances } from '../../store/instances/listed';
import type { CheckedInstance } from '../../store/rentals/machineProofs';
import type { ReadyEvent } from '../../store/rentals/startEvent';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { durationText, redrawAt } from '../../util/duration';
import { Emitter } from '../../util/emitter';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import type { ReadinessDeps } from './deps';

type Deps = Pick<ReadinessDeps, 'fleet' | 'rentals' | 'failedMachines' | 'clock' | 'log'>;

function judge({ fleet, rentals }: Pick<Deps, 'fleet' | 'rentals'>, instanceId: number, proof: MachineProof) {
  const { verdict, line } = judgeProof(fleet.find(instanceId), rentals.find(instanceId)?.offer, proof);
  return { verdict, line: localize(line) };
}

function checkLine(
  { fleet, rentals }: Pick<Deps, 'fleet' | 'rentals'>,
  instanceId: number,
  check: CheckResult,
): string {
  return localize(checkText(fleet.find(instanceId), rentals.find(instanceId)?.offer, check));
}

/** Returns whether the check gives no reason against using the machine. */
export function isCheckFine(
  deps: Pick<Deps, 'fleet' | 'rentals'>,
  instanceId: number,
  check: CheckResult | undefined,
): boolean {
  return check?.kind === 'proved'
    ? judge(deps, instanceId, check.proof).verdict.ok
    : check?.kind !== 'unproved';
}

/** How long a rental counts as new (ms). */
const newMs = 10 * 60_000;

/** Shows the result of a machine's check. */
export class CheckMessages {
  constructor(
    private readonly deps: Deps,
    /** Returns the action that destroys the machine and rents the next best one, after a question. */
    private readonly replacing: (instanceId: number, name: string, unfit: string) => () => Promise<void>,
  ) {}

  /** Shows the result; `ready` is the sentence for a machine that passed. */
  async show(
    instanceId: number,
    name: string,
    check: CheckResult,
    ready = t('{0} is ready.', name),
  ): Promise<void> {
    this.deps.log.info(`${name}: ${checkLine(this.deps, instanceId, check)}`);
    if (check.kind === 'unproved') {
      const sentence = localize(unprovedText(name, check.problem, check.detail));
      const isKey = check.problem === 'authentication';
      this.warn(instanceId, name, sentence, isKey);
      return;
    }
    if (check.kind === 'notChecked') {
      // Only a login proves that it is ready.
      message(
        'info',
        localize(runsUncheckedText(name, check.reason, check.detail)),
        connect(instanceId),
        commandAction(t('Check Again'), 'gpuRental.instance.check', { instanceId }),
        check.reason === 'failed' && titledAction('gpuRental.showLog'),
      );
      return;
    }
    const { verdict, line } = judge(this.deps, instanceId, check.proof);
    if (verdict.ok) {
      const notes = verdict.notes.map((note) => localize(noteText(note)));
      message('info', [ready, notes.length > 0 ? `${line}.` : line, ...notes].join(' '), connect(instanceId));
      return;
    }
    const differences = verdict.differences
      .map((one) => localize(differenceText(one)))
      .join(', ')
      .replace(/\.$/, '');
    if (!speaksForReplacing(verdict, this.isNew(instanceId))) {
      message('warning', t('{0} is running, but {1}.', name, differences), connect(instanceId));
      return;
    }
    const sentence = t('{0} is running, but it is not what was rented: {1}.', name, differences);
    await this.remember(instanceId, differences);
    this.warn(instanceId, name, sentence, false);
  }

  /** Tells of faults that a machine got while it runs. */
  async showFaults(instanceId: number, name: string, faults: readonly Difference[]): Promise<void> {
    const words = faultWords(faults);
    if (words === undefined) {
      return;
    }
    const sentence = t('{0} is running, but {1}.', name, words.replace(/\.$/, ''));
    const isOfMachine = speaksForReplacing({ ok: false, differences: faults, notes: [] }, false);
    const canReplace = this.canReplace(instanceId);
    if (isOfMachine) {
      await this.remember(instanceId, words);
    }
    message(
      'warning',
      sentence,
      isOfMachine && canReplace && { label: t('Replace'), run: this.replacing(instanceId, name, sentence) },
      isOfMachine && titledAction('gpuRental.instance.reportMachine', { instanceId }),
      titledAction('gpuRental.instance.open', { instanceId }),
      isOfMachine && !canReplace && titledAction('gpuRental.instance.destroy', { instanceId }),
    );
  }

  /** A new machine: its disk can't be full of the user's data yet. */
  private isNew(instanceId: number): boolean {
    const phase = this.deps.rentals.find(instanceId)?.phase;
    return phase?.kind === 'ready' && Math.abs(this.deps.clock.now() - phase.at) < newMs;
  }

  /** Warns about a machine that runs and costs money; every action needs a click. */
  private warn(instanceId: number, name: string, sentence: string, needsKey: boolean): void {
    message(
      'warning',
      sentence,
      this.canReplace(instanceId)
        ? { label: t('Replace'), run: this.replacing(instanceId, name, sentence) }
        : titledAction('gpuRental.instance.destroy', { instanceId }),
      needsKey && titledAction('gpuRental.instance.attachKey', { instanceId }),
      connect(instanceId),
      { label: t('Keep It'), run: () => undefined },
    );
  }

  private canReplace(instanceId: number): boolean {
    return this.deps.rentals.find(instanceId)?.search !== undefined;
  }

  /** Makes replacements avoid the machine from now on, even if this instance is kept. */
  private async remember(instanceId: number, reason: string): Promise<void> {
    const { fleet, failedMachines, clock, log } = this.deps;
    const machineId = fleet.find(instanceId)?.machineId;
    if (machineId !== undefined) {
      await failedMachines.remember({ machineId, at: clock.now(), reason }).catch((error: unknown) => {
        log.error(`Machine ${machineId} could not be noted as failed`, error);
      });
    }
  }
}

/** The most faults that a sentence names. */
const mostFaults = 3;

/** Returns the faults as words for a sentence; `undefined` without any. */
function faultWords(faults: readonly Difference[]): string | undefined {
  const words = faults.map((one) => localize(differenceText(one)));
  const named = words.slice(0, mostFaults).join(', ');
  const more = words.length - mostFaults;
  return words.length === 0 ? undefined : more > 0 ? t('{0} and {1} more', named, more) : named;
}

function connect(instanceId: number): Action {
  return titledAction('gpuRental.instance.connect', { instanceId });
}

/** Checks a running machine again, because the user asked for it. */
export async function checkMachine(
  deps: ReadinessDeps,
  messages: CheckMessages,
  target: InstanceTarget | undefined,
): Promise<void> {
  const { fleet, clock, startWatches, machineChecks } = deps;
  const account = accountFor(deps.accounts);
  const listed = await listedInstances(fleet, whileReadingInstances);
  const candidates = listed.filter((one) => actionsFor(one, fleet.facts(one.id), clock.now()).canConnect);
  const instanceId = await chooseInstance(target, candidates, 'gpuRental.instance.check');
  const instance = listed.find(({ id }) => id === instanceId);
  if (instanceId === undefined) {
    return;
  }
  if (!instance) {
    throw new UserError(text('Instance #{0} is no longer in the list. Refresh the list.', instanceId), {
      nextStep: 'retry',
    });
  }
  const name = instanceName(instance);
  const known = startWatches.find(instance.id)?.check;
  if (known) {
    const stage = checkTexts(known, redrawAt(clock.now()).now).map(localize).join(' · ');
    message('info', t('{0} is already being checked: {1}', name, stage));
    return;
  }
  await deps.sshConsent.ask();
  account();
  const check = await withCancellableProgress(t('Connecting to {0}', name), (signal, report) =>
    runCheck(deps, instance.id, report, signal),
  );
  account();
  await machineChecks.keep(instance.id, check);
  if (check.kind === 'notChecked') {
    message('warning', t('{0}: {1}', name, notCheckedText(check.reason, check.detail)));
    return;
  }
  await messages.show(instance.id, name, check, t('{0} passed the check.', name));
}

async function runCheck(
  { machineChecks }: ReadinessDeps,
  instanceId: number,
  report: (message: string) => void,
  signal: AbortSignal,
): Promise<CheckResult> {
  const onStage = () => {
    report(t('checking its GPUs…'));
  };
  const answer = await machineChecks.check(instanceId, onStage, signal);
  return answer.kind === 'waits' ? overResult(answer) : answer;
}

type NoteDeps = Pick<
  ReadinessDeps,
  'startWatches' | 'machineProofs' | 'fleet' | 'rentals' | 'clock' | 'instanceGroups'
>;

/** Shows the progress and result of a running machine's check in its row and tooltip. */
export class CheckNotes implements InstanceNotes, Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private hadCheck = false;

  constructor(private readonly deps: NoteDeps) {
    this.owned.add(deps.machineProofs.onDidChange(() => this.changed.fire()));
    this.owned.add(
      deps.startWatches.onDidChange((watches) => {
        const hasCheck = watches.some(({ check }) => check !== undefined);
        if (hasCheck || this.hadCheck) {
          this.hadCheck = hasCheck;
          this.redraw();
        }
      }),
    );
    this.owned.add(deps.instanceGroups.addInstanceNotes(this));
  }

  /** The row states how long a check takes, and that it takes longer than usual. */
  private redraw(): void {
    const { clock } = this.deps;
    this.timer.value = this.hadCheck
      ? clock.schedule(() => this.redraw(), redrawAt(clock.now()).nextInMs)
      : undefined;
    this.changed.fire();
  }

  note(instanceId: number): InstanceNote | undefined {
    const { startWatches, clock } = this.deps;
    const check = startWatches.find(instanceId)?.check;
    if (!check) {
      return this.lastCheck(instanceId);
    }
    const row = checkTexts(check, redrawAt(clock.now()).now).map(localize).join(' · ');
    return { row, isPending: true, lines: () => [[t('Check'), row]] };
  }

  /**
   * Appears in the row only if the machine has a problem. Of one that does not run, an earlier check says nothing about
   * its next start.
   */
  private lastCheck(instanceId: number): InstanceNote | undefined {
    const { fleet, machineProofs, clock } = this.deps;
    const instance = fleet.find(instanceId);
    const last = machineProofs.find(instanceId);
    if (instance?.actualStatus !== 'running' || !last) {
      return undefined;
    }
    const faults = faultWords(this.faults(instance, last));
    const isWarning = faults !== undefined || !isCheckFine(this.deps, instanceId, last.check);
    const row = isWarning ? t('failed its check') : '';
    const age = (at: number) => localize(durationText(clock.now() - at));
    const lines = () => {
      const line = checkLine(this.deps, instanceId, last.check);
      const notes =
        last.check.kind === 'proved' ? judge(this.deps, instanceId, last.check.proof).verdict.notes : [];
      return [
        ...(faults === undefined || !last.later
          ? []
          : [[t('Check {0} ago', age(last.later.proof.at)), faults] as const]),
        [t('Check {0} ago', age(last.at)), line] as const,
        ...notes.map((note) => [t('GPU check'), localize(noteText(note))] as const),
      ];
    };
    return { row, isWarning, lines };
  }

  /** What the last probe found that the machine did not lack when it started. */
  private faults(instance: Instance, row: CheckedInstance): readonly Difference[] {
    return laterFaultsOf(instance, this.deps.rentals.find(instance.id)?.offer, row);
  }

  dispose(): void {
    this.owned.dispose();
  }
}

/** Adds the result of the check to an event that another window found, and closed before it was shown. */
export async function withKeptCheck(
  { machineProofs, rentals }: Pick<ReadinessDeps, 'machineProofs' | 'rentals'>,
  event: ReadyEvent,
): Promise<ReadyEvent> {
  const phase = rentals.find(event.instanceId)?.phase;
  if (event.check || phase?.kind !== 'ready') {
    return event;
  }
  await machineProofs.ready;
  const kept = machineProofs.find(event.instanceId);
  return kept && kept.at >= phase.at ? { ...event, check: kept.check } : event;
}
