import * as vscode from 'vscode';
import { filesText } from '../../editor/filesText';
import { localize, t } from '../../editor/localize';
import { momentText } from '../../editor/timeText';
import { labelOf } from '../../editor/titles';
import { tooltip } from '../../editor/tooltip';
import { bytesText } from '../../util/bytes';
import { durationText } from '../../util/duration';
import { isFetchRepeatable } from '../model/fetchAgain';
import {
  hasUnfetched,
  isRetried,
  isStranded,
  isAtWork,
  isOver,
  machineOf,
  needsYou,
  type JobMove,
  type JobRow,
} from '../model/job';
import { canExtend, limitAt } from '../model/jobExtension';
import { causeText, machinePlanText, moveText, phaseText, useText } from '../model/jobText';
import { isLostHere } from '../model/lostProgress';
import { canReleaseMachine } from '../model/outOfReach';

export type JobGroup = 'running' | 'needsYou' | 'finished';

export function groupOf(row: JobRow): JobGroup {
  return isOver(row) ? 'finished' : needsYou(row) ? 'needsYou' : 'running';
}

/** Finished jobs are expanded, so that a job stays visible when it ends. */
export function jobGroupItem(group: JobGroup, count: number): vscode.TreeItem {
  const labels = { running: t('Running'), needsYou: t('Needs Attention'), finished: t('Finished') };
  const item = new vscode.TreeItem(labels[group], vscode.TreeItemCollapsibleState.Expanded);
  item.id = `jobs-${group}`;
  item.description = String(count);
  item.contextValue = `;jobs;${group};`;
  return item;
}

