import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor } from '../../model/instances/instanceState';
import { fromDollars, times, zero } from '../../model/money';
import { toOfferSearch } from '../../model/offers/marketQuery';
import type { Offer } from '../../model/offers/offer';
import { fitting } from '../../model/offers/offerMatch';
import { effectiveRuntype, lacksShell, plannedDiskGb, type RentSource } from '../../model/rentals/rentPlan';
import { templateName } from '../../model/templates/templateName';
import { refState } from '../../model/templates/templateRef';
import type { OpenRecipe } from '../../model/workspace/workspaceFile';
import type { Account } from '../../store/accounts/accounts';
import { findTemplate } from '../../store/templates/findTemplate';
import { defined } from '../../util/defined';
import { commitmentTo, stoppedPerHour } from '../model/agreed';
import { ToolError } from '../model/answer';
import { hourMs, lasts, quoteLastsMs } from '../model/gate';
import { rentedHours, secondsFor, type JobPlan } from '../model/jobPlan';
import { committedUntil } from '../model/ledger';
import { rentedByAgent, type Commitment, type RentalQuote } from '../model/request';
import type { ToolInput } from '../model/toolShapes';
import type { ToolContext, ToolHandlers } from './agentTools';
import { instanceOf } from './instanceTools';
import { jobChanges } from './jobChanges';
import { jobLooks } from './jobLooks';
import { allowanceFor, commitmentOf, factsOf, priceOf } from './marketTools';
import { noSecret, planJob, queryOf, samePlan, type PlannedJob } from './plannedJob';
import {
  activeAccount,
  awaitSearchTurn,
  idIn,
  requestAnswer,
  requestBase,
  untrusted,
  usd,
  type ToolDeps,
} from './toolDeps';

/** The plan of a job, and the facts of its machine for a model. */
interface Planned {
  readonly plan: JobPlan;
  readonly machine: Readonly<Record<string, unknown>>;
  /** The name of its machine, which a stranger or the user chose. */
  readonly name: string | undefined;
}

async function checkJob(deps: ToolDeps, input: ToolInput<'check_job'>, { signal }: ToolContext) {
  const account = await activeAccount(deps);
  await deps.agentJobs.jobs.ready;
  const { key: accountKey } = account;
  const planned = await planJob(deps, { accountKey, folder: input.folder, name: input.job }, signal);
  const { plan, machine, name } =
    input.instance === undefined
      ? await onOffer(deps, account, planned, input.offer, signal)
      : await onInstance(deps, account, planned, input.instance);
  deps.jobPlans.keep(plan);
  const { spec, files, missingSecrets } = planned;
  const commitment = await commitmentFor(deps, plan);
  const { problem = secretProblem(planned), ...allowance } = await allowanceFor(deps, {
    commitment,
    hours: plan.hours,
    instanceId: plan.instanceId,
  });
  const allowed = problem === undefined;
  const ends = plan.quote ? spec.rentedEnds : spec.ends;
  return {
    plan: plan.id,
    ...machine,
    priceUsdPerHour: usd(plan.perHour),
    mostUsd: usd(times(plan.perHour, plan.hours)),
    limitHours: spec.hours,
    limitUsd: spec.costDollars,
    machineHours: plan.hours,
    machineAfterSuccess: ends.success,
    machineAfterFailure: ends.failure,
    files: files.names.length,
    sentMb: Math.ceil(files.bytes / 1e5) / 10,
    leftOut: files.leftOut.length,
    ...allowance,
    allowed,
    ...(problem === undefined ? {} : { problem }),
    expiresAt: new Date(plan.at + quoteLastsMs).toISOString(),
    next: allowed
      ? 'Call run_job with this plan and a new requestId.'
      : missingSecrets.length > 0
        ? noSecret
        : 'Tell the user.',
    untrusted: untrusted(
      deps,
      {
        machine: name,
        leftOut: files.leftOut.slice(0, 20).join(', ') || undefined,
        mayBeSecrets: files.secretFiles.join(', ') || undefined,
        secrets: spec.secrets.join(', ') || undefined,
        missingSecrets: missingSecrets.join(', ') || undefined,
        outputs: spec.outputs.join(', ') || undefined,
      },
      160,
    ),
    ...(account.isDemo ? { demo: true } : {}),
  };
}

function secretProblem({ missingSecrets }: PlannedJob): string | undefined {
  return missingSecrets.length === 0 ? undefined : 'The user has not given the job all of its secrets.';
}

