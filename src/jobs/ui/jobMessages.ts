import { commandAction, titledAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { message, type Action } from '../../editor/message';
import { momentText } from '../../editor/timeText';
import { labelOf, titleOf } from '../../editor/titles';
import { formatMoney, fromDollars } from '../../model/money';
import type { Disposable } from '../../util/disposable';
import { durationText } from '../../util/duration';
import { isStranded, machineEndOf, machineOf, type JobRow } from '../model/job';
import { limitAt } from '../model/jobExtension';
import { fetchSeconds } from '../model/jobLimits';
import { otherJobText } from '../model/jobText';
import { jobNotice, jobNoticeKind, servedNews, type JobNotice } from '../store/jobNotice';
import type { JobDeps } from './deps';
import { leftOutText } from './jobItems';
import { instanceAction, logAction, stillCosts, type JobMessage } from './jobMessage';
import {
  type AgainKind,
  fetchedAgainMessage,
  notStartedMessage,
  type RunKind,
  runMessage,
} from './resultMessages';
import { stuckMessage, type StuckKind } from './stuckMessages';

/** Shows messages about jobs, each in one window only. */
export function showJobMessages(deps: JobDeps): Disposable {
  return deps.notices.onDidPost(({ key, kind, accountKey, data }) => {
    const parsed = jobNotice.safeParse(data);
    if (kind === jobNoticeKind && parsed.success && accountKey === deps.accounts.active?.key) {
      deps.oneWindow.offer(key, () => showNotice(deps, parsed.data));
    }
  });
}

async function showNotice(deps: JobDeps, notice: JobNotice): Promise<void> {
  await deps.jobs.ready;
  const row = deps.jobs.find(notice.jobId);
  if (row && !(row.job.serves && servedNews.includes(notice.kind))) {
    const { level, sentence, actions } = messageOf(row, notice, deps);
    message(level, sentence, ...actions);
  }
}

type LimitKind = 'nearLimit' | 'extended' | 'notExtended' | 'idle';

function messageOf(
  row: JobRow,
  { kind, ...notice }: JobNotice,
  { clock, fleet }: Pick<JobDeps, 'clock' | 'fleet'>,
): JobMessage {
  const now = clock.now();
  switch (kind) {
    case 'nearLimit':
    case 'extended':
    case 'notExtended':
    case 'idle':
      return limitMessage(row, kind, now);
    case 'notStarted':
      return notStartedMessage(row, fleet);
    case 'ended':
    case 'triedAgain':
    case 'notCheckpointed':
      return runMessage(row, kind, now);
    case 'fetchedAgain':
    case 'notFetchedAgain':
      return fetchedAgainMessage(row, kind);
    case 'notReady':
    case 'notReplaced':
    case 'lost':
    case 'machineStopped':
    case 'keeping':
    case 'incomplete':
    case 'largeOutputs':
    case 'othersThere':
    case 'released':
      return machineMessage(row, kind, now);
    case 'noAnswer':
    case 'notFetched':
    case 'notReleased':
    case 'notSaved':
    case 'notSent':
    case 'overdue':
    case 'stillGuarded':
      return stuckMessage(row, { ...notice, kind }, now);
  }
}

function limitMessage(row: JobRow, kind: LimitKind, now: number): JobMessage {
  const { spec } = row.job;
  const { name } = spec;
  const until = momentText(limitAt(row) ?? now, now);
  switch (kind) {
    case 'nearLimit':
      return {
        level: 'warning',
        sentence: t('{0} reaches its limit at {1}. It then ends, and its outputs are fetched.', name, until),
        actions: [titledAction('gpuRental.job.extend', { jobId: row.job.id }), logAction(row)],
      };
    case 'extended':
      return {
        level: 'info',
        sentence: t(
          '{0} now ends at {1} at the latest and costs at most {2}, without traffic.',
          name,
          until,
          formatMoney(fromDollars(spec.costDollars)),
        ),
        actions: [],
      };
    case 'notExtended':
      return {
        level: 'warning',
        sentence: t('Could not extend {0}: it is already ending.', name),
        actions: [logAction(row)],
      };
    case 'idle':
      return { level: 'warning', sentence: idleSentence(row, now), actions: idleActions(row) };
  }
}

function machineMessage(
  row: JobRow,
  kind: Exclude<JobNotice['kind'], LimitKind | RunKind | AgainKind | StuckKind | 'notStarted'>,
  now: number,
): JobMessage {
  const { job, state } = row;
  const { name } = job.spec;
  const machine = machineOf(row).name;
  const target = { jobId: job.id };
  const log = logAction(row);
  const keep = commandAction(labelOf('gpuRental.job.keepMachine'), 'gpuRental.job.keepNow', target);
  const release = titledAction('gpuRental.job.releaseMachine', target);
  switch (kind) {
    case 'notReady':
      return {
        level: 'warning',
        sentence: t('{0} did not get ready for {1}. {2}', machine, name, stillCosts(row)),
        actions: [
          commandAction(titleOf('gpuRental.job.stop'), 'gpuRental.job.stop', target),
          ...instanceAction(row),
        ],
      };
    case 'notReplaced':
      return {
        level: 'warning',
        sentence: t(
          'The machine of {0} was lost, and no replacement is rented yet. {1} Retrying…',
          name,
          state.trouble?.why ?? '',
        ),
        actions: [
          commandAction(titleOf('gpuRental.job.stop'), 'gpuRental.job.stop', target),
          // What holds the old machine back is up to the user.
          ...((state.others ?? []).length > 0 ? instanceAction(row) : []),
          log,
        ],
      };
    case 'lost':
      return {
        level: 'warning',
        sentence: t('{0} is gone. The outputs of {1} that were not fetched are lost.', machine, name),
        actions: [log],
      };
    case 'machineStopped':
      return stoppedMessage(row);
    case 'keeping':
      return { level: 'warning', sentence: keepingSentence(row, now), actions: [keep] };
    case 'incomplete':
      return {
        level: 'warning',
        sentence: incompleteSentence(row),
        actions: [
          ...((state.outputs?.leftOut ?? 0) > 0 ? [titledAction('gpuRental.job.fetchOutputs', target)] : []),
          ...[release, keep, log],
        ],
      };
    case 'largeOutputs':
      return {
        level: 'warning',
        sentence: largeSentence(row),
        actions: [titledAction('gpuRental.job.fetchOutputs', target), release, log],
      };
    case 'othersThere':
      return { level: 'warning', sentence: othersSentence(row), actions: [release, keep] };
    case 'released':
      return {
        level: 'info',
        sentence:
          state.outcome === 'destroyed'
            ? t('{0} is destroyed after {1}. The service no longer lists it.', machine, name)
            : t('{0} is stopped after {1}. Storage still costs money.', machine, name),
        actions: [],
      };
  }
}

function idleActions(row: JobRow): readonly Action[] {
  const stop = commandAction(titleOf('gpuRental.job.stop'), 'gpuRental.job.stop', { jobId: row.job.id });
  return row.job.spec.endsIfIdle ? [logAction(row)] : [stop, logAction(row)];
}

function idleSentence(row: JobRow, now: number): string {
  const { name, endsIfIdle } = row.job.spec;
  const time = durationText(now - (row.state.idleSince ?? now));
  const { perHour } = machineOf(row);
  if (endsIfIdle) {
    return t('{0} ends because it has been idle for {1} (no new log line, GPU under 5 %).', name, time);
  }
  return perHour === undefined
    ? t('{0} has been idle for {1} (no new log line, GPU under 5 %).', name, time)
    : t(
        '{0} has been idle for {1} (no new log line, GPU under 5 %). Its machine costs {2}/h.',
        name,
        time,
        formatMoney(perHour),
      );
}

function stoppedMessage(row: JobRow): JobMessage {
  const { name } = row.job.spec;
  const machine = machineOf(row);
  const { instanceId } = machine;
  return isStranded(row)
    ? {
        level: 'warning',
        sentence:
          row.state.phase === 'starting'
            ? t(
                '{0} is stopped, and it is unknown whether {1} started there. Storage still costs money.',
                machine.name,
                name,
              )
            : t(
                '{0} is stopped before the outputs of {1} were fetched. Storage still costs money.',
                machine.name,
                name,
              ),
        actions: [titledAction('gpuRental.job.fetchOutputs', { jobId: row.job.id }), ...instanceAction(row)],
      }
    : {
        level: 'warning',
        sentence: t(
          "{0} is stopped, so {1} can't start there. Storage still costs money.",
          machine.name,
          name,
        ),
        actions: instanceId === undefined ? [] : [titledAction('gpuRental.instance.start', { instanceId })],
      };
}

function keepingSentence(row: JobRow, now: number): string {
  const { name } = row.job.spec;
  const machine = machineOf(row).name;
  const at = momentText(row.state.keepUntil ?? now, now);
  return machineEndOf(row) === 'destroy'
    ? t('{0} will be destroyed at {1}, after {2}. All data on it is lost.', machine, at, name)
    : t('{0} will be stopped at {1}, after {2}.', machine, at, name);
}

function othersSentence({ job, state }: JobRow): string {
  const [first] = state.others ?? [];
  const machine = machineOf({ job, state }).name;
  const why = first ? localize(otherJobText(first)) : '';
  return t('{0} is kept after {1}. {2} {3}', machine, job.spec.name, stillCosts({ job, state }), why);
}

function incompleteSentence(row: JobRow): string {
  const { job, state } = row;
  const { name } = job.spec;
  const machine = machineOf(row).name;
  const costs = stillCosts(row);
  if (state.outputs?.files === 0 && state.outputs.leftOut === 0) {
    return t('No outputs of {0} were found, so {1} is kept. {2}', name, machine, costs);
  }
  const left = leftOutText(row);
  return left === undefined
    ? t('Some outputs of {0} could not be fetched, so {1} is kept. {2}', name, machine, costs)
    : t('Some outputs of {0} could not be fetched, so {1} is kept. {2} {3}', name, machine, costs, left);
}

/** The guard of a machine that was rented stops it a while after the last login, with the outputs on it. */
function largeSentence(row: JobRow): string {
  const { job, state } = row;
  const machine = machineOf(row).name;
  const why = state.trouble?.why ?? '';
  return state.guardedUntil === undefined
    ? t(
        'The outputs of {0} wait on {1} for your decision. {2} {3}',
        job.spec.name,
        machine,
        why,
        stillCosts(row),
      )
    : t(
        'The outputs of {0} wait on {1} for your decision. {2} {3} Without a decision, it stops in {4} and keeps them.',
        job.spec.name,
        machine,
        why,
        stillCosts(row),
        durationText(fetchSeconds * 1000),
      );
}