/** `isFetchable`: the job is over, and its outputs can be fetched again. */
export function jobItem(
  row: JobRow,
  now: number,
  { move, isFetchable = false }: { readonly move?: JobMove | undefined; readonly isFetchable?: boolean } = {},
): vscode.TreeItem {
  const { job } = row;
  const item = new vscode.TreeItem(job.spec.name, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `job-${job.id}`;
  item.description = [
    localize(move ? moveText(move) : phaseText(row)),
    localize(useText(row, now)),
    ...(isAtWork(row) ? numbersText(row) : []),
    ...(job.agent === undefined ? [] : [t('by agent')]),
  ].join(' · ');
  item.iconPath = new vscode.ThemeIcon(iconOf(row));
  item.contextValue = contextOf(row, isFetchable);
  item.tooltip = jobTooltip(row, now);
  item.accessibilityInformation = { label: `${job.spec.name}, ${item.description}` };
  return item;
}

function iconOf(row: JobRow): string {
  const { state } = row;
  if (needsYou(row) || isLostHere(row)) {
    return 'warning';
  }
  if (!isOver(row)) {
    return 'loading~spin';
  }
  return state.end?.why === 'itself' && state.end.code === 0 ? 'pass' : 'error';
}

/** Returns the context value for the row's menu: each word is enclosed in semicolons. */
function contextOf(row: JobRow, isFetchable: boolean): string {
  const { job, state } = row;
  const states = [
    'job',
    ...(isAtWork(row) && job.decidedAt.stop === undefined ? ['canStop'] : []),
    ...(canExtend(row) ? ['canExtend'] : []),
    ...(isRetried(row) ? ['canRetry'] : []),
    ...(hasUnfetched(row) || isStranded(row) || isFetchRepeatable(row) || isFetchable ? ['canFetch'] : []),
    ...((state.outputs?.files ?? 0) > 0 ? ['hasOutputs'] : []),
    ...(hasLogs(row) && (isFetchable || !isOver(row)) ? ['hasLogs'] : []),
    ...(isOver(row) ? ['isOver'] : ['canKeep']),
    ...(canReleaseMachine(row) ? ['canRelease'] : []),
  ];
  return `;${states.join(';')};`;
}

/** Returns whether its command has run and may have written into a folder of outputs. */
export function hasLogs({ job, state }: JobRow): boolean {
  return state.startedAt !== undefined && job.spec.outputs.length > 0;
}

function jobTooltip(row: JobRow, now: number): vscode.MarkdownString {
  const { job, state } = row;
  const at = (ms: number | undefined) => (ms === undefined ? undefined : momentText(ms, now));
  return tooltip(
    [
      [t('State'), localize(phaseText(row))],
      [t('Reason'), reasonText(row)],
      [t('Problem'), state.trouble?.why && localize(state.trouble.why)],
      [t('Used'), localize(useText(row, now))],
      [t('Ordered'), at(job.orderedAt)],
      [t('Asked for by agent (unverified name)'), job.agent && t('“{0}”', job.agent.name)],
      [t('Command since'), at(state.startedAt)],
      [t('Ends at the latest'), canExtend(row) ? at(limitAt(row)) : undefined],
      [t('Last seen'), lastSeen(row, now)],
      [t('GPU'), state.gpuPercent === undefined ? undefined : `${Math.round(state.gpuPercent)} %`],
      [t('Printed last'), numbersText(row).join(' · ') || undefined],
      [t('Machine'), machineText(row)],
      [t('Machine afterwards'), afterwards(row)],
      [t('When no editor is open'), guardText(row, now)],
      [t('Commit'), commitText(row)],
      [t('Outputs'), outputsText(row)],
    ],
    { heading: job.spec.name },
  );
}

/** Explains why the job is over, or why its outputs could not be fetched since. */
function reasonText({ state: { why, reopened, phase } }: JobRow): string | undefined {
  if (phase === 'over' && reopened?.why) {
    return t('Could not fetch the outputs again. {0}', reopened.why);
  }
  return why && localize(why);
}

/** What the log last said of the progress. */
/** An engine prints numbers of its own, which are no progress. */
function numbersText({ job, state }: JobRow): readonly string[] {
  const { epoch, step, loss, speed } = (job.serves ? undefined : state.numbers) ?? {};
  return [
    ...(epoch === undefined ? [] : [t('epoch {0}', epoch)]),
    ...(step === undefined ? [] : [t('step {0}', step)]),
    ...(loss === undefined ? [] : [t('loss {0}', loss)]),
    ...(speed === undefined ? [] : [speed]),
  ];
}

function machineText(row: JobRow): string {
  const { name, instanceId } = machineOf(row);
  return instanceId === undefined ? name : `${name} (#${instanceId})`;
}

/** States only what the machine has proved. */
function guardText({ job, state }: JobRow, now: number): string | undefined {
  if (!job.rental || state.phase === 'over' || state.reopened || state.beganAt === undefined) {
    return undefined;
  }
  return state.guardedUntil === undefined
    ? t('automatic stop not confirmed yet')
    : t('stops by itself after the job, or at {0}', momentText(state.guardedUntil, now));
}

function lastSeen({ state }: JobRow, now: number): string | undefined {
  return state.lastSeenAt === undefined || state.phase === 'over'
    ? undefined
    : t('{0} ago', durationText(now - state.lastSeenAt));
}

function afterwards(row: JobRow): string {
  const { state } = row;
  switch (state.outcome) {
    case 'stopped':
      return t('stopped');
    case 'destroyed':
      return t('destroyed');
    case 'lost':
      return t('lost before the outputs were fetched');
    case 'notStarted':
      return machineOf(row).instanceId === undefined ? t('none was rented') : t('kept');
    case 'kept':
      return t('kept');
    case 'unknown':
      return t('unknown: it may still run and cost money');
    case undefined:
      return localize(machinePlanText(row));
  }
}

function commitText({ job: { commit } }: JobRow): string | undefined {
  if (!commit) {
    return undefined;
  }
  const hash = commit.hash.slice(0, 8);
  if (commit.isDirty === undefined) {
    return t('{0}, uncommitted changes could not be read', hash);
  }
  return commit.isDirty ? t('{0}, with uncommitted changes', hash) : hash;
}

function outputsText(row: JobRow): string | undefined {
  const { outputs } = row.state;
  if (!outputs) {
    return undefined;
  }
  const files = filesText(outputs.files);
  const size = bytesText(outputs.bytes);
  const brought = outputs.areHashed
    ? t('{0}, {1}, compared by hash', files, size)
    : t('{0}, {1}, compared by size', files, size);
  const left = leftOutText(row);
  return left === undefined ? brought : `${brought}. ${left}`;
}

/** Lists the outputs that were not fetched, with reasons; `undefined` if there are none, or none has a known name. */
export function leftOutText({ state: { outputs } }: Pick<JobRow, 'state'>): string | undefined {
  const { leftOut = 0, named = [] } = outputs ?? {};
  const names = named.map(({ name, why }) => t('{0} ({1})', name, localize(why))).join(', ');
  if (named.length === 0) {
    return undefined;
  }
  const more = leftOut - named.length;
  return t('Left out: {0}', more > 0 ? t('{0} and {1} more', names, more) : names);
}

/** The rows under a job. */
const parts = ['log', 'outputs', 'machine', 'others', 'attempts'] as const;
export type JobPart = (typeof parts)[number];

export function jobPartItem(row: JobRow, part: JobPart): vscode.TreeItem {
  const { job, state } = row;
  const { instanceId } = machineOf(row);
  const target = { jobId: job.id };
  const item = new vscode.TreeItem(partLabel(row, part));
  item.id = `job-${job.id}-${part}`;
  item.contextValue = ';jobPart;';
  switch (part) {
    case 'log':
      item.iconPath = new vscode.ThemeIcon('output');
      item.command = {
        command: 'gpuRental.job.showLog',
        title: labelOf('gpuRental.showLog'),
        arguments: [target],
      };
      break;
    case 'outputs':
      item.iconPath = new vscode.ThemeIcon('folder');
      item.description =
        outputsText(row) ??
        (state.isLost ? t('unknown') : isOver(row) ? t('not fetched') : t('not fetched yet'));
      if ((state.outputs?.files ?? 0) > 0) {
        item.command = {
          command: 'gpuRental.job.openOutputs',
          title: labelOf('gpuRental.job.openOutputs'),
          arguments: [target],
        };
      }
      break;
    case 'machine':
      item.iconPath = new vscode.ThemeIcon('vm');
      item.description = afterwards(row);
      if (instanceId !== undefined) {
        item.command = {
          command: 'gpuRental.instance.reveal',
          title: t('Show Instance'),
          arguments: [{ instanceId }],
        };
      }
      break;
    case 'others':
      item.iconPath = new vscode.ThemeIcon('organization');
      item.description = othersText(row);
      item.tooltip = item.description;
      break;
    case 'attempts':
      item.iconPath = new vscode.ThemeIcon('history');
      item.description = attemptsText(row);
      item.tooltip = item.description;
  }
  return item;
}

function partLabel(row: JobRow, part: JobPart): string {
  const labels = {
    log: t('Log'),
    outputs: t('Outputs'),
    machine: machineOf(row).name,
    others: t('Jobs of Other Computers'),
    attempts: t('Attempts'),
  };
  return labels[part];
}

/** Returns the rows under a job: attempts if there was more than one, other jobs while it has the machine. */
export function rowsBelow({ state }: JobRow): readonly JobPart[] {
  const shown = {
    attempts: (state.attempts ?? []).length > 0,
    others: (state.others ?? []).length > 0 && state.phase !== 'over',
  };
  return parts.filter((part) => (part !== 'attempts' && part !== 'others') || shown[part]);
}

/** These rows have no commands: only the computer that ordered a job can end it. */
function othersText({ state }: JobRow): string {
  return (state.others ?? [])
    .map(({ name, isAtWork }) =>
      isAtWork ? t('{0}: not finished', name) : t('{0}: outputs not fetched', name),
    )
    .join(', ');
}

function attemptsText({ state }: JobRow): string {
  const past = (state.attempts ?? []).map(({ cause, machine }, index) =>
    t('{0} on {1}: {2}', index + 1, machine, localize(causeText(cause))),
  );
  return [...past, t('{0} now', state.attempt)].join(', ');
}