/** What a yes to the plan commits to; an instance of an agent is paid for until its end already. */
async function commitmentFor(deps: ToolDeps, plan: JobPlan): Promise<Commitment | undefined> {
  const now = deps.clock.now();
  if (plan.quote) {
    return commitmentOf(plan.quote, now);
  }
  const { requests } = await deps.desk.read();
  return plan.instanceId !== undefined && rentedByAgent({ quotes: [], requests }, plan.instanceId)
    ? undefined
    : { perHour: plan.perHour, stoppedPerHour: zero, from: now, until: now + plan.hours * hourMs };
}

function planOf(
  deps: ToolDeps,
  { accountKey, hours, perHour }: Pick<JobPlan, 'accountKey' | 'hours' | 'perHour'>,
  { folder, spec, print }: PlannedJob,
): JobPlan {
  const id = deps.desk.newId('plan');
  const job = { plan: id, folder, name: spec.name, print };
  return { id, accountKey, at: deps.clock.now(), job, hours, perHour };
}

function neededHours(planned: PlannedJob, perHour: JobPlan['perHour']): number {
  const seconds = secondsFor(planned.spec, perHour);
  if (seconds === undefined) {
    throw new ToolError(
      'The job would use up its "costDollars" before its command starts at this price. Raise them, or choose a cheaper machine.',
    );
  }
  return seconds / 3600;
}

async function onInstance(
  deps: ToolDeps,
  { key: accountKey }: Account,
  planned: PlannedJob,
  handle: string,
): Promise<Planned> {
  const instance = await instanceOf(deps, handle);
  const now = deps.clock.now();
  if (!actionsFor(instance, deps.fleet.facts(instance.id), now).canConnect) {
    throw new ToolError(
      'The instance is not running, or has no SSH. Start it, or leave instance out to rent one.',
    );
  }
  const { perHour } = commitmentTo(instance, now, now, 'stop');
  const hours = neededHours(planned, perHour);
  const { requests } = await deps.desk.read();
  const isOwn = rentedByAgent({ quotes: [], requests }, instance.id) !== undefined;
  if (isOwn && (committedUntil(requests, instance.id) ?? 0) < now + hours * hourMs) {
    throw new ToolError('The instance ends before the job could. Call set_schedule for a later end first.');
  }
  return {
    plan: { ...planOf(deps, { accountKey, hours, perHour }, planned), instanceId: instance.id },
    machine: { instance: `inst_${instance.id}` },
    name: instanceName(instance),
  };
}

async function onOffer(
  deps: ToolDeps,
  account: Account,
  planned: PlannedJob,
  handle: string | undefined,
  signal: AbortSignal,
): Promise<Planned> {
  const recipe = rentable(planned);
  const source = await sourceOf(account, recipe, signal);
  if (lacksShell(effectiveRuntype(defined({ source, runtype: recipe.runtype })))) {
    throw new ToolError(
      'The machine of the file has no login, so no job can run on it. Change its "runType".',
    );
  }
  const { offer, price, diskGb } = await findOffer(
    deps,
    account,
    { planned, recipe, source, handle },
    signal,
  );
  const hours = rentedHours(neededHours(planned, price.perHour) * 3600);
  const plan = planOf(deps, { accountKey: account.key, hours, perHour: price.perHour }, planned);
  const quote: RentalQuote = {
    id: plan.id,
    accountKey: account.key,
    at: plan.at,
    expiresAt: plan.at + quoteLastsMs,
    offer,
    ...(source.kind === 'image'
      ? { what: source.image, image: source.image }
      : {
          templateId: source.template.id,
          templateHash: source.template.hashId,
          what: templateName(source.template),
          template: factsOf(source.template, account.user.id),
        }),
    diskGb,
    hours,
    then: 'stop',
    label: `${planned.spec.name} machine`.slice(-40),
    perHour: price.perHour,
    stoppedPerHour: stoppedPerHour(price, 'stop'),
    ...(price.stopped === undefined ? { isDiskUnpriced: true } : {}),
    total: times(price.perHour, hours),
  };
  return {
    plan: { ...plan, quote },
    machine: { offer: `offer_${offer.id}`, gpuCount: offer.gpuCount ?? 1 },
    name: offer.gpuName,
  };
}

