import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { JobTarget } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { runCommand, signedIn, titledAction } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { filesText } from '../../editor/filesText';
import { warnAboutLineEnds } from '../../editor/lineEnds';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileReadingInstances, withCancellableProgress } from '../../editor/progress';
import { problemsOfSeveral } from '../../editor/reachSeveral';
import type { Instance } from '../../model/instances/instance';
import { instanceName, nameAmong } from '../../model/instances/instanceLabel';
import { formatMoney, fromDollars, type Micros } from '../../model/money';
import { perHour, runningRateOf } from '../../model/quote';
import { isRentedFor, matchesRecipe } from '../../model/workspace/recipeMatch';
import type { OpenRecipe } from '../../model/workspace/workspaceFile';
import { commitOf } from '../../ssh/localGit';
import { runProgram } from '../../ssh/run';
import { sentBytes, type SentFiles } from '../../ssh/sentFiles';
import { accountStill } from '../../store/accounts/sameAccount';
import { connectableInstances } from '../../store/instances/listed';
import { bytesText } from '../../util/bytes';
import { UserError } from '../../util/errors';
import { realPlace } from '../../util/realPlace';
import { text } from '../../util/text';
import { filesOfJob } from '../machine/filesOfJob';
import { missingFiles } from '../machine/missingFiles';
import { setupKey } from '../machine/setupKey';
import type { DraftJob, OneOfDraft } from '../model/draftJob';
import { isAtWork, type Job } from '../model/job';
import { hardLimit, type HardLimit } from '../model/jobLimits';
import { variantsOf } from '../model/jobMatrix';
import { type JobSpec, jobText, type MachineEnds } from '../model/jobSpec';
import { namedFiles } from '../model/namedFiles';
import { outputsFolderOf, withOutputs, workspaceKeyOf } from '../store/outputsFolders';
import { confirmJob, sweepMachines } from './confirmJob';
import type { JobDeps } from './deps';
import { chooseJob, type JobSource } from './jobSource';
import { askSecrets } from './secretsOfJobs';

/** Returns true if the workspace is trusted to run its jobs; otherwise shows why it can't. */
export function isTrusted(): boolean {
  if (!vscode.workspace.isTrusted) {
    message('warning', t("This workspace is not trusted, so its jobs can't run."), {
      label: t('Manage Workspace Trust'),
      run: () => vscode.commands.executeCommand('workbench.trust.manage'),
    });
  }
  return vscode.workspace.isTrusted;
}

/**
 * Runs a job of the workspace file, on an instance or on one that is rented for it. Returns its id, or `undefined` if the
 * user canceled.
 */
export async function runJob(deps: JobDeps, target: JobTarget | undefined): Promise<string | undefined> {
  const machine = target && 'instanceId' in target ? deps.fleet.find(target.instanceId) : undefined;
  const named = target && 'uri' in target ? target : undefined;
  const source = isTrusted() ? await chooseJob(named) : undefined;
  return source && runSource(deps, machine ? { ...source, machines: [machine] } : source);
}

/** Runs a job that is already read. */
export async function runSource(deps: JobDeps, source: JobSource): Promise<string | undefined> {
  const { spec, folder } = source;
  const account = await signedIn(deps.accounts);
  const instance = account && (source.machines?.[0] ?? (await chooseMachine(deps, source)));
  if (!account || !instance || !(await saveAll())) {
    return undefined;
  }
  const orderedAt = deps.clock.now();
  const outputsTo = outputsFolderOf(spec, folder, orderedAt);
  // Reported before anything is paid; fetched files are checked again.
  await realPlace({ path: outputsTo, root: { opened: folder } });
  const sent = await filesOf(source);
  await checkCommand(spec, folder, sent);
  if (!(await mayBeThatMuch(spec, sent))) {
    return undefined;
  }
  const machineNames = (source.machines ?? (instance === 'rent' ? [] : [instance])).map(instanceName);
  const destination = machineNames.join(', ') || t('an instance that is rented for it');
  if (!(await askSecrets(deps, account.key, source, destination))) {
    return undefined;
  }
  const unplaced = {
    workspace: folder,
    workspaceKey: workspaceKeyOf(folder, spec),
    commit: await commitOf({ run: runProgram }, folder),
  };
  const known = () => deps.jobs.rows.map(({ job }) => job.outputsTo);
  const placed = () => withOutputs(variantsOf(spec), folder, orderedAt, known());
  const rent = async () => {
    const each = placed();
    const [first = { spec }] = each;
    const image = source.recipe?.image ?? source.recipe?.template?.hash;
    const key = await setupKey(spec, folder, sent.names, image);
    const shown = { ...first.spec, name: spec.name };
    const order = { ...unplaced, spec: shown, outputsTo, setupKey: key };
    const before = new Set(deps.jobs.rows.map(({ job }) => job.id));
    await rentJob(deps, order, each, sent, source.recipe);
    // Its rental has ordered the jobs, of which the first is the oldest.
    return deps.jobs.rows.findLast(({ job }) => !before.has(job.id) && isOfFile(job, folder, spec))?.job.id;
  };
  if (instance === 'rent') {
    return rent();
  }
  const machines = source.machines ?? (await sweepMachines(deps, spec, instance));
  if (!machines) {
    return undefined;
  }
  const variants = variantsOf(spec);
  const [first = spec] = variants;
  const dollars = dearest(machines);
  const limit = limitOf(spec, first, dollars);
  const ends = await confirmed(deps, source, machines, sent, () =>
    confirmJob(deps.clock, {
      spec: { ...first, name: spec.name },
      instance,
      perHour: dollars,
      limit,
      sent,
      outputsTo,
      facts: source.facts ?? [],
      after: machines.flatMap((one) => deps.jobs.ofInstance(one.id).filter(isAtWork)),
      sweep: { jobs: variants.length, machines, dollars: spec.costDollars },
    }),
  );
  if (ends === 'rent') {
    return rent();
  }
  if (!ends || !(await areReachable(machines, account.key))) {
    return undefined;
  }
  accountStill(deps.accounts, account.key);
  const id = await orderEach(deps, placed(), machines, { ...unplaced, ends, folder }, sent);
  if (id !== undefined) {
    await runCommand('gpuRental.job.showLog', { jobId: id });
  }
  return id;
}

