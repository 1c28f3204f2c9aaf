import * as vscode from 'vscode';
import { confirm } from '../../editor/confirm';
import { filesText } from '../../editor/filesText';
import { localize, t } from '../../editor/localize';
import { whileReadingInstances } from '../../editor/progress';
import { pickFromList, pickMany, type Row } from '../../editor/quickPick';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { formatMoney, fromDollars, type Micros } from '../../model/money';
import { AcceptGuard } from '../../model/rentals/acceptGuard';
import { trafficText } from '../../model/rentals/costFacts';
import { sentBytes, type SentFiles } from '../../ssh/sentFiles';
import { connectableInstances } from '../../store/instances/listed';
import { bytesText } from '../../util/bytes';
import type { Clock } from '../../util/clock';
import { durationText } from '../../util/duration';
import { plainLabel } from '../../util/plainLabel';
import { firstLineText } from '../../util/scriptLines';
import { text } from '../../util/text';
import type { JobRow } from '../model/job';
import type { HardLimit } from '../model/jobLimits';
import type { JobSpec, MachineEnds } from '../model/jobSpec';
import {
  destroysMachine,
  endsMachine,
  endsText,
  idleText,
  retriesText,
  secretFilesText,
} from '../model/jobText';
import type { JobDeps } from './deps';
import type { JobFact } from './jobSource';

export interface JobQuestion {
  readonly spec: JobSpec;
  readonly instance: Instance;
  readonly perHour: Micros | undefined;
  readonly limit: HardLimit;
  readonly sent: SentFiles;
  readonly outputsTo: string;
  readonly facts: readonly JobFact[];
  /** Jobs on the same machine that end before this one starts. */
  readonly after: readonly JobRow[];
  /** The jobs of a matrix, which share the machines and the cost limit. */
  readonly sweep: { readonly jobs: number; readonly machines: readonly Instance[]; readonly dollars: number };
}

const keepAll: MachineEnds = { success: 'keep', failure: 'keep', limit: 'keep' };

/** The most names to show of the files that are left out. */
const mostNames = 5;

/**
 * Shows what is sent, where the job runs, when it ends and what happens to the machine. A job stops or destroys a
 * machine only if the user chose that row, which names it.
 */
export async function confirmJob(
  clock: Clock,
  question: JobQuestion,
): Promise<MachineEnds | 'rent' | undefined> {
  const guard = new AcceptGuard(clock);
  try {
    const answer = await pickFromList<MachineEnds | 'rent'>({
      title: t('Run {0}: Confirm', question.spec.name),
      placeholder: t('Press Enter to run the job, or Escape to cancel.'),
      rows: rowsOf(question),
      activeId: 'keep',
      ignoreFocusOut: true,
      guard,
    });
    if (answer.kind !== 'picked') {
      return undefined;
    }
    if (answer.value === 'rent') {
      return answer.value;
    }
    return !destroysMachine(answer.value) || (await mayDestroy(question)) ? answer.value : undefined;
  } finally {
    guard.dispose();
  }
}

function mayDestroy({ instance, spec }: JobQuestion): Promise<boolean> {
  const name = instanceName(instance);
  return confirm({
    message: t('Destroy “{0}” after “{1}”?', name, spec.name),
    detail: t(
      'Once the outputs of the job are on this computer, {0} is destroyed as the file says, and all other data on it is lost. Until then, you can keep it in the Jobs view.',
      name,
    ),
    button: t('Run and Destroy'),
  });
}

function rowsOf(question: JobQuestion): readonly Row<MachineEnds | 'rent'>[] {
  const { spec, instance } = question;
  const name = plainLabel(instanceName(instance));
  const retries = retriesText(spec);
  const idle = idleText(spec);
  const separator = (label: string): Row<MachineEnds | 'rent'> => ({
    label,
    kind: vscode.QuickPickItemKind.Separator,
  });
  const fact = (
    id: string,
    label: string,
    description: string,
    detail?: string,
  ): Row<MachineEnds | 'rent'> => ({
    id: `fact:${id}`,
    label,
    description,
    ...(detail === undefined ? {} : { detail }),
  });
  return [
    {
      id: 'keep',
      icon: 'play',
      label: t('Run on {0}, and Keep It', name),
      description: keptPrice(question.perHour),
      value: keepAll,
      isGuarded: true,
    },
    ...(endsMachine(spec.ends)
      ? [
          {
            id: 'end',
            icon: 'play-circle',
            label: destroysMachine(spec.ends)
              ? t('Run on {0}, and Destroy It as the File Says', name)
              : t('Run on {0}, and Stop It as the File Says', name),
            detail: localize(endsText(spec.ends)),
            value: spec.ends,
            isGuarded: true,
          },
        ]
      : []),
    {
      id: 'rent',
      icon: 'rocket',
      label: t('Rent a GPU for It…'),
      description: t('on a separate machine; you confirm its price first'),
      value: 'rent',
    },
    ...(question.facts.length === 0 ? [] : [separator(t('Data'))]),
    ...question.facts.map(({ id, label, description, detail }) =>
      fact(
        id,
        plainLabel(label),
        plainLabel(description),
        detail === undefined ? undefined : plainLabel(detail),
      ),
    ),
    separator(t('Limits')),
    ...(question.sweep.jobs === 1 ? [] : [fact('sweep', t('Jobs'), sweepText(question))]),
    ...(question.after.length === 0
      ? []
      : [fact('after', t('Starts after'), question.after.map(({ job }) => job.spec.name).join(', '))]),
    fact('limit', t('Ends at the latest'), limitText(question)),
    fact('traffic', t('Traffic'), trafficPrices(instance)),
    ...(idle === undefined ? [] : [fact('idle', t('When idle'), localize(idle))]),
    ...(retries === undefined ? [] : [fact('retries', t('Runs again after'), localize(retries))]),
    separator(t('Files')),
    ...sentRows(question, fact),
    fact('outputs', t('Outputs'), outputsText(question), question.outputsTo),
    ...(question.sent.secretFiles.length === 0
      ? []
      : [fact('secretFiles', t('May be secrets'), localize(secretFilesText(question.sent.secretFiles)))]),
    ...(spec.secrets.length === 0 ? [] : [fact('secrets', t('Secrets'), spec.secrets.join(', '))]),
    separator(t('Command')),
    ...(spec.setup === undefined ? [] : [fact('setup', t('Set-up'), localize(firstLineText(spec.setup)))]),
    fact('run', t('Command'), localize(firstLineText(spec.run))),
  ];
}

