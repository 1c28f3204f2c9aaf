import { isFetchRepeatable } from '../../jobs/model/fetchAgain';
import { askedFetch } from '../../jobs/model/fetchSize';
import { isAtWork, isStranded, machineOf, type JobRow } from '../../jobs/model/job';
import { canExtend, extended, limitAt } from '../../jobs/model/jobExtension';
import { remainingMachine } from '../../jobs/store/remainingMachine';
import { stateOf } from '../../model/instances/instanceState';
import { zero } from '../../model/money';
import { commitmentTo } from '../model/agreed';
import { ToolError } from '../model/answer';
import { hourMs } from '../model/gate';
import { committedUntil } from '../model/ledger';
import { rentedByAgent, type Commitment } from '../model/request';
import type { ToolInput } from '../model/toolShapes';
import type { ToolContext, ToolHandlers } from './agentTools';
import { atOnce, instanceOf } from './instanceTools';
import { jobOf, rowAnswer, foreignTexts } from './jobLooks';
import { activeAccount, requestAnswer, requestBase, type ToolDeps } from './toolDeps';

async function stopJob(deps: ToolDeps, input: ToolInput<'stop_job'>, context: ToolContext) {
  const account = await activeAccount(deps);
  const base = requestBase(deps, 'stop_job', input, context);
  const row = await jobOf(deps, input.job);
  const request = { ...base, jobId: row.job.id };
  const { requests } = await deps.desk.read();
  const isKnown = requests.some(({ requestId }) => requestId === input.requestId);
  if (!isKnown && (!isAtWork(row) || row.job.decidedAt.stop !== undefined)) {
    throw new ToolError('The job has ended, or is being stopped. Nothing was done. Call get_job.');
  }
  // A stop of what an agent asked for saves money, and its outputs are still fetched.
  return row.job.agent === undefined
    ? requestAnswer(await deps.desk.ask(request, account.key))
    : atOnce(deps, request, account.key);
}

async function extendJob(deps: ToolDeps, input: ToolInput<'extend_job'>, context: ToolContext) {
  const account = await activeAccount(deps);
  const base = requestBase(deps, 'extend_job', input, context);
  const { requests } = await deps.desk.read();
  if (requests.some(({ requestId }) => requestId === input.requestId)) {
    return requestAnswer(await deps.desk.ask(base, account.key));
  }
  const row = await jobOf(deps, input.job);
  const { instanceId } = machineOf(row);
  const limits = canExtend(row) ? extended(row, input.hours) : undefined;
  const before = limitAt(row);
  if (!limits || before === undefined || instanceId === undefined) {
    throw new ToolError(
      'Only a job whose command runs can be extended, to 720 hours at most. Nothing was done. Call get_job.',
    );
  }
  const endsAt = before + input.hours * hourMs;
  const commitment = await commitmentFor(deps, instanceId, before, endsAt);
  const request = { ...base, jobId: row.job.id, jobLimits: limits, instanceId, endsAt };
  return requestAnswer(await deps.desk.ask({ ...request, ...(commitment && { commitment }) }, account.key));
}

/** Time to fetch the outputs (ms): the schedule of the machine moves with it. */
const spareMs = hourMs;

/** Returns what more time costs: on an instance of an agent from the end that is paid, otherwise from that of the job. */
async function commitmentFor(
  deps: ToolDeps,
  instanceId: number,
  before: number,
  endsAt: number,
): Promise<Commitment | undefined> {
  const instance = await instanceOf(deps, `inst_${instanceId}`);
  const { requests } = await deps.desk.read();
  if (!rentedByAgent({ quotes: [], requests }, instanceId)) {
    return { ...commitmentTo(instance, before, endsAt, 'stop'), stoppedPerHour: zero };
  }
  const until = endsAt + spareMs;
  const paid = committedUntil(requests, instanceId) ?? deps.clock.now();
  return paid >= until ? undefined : commitmentTo(instance, paid, until, 'stop');
}

async function fetchOutputs(deps: ToolDeps, input: ToolInput<'fetch_outputs'>) {
  const account = await activeAccount(deps);
  const row = await jobOf(deps, input.job);
  const { jobs } = deps.agentJobs;
  const { id } = row.job;
  if (row.job.agent === undefined) {
    throw new ToolError('The user ordered this job: ask the user to fetch its outputs.');
  }
  const how = wayToFetch(deps, row);
  if (how === 'user') {
    throw new ToolError(
      'These outputs need a decision of the user: they are large or dear, or their machine is stopped. Ask the user to run Fetch Outputs of Job in the Jobs view.',
    );
  }
  if (how !== 'none') {
    await deps.desk.checkNow(account.key);
    await (how === 'again' ? jobs.retry(id) : jobs.reopen(id, { machine: how }));
  }
  const after = await jobOf(deps, input.job);
  return {
    ...rowAnswer(deps, after),
    next:
      how === 'none'
        ? 'There is nothing to fetch: get_job states what is here.'
        : 'They are being fetched. Call get_job until outputsFolder is there.',
    untrusted: foreignTexts(deps, after),
  };
}

function wayToFetch(
  deps: ToolDeps,
  row: JobRow,
): 'none' | 'user' | 'again' | NonNullable<ReturnType<typeof remainingMachine>> {
  if (askedFetch(row) || isStranded(row)) {
    return 'user';
  }
  if (['ended', 'fetching'].includes(row.state.phase) || isFetchRepeatable(row)) {
    return 'again';
  }
  const machine = remainingMachine(deps, row);
  const instance = machine && deps.fleet.find(machine.instanceId);
  if (!machine || !instance) {
    return 'none';
  }
  const state = stateOf(instance, deps.fleet.facts(instance.id), deps.clock.now());
  return state === 'running' ? machine : 'user';
}

/** Returns the tools that change jobs. */
export function jobChanges(deps: ToolDeps): Pick<ToolHandlers, 'stop_job' | 'extend_job' | 'fetch_outputs'> {
  return {
    stop_job: (input, context) => stopJob(deps, input, context),
    extend_job: (input, context) => extendJob(deps, input, context),
    fetch_outputs: (input) => fetchOutputs(deps, input),
  };
}