/** Returns what the job sends, and what its command names without getting it. */
function filesOf({ spec, folder }: JobSource): Promise<SentFiles> {
  return withCancellableProgress(t('Checking the files that {0} sends…', spec.name), (signal) =>
    filesOfJob(folder, spec, signal),
  );
}

interface OrderParts extends Pick<Job, 'workspace' | 'workspaceKey' | 'commit' | 'ends'> {
  readonly folder: string;
}

function isOfFile({ workspace, spec: { name, nameInFile } }: Job, folder: string, spec: JobSpec): boolean {
  return workspace === folder && [name, nameInFile].includes(spec.name);
}

/** Distributes the jobs over the machines in turn; returns the id of the first. */
async function orderEach(
  { jobs }: JobDeps,
  each: readonly OneOfDraft[],
  machines: readonly Instance[],
  { folder, ...parts }: OrderParts,
  { names }: SentFiles,
): Promise<string | undefined> {
  let first: string | undefined;
  for (const [index, { spec, outputsTo }] of each.entries()) {
    const machine = machines[index % machines.length];
    if (machine) {
      const { id } = await jobs.order(
        {
          ...parts,
          spec,
          setupKey: await setupKey(spec, folder, names, machine.image),
          machine: { instanceId: machine.id, name: instanceName(machine), perHour: dearest([machine]) },
          outputsTo,
        },
        names,
      );
      first ??= id;
    }
  }
  return first;
}

/** Returns the highest price per hour; `undefined` if the service states none for one of the machines. */
function dearest(machines: readonly Instance[]): Micros | undefined {
  const prices = machines.map((one) => {
    const price = runningRateOf(one);
    return price === undefined ? undefined : perHour(price);
  });
  return prices.reduce((one, other) =>
    one === undefined || other === undefined ? undefined : one > other ? one : other,
  );
}

/** Returns false, after a message, if one of the machines has no SSH. */
async function areReachable(machines: readonly Instance[], accountKey: string): Promise<boolean> {
  const ids = machines.map(({ id }) => id);
  const [first, ...others] = ids;
  if (first !== undefined && others.length === 0) {
    return (await runCommand('gpuRental.prepareSsh', { instanceId: first, accountKey })) !== undefined;
  }
  const problems = await problemsOfSeveral(ids, accountKey);
  const names = machines.filter(({ id }) => problems.has(id)).map((one) => nameAmong(one, machines));
  if (names.length > 0) {
    message(
      'error',
      t('Could not log in to these instances, so no job was started: {0}', names.join(', ')),
      titledAction('gpuRental.showLog'),
    );
  }
  return names.length === 0;
}

/**
 * Lets the user choose a machine. On a busy one the job waits for earlier jobs. If the recipe has exactly one, it is
 * not asked for.
 */
async function chooseMachine(
  deps: JobDeps,
  { spec, recipe, folder }: JobSource,
): Promise<Instance | 'rent' | undefined> {
  if (spec.machine === 'new') {
    return 'rent';
  }
  const able = await connectableInstances(deps, whileReadingInstances);
  const workspace = await realPlace({ path: folder, root: { opened: folder } });
  const isOwn = (one: Instance, of: OpenRecipe) =>
    spec.machineName === undefined
      ? matchesRecipe(one, of)
      : isRentedFor(deps.rentals.find(one.id), workspace, of);
  const own = recipe && spec.machine === 'running' ? able.filter((one) => isOwn(one, recipe)) : [];
  const all = own.length > 0 ? own : able;
  const free = all.filter((one) => !deps.jobs.ofInstance(one.id).some(isAtWork));
  const candidates = own.length > 0 && free.length > 0 ? free : all;
  const isWanting = spec.machineName === undefined ? candidates.length === 0 : own.length === 0;
  if (isWanting && (spec.machine === 'ask' || spec.machineName !== undefined)) {
    return 'rent';
  }
  const id = await chooseInstance(undefined, candidates, 'gpuRental.job.run');
  return id === undefined ? undefined : deps.fleet.find(id);
}