/** An agent rents what is in the file, and nothing that needs a choice of the user. */
function rentable({ recipe }: PlannedJob): OpenRecipe & { readonly maxPricePerHour: number } {
  const { maxPricePerHour, maxBid, volumes = [] } = recipe ?? {};
  if (!recipe || maxPricePerHour === undefined || (!recipe.image && !recipe.template)) {
    throw new ToolError(
      'The file names no machine to rent: add "image" or "template", and "maxPricePerHour", or give an instance.',
    );
  }
  if (maxBid !== undefined || volumes.some(({ optional }) => optional !== true)) {
    throw new ToolError(
      'A machine with "interruptible" or "volumes" is rented by the user only. Ask the user to run the job, or give an instance.',
    );
  }
  return { ...recipe, maxPricePerHour };
}

async function sourceOf(
  { client }: Account,
  { template: ref, image = '' }: OpenRecipe,
  signal: AbortSignal,
): Promise<RentSource> {
  if (!ref) {
    return { kind: 'image', image };
  }
  const template = await findTemplate(client, { templateId: ref.id }, { signal });
  if (!template || refState(ref, template).kind !== 'current') {
    throw new ToolError('The template of the file was deleted or edited. Ask the user to look at it.');
  }
  return { kind: 'template', template };
}

interface Search {
  readonly planned: PlannedJob;
  readonly recipe: OpenRecipe & { readonly maxPricePerHour: number };
  readonly source: RentSource;
  readonly handle: string | undefined;
}

/** Returns the cheapest offer that fits the file and lasts for the job, or the named one at no more than its price. */
async function findOffer(
  deps: ToolDeps,
  { client }: Account,
  { planned, recipe, source, handle }: Search,
  signal: AbortSignal,
) {
  const diskGb = recipe.diskGb ?? plannedDiskGb({ source });
  const query = queryOf(planned, recipe, source, diskGb);
  const id = handle === undefined ? undefined : idIn(handle);
  await awaitSearchTurn(deps, signal);
  const { items } = await client.offers.search(
    id === undefined ? toOfferSearch(query) : { ...toOfferSearch(query), filters: { id: { eq: id } } },
    { signal },
  );
  const isFit = (offer: Offer) => offer.rentable !== false && (id === undefined || offer.id === id);
  const found = (id === undefined ? fitting(items, query) : items).filter(isFit).flatMap((offer) => {
    const price = priceOf(offer, diskGb);
    return price && price.perHour <= fromDollars(recipe.maxPricePerHour) ? [{ offer, price, diskGb }] : [];
  });
  const cheapest = found.sort((one, other) => one.price.perHour - other.price.perHour)[0];
  if (!cheapest) {
    throw new ToolError(
      id === undefined
        ? 'No offer fits the machine of the file now. Widen its "filters" or "maxPricePerHour", or try again later.'
        : 'The offer was taken, or costs more than "maxPricePerHour" of the file.',
    );
  }
  return cheapest;
}

async function runJob(deps: ToolDeps, input: ToolInput<'run_job'>, context: ToolContext) {
  const account = await activeAccount(deps);
  const base = requestBase(deps, 'run_job', input, context);
  const { requests } = await deps.desk.read();
  if (requests.some(({ requestId }) => requestId === input.requestId)) {
    return requestAnswer(await deps.desk.ask(base, account.key));
  }
  const plan = deps.jobPlans.find(input.plan);
  if (plan?.accountKey !== account.key) {
    throw new ToolError('There is no such plan on this account. Call check_job again.');
  }
  if (!lasts(plan.at, quoteLastsMs, deps.clock.now())) {
    throw new ToolError('The plan has expired. Call check_job again.');
  }
  await samePlan(deps, plan, account.key);
  const commitment = await commitmentFor(deps, plan);
  const request = await deps.desk.ask(
    {
      ...base,
      job: plan.job,
      ...(plan.quote && { quote: plan.quote }),
      ...(plan.instanceId === undefined ? {} : { instanceId: plan.instanceId }),
      ...(commitment && { commitment }),
    },
    account.key,
  );
  return { ...requestAnswer(request), priceUsdPerHour: usd(plan.perHour) };
}

export type JobToolHandlers = Pick<
  ToolHandlers,
  'check_job' | 'run_job' | 'get_job' | 'list_jobs' | 'fetch_outputs' | 'stop_job' | 'extend_job'
>;

/** Returns the tools that plan, run and follow jobs. */
export function jobTools(deps: ToolDeps): JobToolHandlers {
  return {
    check_job: (input, context) => checkJob(deps, input, context),
    run_job: (input, context) => runJob(deps, input, context),
    ...jobLooks(deps),
    ...jobChanges(deps),
  };
}