/** Returns the prices of what is sent and fetched, which counts toward the dollars of the job. */
function trafficPrices({ inetDownPerGb: downPerGb, inetUpPerGb: upPerGb }: Instance): string {
  return localize(trafficText({ downPerGb, upPerGb }));
}

function sweepText({ sweep }: JobQuestion): string {
  const names = sweep.machines.map((one) => plainLabel(instanceName(one))).join(', ');
  const most = formatMoney(fromDollars(sweep.dollars));
  return t('{0} jobs on {1}, {2} at most for all of them, without traffic', sweep.jobs, names, most);
}

function keptPrice(perHour: Micros | undefined): string {
  return perHour === undefined
    ? t('it still costs money afterwards')
    : t('it still costs {0}/h afterwards', formatMoney(perHour));
}

function limitText({ spec, limit, perHour }: JobQuestion): string {
  const time = localize(durationText((limit.setupSeconds + limit.runSeconds) * 1000));
  if (limit.most === undefined || perHour === undefined) {
    return t('after {0}; the service states no price', time);
  }
  const end = limit.isByCost
    ? text('after {0}, at its limit of {1}', time, formatMoney(fromDollars(spec.costDollars)))
    : text('after {0}, which costs {1} at most, without traffic', time, formatMoney(limit.most));
  return t('{0} ({1})', end, text('{0}/h', formatMoney(perHour)));
}

function sentRows(
  { spec, sent }: JobQuestion,
  fact: (id: string, label: string, description: string, detail?: string) => Row<MachineEnds | 'rent'>,
): readonly Row<MachineEnds | 'rent'>[] {
  if (!spec.sync) {
    return [fact('sent', t('Sent'), t('nothing'))];
  }
  const bytes = sentBytes(sent);
  const by = sent.isFromGit ? t('without files that Git ignores') : t('without files that .gitignore names');
  const { leftOut } = sent;
  const named = leftOut.slice(0, mostNames).map(({ name, why }) => t('{0} ({1})', name, why));
  return [
    fact('sent', t('Sent'), t('{0}, {1}, {2}', filesText(sent.tree.files.length), bytesText(bytes), by)),
    ...(leftOut.length === 0
      ? []
      : [
          fact(
            'leftOut',
            t('Left out'),
            filesText(leftOut.length),
            leftOut.length > mostNames
              ? t('{0} and {1} more', named.join(', '), leftOut.length - mostNames)
              : named.join(', '),
          ),
        ]),
  ];
}

function outputsText({ spec }: JobQuestion): string {
  return spec.outputs.length === 0 ? t('none are fetched') : spec.outputs.join(', ');
}

/** Lets the user pick instances that share a matrix, the chosen one first; `undefined` if the user canceled. */
export async function sweepMachines(
  deps: Pick<JobDeps, 'fleet' | 'clock'>,
  { name, matrix, maxParallel }: JobSpec,
  first: Instance,
): Promise<readonly Instance[] | undefined> {
  if (!matrix || maxParallel === 1) {
    return [first];
  }
  const able = await connectableInstances(deps, whileReadingInstances);
  const others = able.filter(({ id }) => id !== first.id);
  if (others.length === 0) {
    return [first];
  }
  const rows = others.map((instance) => ({
    label: plainLabel(instanceName(instance)),
    description: `#${instance.id}`,
    instance,
  }));
  const picked = await pickMany(rows, {
    title: t('Share {0} With Other Instances?', name),
    placeHolder: t('Choose up to {0} besides {1}, or none', maxParallel - 1, plainLabel(instanceName(first))),
    mostRows: maxParallel - 1,
  });
  return picked && [first, ...picked.map(({ instance }) => instance)];
}
