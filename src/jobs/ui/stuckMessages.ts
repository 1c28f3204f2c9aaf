import { commandAction, titledAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import type { Action } from '../../editor/message';
import { labelOf, titleOf } from '../../editor/titles';
import { durationText } from '../../util/duration';
import { isLocalProblem } from '../../util/localProblem';
import { isAtWork, isBeforeStart, machineOf, type JobRow } from '../model/job';
import { canReleaseMachine } from '../model/outOfReach';
import type { JobNotice } from '../store/jobNotice';
import { instanceAction, logAction, stillCosts, type JobMessage } from './jobMessage';

export type StuckKind =
  'noAnswer' | 'notFetched' | 'notReleased' | 'notSaved' | 'notSent' | 'overdue' | 'stillGuarded';

/**
 * Returns the message about a job that makes no progress while its machine costs
 * money: the cause, the price and what to do.
 */
export function stuckMessage(
  row: JobRow,
  { kind, why }: JobNotice & { readonly kind: StuckKind },
  now: number,
): JobMessage {
  return { level: 'warning', sentence: sentenceOf(row, kind, why, now), actions: actionsOf(row, kind) };
}

function sentenceOf(row: JobRow, kind: StuckKind, why: JobNotice['why'], now: number): string {
  const { job, state } = row;
  const { name } = job.spec;
  const machine = machineOf(row).name;
  const details = why ? `${stillCosts(row)} ${localize(why)}` : stillCosts(row);
  switch (kind) {
    case 'notSent':
      return t('Could not send the files of {0} to {1} yet. {2} Retrying…', name, machine, details);
    case 'noAnswer':
      if (state.trouble?.kind === 'machineFails') {
        return isBeforeStart(state.phase)
          ? t('Could not start {0} on {1} yet. {2} Retrying…', name, machine, details)
          : t('Could not check {0} on {1}, where it may still run. {2} Retrying…', name, machine, details);
      }
      return isBeforeStart(state.phase)
        ? t('{0} does not answer, so {1} could not start there yet. {2} Retrying…', machine, name, details)
        : t(
            '{0} has not answered for {1}, and {2} may still run there. {3} Retrying…',
            machine,
            durationText(state.trouble?.lastedMs ?? 0),
            name,
            details,
          );
    case 'notSaved':
      return t(
        'Could not save the progress of {0} on this computer, so it is not followed on {1}. {2} Retrying…',
        name,
        machine,
        details,
      );
    case 'overdue':
      return isAtWork(row)
        ? t('{0} has passed its limit and has not ended on {1}. {2}', name, machine, details)
        : t(
            '{0} has ended, but {1} has not listed its outputs for {2}. {3}',
            name,
            machine,
            durationText(now - state.since),
            details,
          );
    case 'notFetched':
      return t(
        'Could not fetch the outputs of {0} yet, so {1} is kept. {2} Retrying…',
        name,
        machine,
        details,
      );
    case 'stillGuarded':
      return t(
        '{0} is kept after {1}, but it does not answer and may still stop by itself. Retrying…',
        machine,
        name,
      );
    case 'notReleased':
      return t('{0} has not ended yet after {1}. {2} Retrying…', machine, name, details);
  }
}

function actionsOf(row: JobRow, kind: StuckKind): readonly Action[] {
  const { job } = row;
  const target = { jobId: job.id };
  const retry = commandAction(t('Retry'), 'gpuRental.job.retry', target);
  const stop =
    isAtWork(row) && job.decidedAt.stop === undefined
      ? [commandAction(titleOf('gpuRental.job.stop'), 'gpuRental.job.stop', target)]
      : [];
  const release = titledAction('gpuRental.job.releaseMachine', target);
  switch (kind) {
    case 'noAnswer':
    case 'notSaved':
    case 'notSent':
      return [retry, ...stop, ...(canReleaseMachine(row) ? [release] : []), ...instanceAction(row)];
    case 'overdue':
      return isAtWork(row)
        ? [...stop, ...instanceAction(row), logAction(row)]
        : [release, ...instanceAction(row)];
    case 'notFetched':
      return [
        commandAction(t('Retry'), 'gpuRental.job.fetchOutputs', target),
        // The machine is fine if this computer can't store them.
        ...(isLocalProblem(row.state.trouble?.why) ? [] : [release, ...instanceAction(row)]),
      ];
    case 'stillGuarded':
      return instanceAction(row);
    case 'notReleased':
      return [
        ...(job.machineEnd === undefined ? [release] : []),
        commandAction(labelOf('gpuRental.job.keepMachine'), 'gpuRental.job.keepNow', target),
        retry,
      ];
  }
}