/** Throws if the cost limit would be used up before the command can start. */
function limitOf(spec: JobSpec, first: JobSpec, dollars: Micros | undefined): HardLimit {
  const limit = hardLimit(first, dollars);
  if (!limit) {
    throw new UserError(
      text(
        'The job {0} would use up its {1} before its command starts, at {2}/h. Raise "costDollars".',
        spec.name,
        formatMoney(fromDollars(spec.costDollars)),
        dollars === undefined ? '' : formatMoney(dollars),
      ),
    );
  }
  return limit;
}

/** Saves all files, because files are sent as they are on disk. */
async function saveAll(): Promise<boolean> {
  const isDirty = vscode.workspace.textDocuments.some(
    (document) => document.isDirty && document.uri.scheme === 'file',
  );
  return !isDirty || vscode.workspace.saveAll(false);
}

async function checkCommand(spec: JobSpec, folder: string, sent: SentFiles): Promise<void> {
  const [missing] = spec.sync ? await missingFiles(folder, spec, sent) : [];
  if (missing !== undefined) {
    throw new UserError(
      text('The job {0} names {1}, which is not sent. Add it to "include" in "sync".', spec.name, missing),
    );
  }
  const own = namedFiles(`${spec.setup ?? ''}\n${spec.run}`).filter((name) => sent.names.includes(name));
  await warnAboutLineEnds(join(folder, spec.workdir), own);
}

/** Asks before sending more than the file allows, and names the largest files. */
async function mayBeThatMuch({ name, sync }: JobSpec, sent: SentFiles): Promise<boolean> {
  const { files } = sent.tree;
  const bytes = sentBytes(sent);
  if (!sync || (files.length <= sync.maxFiles && bytes <= sync.maxMb * 1e6)) {
    return true;
  }
  const largest = [...files].sort((a, b) => b.size - a.size).slice(0, 5);
  return confirm({
    message: t('Send {0}, {1}, for {2}?', filesText(files.length), bytesText(bytes), name),
    detail: [
      t(
        'The job allows {0} and {1}. The largest are:',
        filesText(sync.maxFiles),
        bytesText(sync.maxMb * 1e6),
      ),
      ...largest.map((file) => t('• {0} ({1})', file.name, bytesText(file.size))),
    ].join('\n'),
    button: t('Send All'),
  });
}

const confirmedKey = 'gpuRental.jobs.confirmed';

/**
 * Confirms a job that keeps its machine once for each job text, machine and secret files. A job that stops or destroys its machine is
 * confirmed every time: the file of a repository does not speak for the user.
 */
async function confirmed(
  { globalState }: JobDeps,
  { spec, folder, facts }: JobSource,
  machines: readonly Instance[],
  { secretFiles }: SentFiles,
  ask: () => Promise<MachineEnds | 'rent' | undefined>,
): Promise<MachineEnds | 'rent' | undefined> {
  const about = [folder, machines.map(({ id }) => id).join(' '), jobText(spec), ...secretFiles];
  const mark = hashOf(about.join('\n')).slice(0, 16);
  const known = globalState.get<readonly string[]>(confirmedKey, []);
  const isKept = Object.values(spec.ends).every((end) => end === 'keep');
  if (isKept && !facts && known.includes(mark)) {
    return spec.ends;
  }
  const ends = await ask();
  if (ends && ends !== 'rent') {
    await globalState.update(confirmedKey, [...known.filter((one) => one !== mark), mark].slice(-200));
  }
  return ends;
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Searches offers for a job. The user confirms there whether to rent, and what. */
async function rentJob(
  { sshConsent }: Pick<JobDeps, 'sshConsent'>,
  order: Omit<DraftJob['order'], 'ends'>,
  each: DraftJob['each'],
  sent: SentFiles,
  recipe: OpenRecipe | undefined,
): Promise<void> {
  const { spec } = order;
  const job: DraftJob = {
    order: { ...order, ends: spec.rentedEnds },
    each,
    machines: Math.min(spec.maxParallel, each.length),
    names: sent.names,
    bytes: sentBytes(sent),
    secretFiles: sent.secretFiles,
    leftOut: sent.leftOut.map(({ name }) => name),
  };
  // The user may be away when the machine is ready, so the question comes first.
  await sshConsent.ask();
  await runCommand('gpuRental.rentForJob', { job, recipe });
}
