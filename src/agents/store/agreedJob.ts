import type { DraftJob } from '../../jobs/model/draftJob';
import { machineOf, type Job } from '../../jobs/model/job';
import { canExtend } from '../../jobs/model/jobExtension';
import { guardSecondsOf } from '../../jobs/model/jobLimits';
import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor } from '../../model/instances/instanceState';
import { zero } from '../../model/money';
import type { Offer } from '../../model/offers/offer';
import { hourlyRate, perHour, runningRateOf } from '../../model/quote';
import { requestOf, type RentRequest } from '../../model/rentals/rentDraft';
import { machineName } from '../../model/rentals/rentFacts';
import type { RentChoices, RentSource } from '../../model/rentals/rentPlan';
import type { ActingAccount } from '../../store/accounts/accounts';
import { accountStill } from '../../store/accounts/sameAccount';
import { defined } from '../../util/defined';
import { realPlace } from '../../util/realPlace';
import { checkFresh } from '../model/agreed';
import { ToolError } from '../model/answer';
import { hourMs } from '../model/gate';
import { rentalLabel, type AgentRequest } from '../model/request';
import type { DoAgreedDeps } from './doAgreed';
import { draftOf, queryOf, samePlan } from './plannedJob';

interface ToRent {
  readonly accountKey: string;
  readonly offer: Offer;
  readonly source: RentSource;
}

/** Returns the rental of a job, as it is for a person's, and what orders the job for it, right before it is sent. */
export async function jobToRent(
  deps: DoAgreedDeps,
  request: AgentRequest,
  { accountKey, offer, source }: ToRent,
): Promise<{ readonly wish: RentRequest; readonly order: (marker: string) => Promise<void> }> {
  const planned = await samePlan(deps, request, accountKey);
  const { spec, recipe, folder } = planned;
  const { quote } = request;
  if (!recipe || !quote) {
    throw new ToolError('The file names no machine to rent. Nothing was rented. Call check_job again.');
  }
  const draft = await draftOf(deps, planned, 'offer', request.at);
  const { env, onStart: onstart, runtype, machine, end } = recipe;
  const choices = defined<RentChoices>({
    source,
    diskGb: quote.diskGb,
    label: rentalLabel(request),
    env: Object.keys(env).length === 0 ? undefined : env,
    onstart,
    runtype,
  });
  const wish = requestOf(
    {
      accountKey,
      query: queryOf(planned, recipe, source, quote.diskGb),
      choices,
      offer,
      order: { guardSeconds: (price) => guardSecondsOf(spec, price) },
      workspace: {
        folder: await realPlace({ path: folder, root: { opened: folder } }),
        ...defined({ machine, onStart: onstart, end }),
      },
    },
    hourlyRate(quote.perHour),
  );
  const on = { name: machineName(offer), perHour: quote.perHour };
  return {
    wish,
    order: (marker) => orderJob(deps, request, draft, { machine: on, rental: { marker } }, accountKey),
  };
}

/** Orders the job of a request on an instance that runs. */
export async function orderOnInstance(
  deps: DoAgreedDeps,
  request: AgentRequest,
  account: ActingAccount,
): Promise<void> {
  const { agentJobs, fleet, clock, desk } = deps;
  const instance = request.instanceId === undefined ? undefined : fleet.find(request.instanceId);
  if (!instance || !actionsFor(instance, fleet.facts(instance.id), clock.now()).canConnect) {
    throw new ToolError('The instance is not running any more. Nothing was done. Call check_job again.');
  }
  const price = runningRateOf(instance);
  const planned = await samePlan(deps, request, account.key);
  const draft = await draftOf(deps, planned, { image: instance.image }, request.at);
  const on = {
    instanceId: instance.id,
    name: instanceName(instance),
    perHour: price === undefined ? undefined : perHour(price),
  };
  if (request.commitment && (on.perHour ?? zero) > request.commitment.perHour) {
    throw new ToolError('The price of the instance rose. Nothing was done. Call check_job again.');
  }
  await agentJobs.prepare(accountStill(deps.accounts, account.key), instance.id, async () => {
    await desk.checkNow(account.key, request);
    checkFresh(request, clock.now());
  });
  await desk.checkNow(account.key, request);
  checkFresh(request, clock.now());
  await orderJob(deps, request, draft, { machine: on }, account.key);
  await desk.move(request.id, ['working'], { state: 'done' }, account.key);
}

/** Orders a job once: the request that it names is moved first, so that a window that was given up orders nothing. */
async function orderJob(
  { accounts, agentJobs, desk }: DoAgreedDeps,
  request: AgentRequest,
  { order, each, names }: DraftJob,
  on: Pick<Job, 'machine' | 'rental'>,
  accountKey: string,
): Promise<void> {
  const [one] = each;
  const { id: requestId, caller } = request;
  const agent = { name: caller.name, request: requestId };
  if (!one || !(await desk.move(requestId, ['renting', 'working'], {}, accountKey))) {
    throw new ToolError('The request was given up before anything was sent. Nothing was done.');
  }
  // Jobs are those of the active account.
  accountStill(accounts, accountKey);
  const { id: jobId } = await agentJobs.jobs.order({ ...order, ...one, ...on, agent }, names);
  await desk.move(requestId, ['renting', 'working'], { jobId }, accountKey);
}

/** Stops or extends a job. */
export async function changeJob(
  deps: DoAgreedDeps,
  request: AgentRequest,
  account: ActingAccount,
): Promise<void> {
  const { agentJobs, accounts, desk, clock } = deps;
  const { jobs } = agentJobs;
  const { jobId = '', tool, jobLimits, commitment } = request;
  const row = jobs.find(jobId);
  if (row && commitment && (machineOf(row).perHour ?? zero) > commitment.perHour) {
    throw new ToolError('The price of the instance rose. Nothing was done. Ask again with a new requestId.');
  }
  await desk.checkNow(account.key, request);
  checkFresh(request, clock.now());
  accountStill(accounts, account.key);
  const isDone =
    tool === 'stop_job'
      ? await jobs.stop(jobId)
      : row !== undefined &&
        jobLimits !== undefined &&
        canExtend(row) &&
        (await jobs.extend(jobId, jobLimits));
  if (!isDone) {
    throw new ToolError('The job is over or gone. Nothing was done. Call get_job.');
  }
  await moveEnd(deps, request);
  await desk.move(request.id, ['working'], { state: 'done' }, account.key);
}

/** Moves an earlier scheduled end of the machine, as it does where a person extends a job. */
async function moveEnd({ schedules }: DoAgreedDeps, { instanceId, endsAt }: AgentRequest): Promise<void> {
  const schedule = instanceId === undefined ? undefined : schedules.find(instanceId)?.schedule;
  if (instanceId !== undefined && endsAt !== undefined && schedule?.term.kind === 'at') {
    const at = endsAt + hourMs;
    if (schedule.term.at < at) {
      await schedules.set(instanceId, schedule.action, { kind: 'at', at });
    }
  }
}
