import { commandAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { message, type Action } from '../../editor/message';
import type { MachineProof } from '../../model/proof/machineProof';
import { speaksForReplacing } from '../../model/proof/verdict';
import { differenceText, noteText } from '../../model/proof/verdictWords';
import type { CheckResult } from '../../model/rentals/machineCheck';
import { runsUncheckedText, unprovedText } from '../../model/rentals/machineCheckText';
import { checkText, judgeProof } from '../../model/rentals/machineVerdict';
import type { ReadinessDeps } from './deps';

type Deps = Pick<ReadinessDeps, 'fleet' | 'rentals' | 'failedMachines' | 'clock' | 'log'>;

export function judge(
  { fleet, rentals }: Pick<Deps, 'fleet' | 'rentals'>,
  instanceId: number,
  proof: MachineProof,
) {
  const { verdict, line } = judgeProof(fleet.find(instanceId), rentals.find(instanceId)?.offer, proof);
  return { verdict, line: localize(line) };
}

export function checkLine(
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
        check.reason === 'failed' && commandAction(t('Show Log'), 'gpuRental.showLog'),
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

  /** A new machine: its disk can't be full of the user's data yet. */
  private isNew(instanceId: number): boolean {
    const phase = this.deps.rentals.find(instanceId)?.phase;
    return phase?.kind === 'ready' && Math.abs(this.deps.clock.now() - phase.at) < newMs;
  }

  /** Warns about a machine that runs and costs money; every action needs a click. */
  private warn(instanceId: number, name: string, sentence: string, needsKey: boolean): void {
    const canReplace = this.deps.rentals.find(instanceId)?.search !== undefined;
    message(
      'warning',
      sentence,
      canReplace
        ? { label: t('Replace…'), run: this.replacing(instanceId, name, sentence) }
        : commandAction(t('Destroy…'), 'gpuRental.instance.destroy', { instanceId }),
      needsKey && commandAction(t('Attach a Key…'), 'gpuRental.instance.attachKey', { instanceId }),
      connect(instanceId),
      { label: t('Keep It'), run: () => undefined },
    );
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

function connect(instanceId: number): Action {
  return commandAction(t('Connect'), 'gpuRental.instance.connect', { instanceId });
}
