import { spendable } from '../../model/accounts/account';
import { stateOf } from '../../model/instances/instanceState';
import { fromDollars, times } from '../../model/money';
import { findGpuModels } from '../../model/offers/gpuModels';
import { mostRows, toOfferSearch, type MarketQuery } from '../../model/offers/marketQuery';
import type { Offer } from '../../model/offers/offer';
import { fitting } from '../../model/offers/offerMatch';
import { defaultFilters, type Filters } from '../../model/offers/searchFields';
import { perDay, perHour } from '../../model/quote';
import { leastDiskGb } from '../../model/rentals/rentPlan';
import { isOwnTemplate, type Template } from '../../model/templates/template';
import { templateImage, templateName } from '../../model/templates/templateName';
import type { Account } from '../../store/accounts/accounts';
import { findTemplate } from '../../store/templates/findTemplate';
import { waitSince } from '../../util/clock';
import { offerPrice, stoppedPerHour } from '../model/agreed';
import { pageOf, ToolError } from '../model/answer';
import { lasts, quoteLastsMs } from '../model/gate';
import { remainingLimits, overLimit, usageInAll, type Wanted } from '../model/ledger';
import type { AgentRequest, Commitment, RentalQuote } from '../model/request';
import type { ToolInput } from '../model/toolShapes';
import type { ToolContext, ToolHandlers } from './agentTools';
import {
  activeAccount,
  idIn,
  requestAnswer,
  requestBase,
  awaitSearchTurn,
  untrusted,
  usd,
  waitMsOf,
  type ToolDeps,
} from './toolDeps';

const usualRows = 5;
const hourMs = 3_600_000;

async function searchOffers(deps: ToolDeps, input: ToolInput<'search_offers'>, { signal }: ToolContext) {
  const { client, isDemo } = await activeAccount(deps);
  const query: MarketQuery = {
    filters: filtersOf(input),
    rentalType: 'on-demand',
    sort: 'price',
    diskGb: Math.max(leastDiskGb, input.diskGb ?? 16),
  };
  await awaitSearchTurn(deps, signal);
  const found = await client.offers.search(toOfferSearch(query), { signal });
  const offers = fitting(found.items, query).filter(({ rentable }) => rentable !== false);
  const { limits } = await deps.desk.gate();
  const rows = offers.map((offer) => {
    const price = priceOf(offer, query.diskGb);
    return {
      offer: `offer_${offer.id}`,
      gpuCount: offer.gpuCount,
      ...(offer.gpuRamMb === undefined ? {} : { gpuRamGb: Math.round(offer.gpuRamMb / 1024) }),
      ...(price === undefined ? {} : { priceUsdPerHour: usd(price.perHour) }),
      ...(offer.reliability === undefined
        ? {}
        : { reliabilityPercent: Math.floor(offer.reliability * 1000) / 10 }),
      country: offer.countryCode,
      withinLimits: price !== undefined && price.perHour <= fromDollars(limits.perHour),
      untrusted: untrusted(deps, { gpu: offer.gpuName, location: offer.location }),
    };
  });
  return pageOf('offers', rows, partOf(input), {
    ...(found.skipped === 0 ? {} : { skipped: found.skipped }),
    // A page with further pages states that instead.
    ...nextOf(found, rows.length),
    asOf: new Date(deps.clock.now()).toISOString(),
    ...(isDemo ? { demo: true } : {}),
  });
}

function nextOf(
  { items, skipped }: { readonly items: readonly Offer[]; readonly skipped: number },
  shown: number,
): { readonly next?: string } {
  if (items.length + skipped >= mostRows) {
    return { next: `Only ${mostRows} offers were read, the cheapest first. Narrow the search for others.` };
  }
  if (shown > 0) {
    return {};
  }
  const none =
    skipped === 0
      ? 'No offer fits now.'
      : `No offer that could be read fits now, and ${skipped} could not be read.`;
  return {
    next: `${none} Leave out an argument or widen it. gpu is a model such as "RTX 4090", "H100" or "A100 PCIE".`,
  };
}

function partOf({
  cursor,
  limit,
}: {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}) {
  return { from: Number(cursor ?? 0), limit: limit ?? usualRows };
}

/** The service compares names as a whole, and a model writes "H100" or "4090" as people do. */
function modelsOf(gpu: string): readonly string[] {
  const found = findGpuModels(gpu);
  return found.length > 0 ? found : [gpu];
}

function filtersOf(input: ToolInput<'search_offers'>): Filters {
  return {
    ...defaultFilters,
    ...(input.gpu === undefined ? {} : { gpu: { oneOf: modelsOf(input.gpu) } }),
    ...(input.gpuCount === undefined ? {} : { gpuCount: { min: input.gpuCount, max: input.gpuCount } }),
    ...(input.minGpuRamGb === undefined ? {} : { gpuRamGb: { min: input.minGpuRamGb } }),
    ...(input.maxPriceUsdPerHour === undefined ? {} : { pricePerHour: { max: input.maxPriceUsdPerHour } }),
    ...(input.country === undefined ? {} : { country: { oneOf: [input.country.toUpperCase()] } }),
    ...(input.minReliabilityPercent === undefined
      ? {}
      : { reliability: { min: input.minReliabilityPercent } }),
  };
}

export function priceOf(offer: Offer, diskGb: number) {
  const price = offerPrice(offer, diskGb);
  return price && { ...price, perHour: perHour(price.running) };
}

async function listTemplates(deps: ToolDeps, input: ToolInput<'list_templates'>, { signal }: ToolContext) {
  const { client } = await activeAccount(deps);
  const filters = input.scope === 'public' ? { recommended: { eq: true } } : {};
  const { items, skipped } = await client.templates.search(filters, { signal });
  const sentence = (input.text ?? '').toLowerCase();
  const found = items.filter((one) => `${one.name} ${one.image}`.toLowerCase().includes(sentence));
  const rows = found.map((one) => ({
    template: `template_${one.id}`,
    ...(one.recommendedDiskGb === undefined ? {} : { recommendedDiskGb: one.recommendedDiskGb }),
    untrusted: untrusted(deps, { name: templateName(one), image: templateImage(one) }),
  }));
  return pageOf('templates', rows, partOf(input), skipped === 0 ? {} : { skipped });
}

async function quoteRental(deps: ToolDeps, input: ToolInput<'quote_rental'>, { signal }: ToolContext) {
  const account = await activeAccount(deps);
  if ((input.template === undefined) === (input.image === undefined)) {
    throw new ToolError('Give either a template or an image, not both.');
  }
  const diskGb = Math.max(leastDiskGb, input.diskGb);
  const id = idIn(input.offer);
  await awaitSearchTurn(deps, signal);
  const { items } = await account.client.offers.search(
    { filters: { id: { eq: id } }, rentalType: 'on-demand', order: [], allocatedStorageGb: diskGb },
    { signal },
  );
  const offer = items.find((one) => one.id === id && one.rentable !== false);
  const price = offer && priceOf(offer, diskGb);
  if (!offer || !price) {
    throw new ToolError('The offer was taken, or states no price. Call search_offers again.');
  }
  const template =
    input.template === undefined ? undefined : await templateOf(account, input.template, signal);
  const now = deps.clock.now();
  const quote: RentalQuote = {
    id: deps.desk.newId('quote'),
    accountKey: account.key,
    at: now,
    expiresAt: now + quoteLastsMs,
    offer,
    ...(template === undefined
      ? { what: input.image ?? '' }
      : {
          templateId: template.id,
          templateHash: template.hashId,
          what: templateName(template),
          template: factsOf(template, account.user.id),
        }),
    ...(input.image === undefined ? {} : { image: input.image }),
    diskGb,
    hours: input.hours,
    then: input.then,
    ...(input.label === undefined ? {} : { label: input.label }),
    perHour: price.perHour,
    stoppedPerHour: stoppedPerHour(price, input.then),
    ...(price.stopped === undefined ? { isDiskUnpriced: true } : {}),
    total: times(price.perHour, input.hours),
  };
  await deps.desk.keepQuote(quote);
  const allowance = await allowanceFor(deps, { commitment: commitmentOf(quote, now), hours: input.hours });
  const credit = spendable(account.user);
  return {
    quote: quote.id,
    priceUsdPerHour: usd(quote.perHour),
    ...(price.stopped === undefined ? {} : { stoppedUsdPerDay: usd(perDay(price.stopped)) }),
    totalUsd: usd(quote.total),
    ...(credit === undefined ? {} : { creditUsd: usd(credit) }),
    ...allowance,
    expiresAt: new Date(quote.expiresAt).toISOString(),
    next: allowance.allowed ? 'Call request_rental with this quote and a new requestId.' : 'Tell the user.',
    ...(account.isDemo ? { demo: true } : {}),
  };
}

/** Returns whether the limits leave room for what an agent may ask for; without a commitment, whether it may ask. */
export async function allowanceFor(
  deps: ToolDeps,
  wanted: Omit<Wanted, 'commitment'> & { readonly commitment: Wanted['commitment'] | undefined },
) {
  const { commitment, hours, instanceId } = wanted;
  const { requests } = await deps.desk.read();
  const gate = await deps.desk.gate();
  const own = commitment && (await deps.desk.ownProblem({ commitment, ...(instanceId && { instanceId }) }));
  const problem =
    gate.limits.access === 'ask'
      ? commitment && (own?.(requests) ?? overLimit(gate, requests, { commitment, hours, instanceId }))
      : 'The user lets agents look only.';
  return {
    allowed: problem === undefined,
    ...(problem === undefined ? {} : { problem }),
    limitsLeft: remainingLimits(gate.limits, usageInAll(requests, gate)),
  };
}

export function factsOf(template: Template, userId: number): NonNullable<RentalQuote['template']> {
  const { onstart = '', recommended } = template;
  return {
    image: templateImage(template),
    isOfStranger: !isOwnTemplate(template, userId) && recommended !== true,
    hasStartScript: onstart.trim() !== '',
  };
}

async function templateOf({ client }: Account, handle: string, signal: AbortSignal): Promise<Template> {
  const found = await findTemplate(client, { templateId: idIn(handle) }, { signal });
  if (!found) {
    throw new ToolError('There is no such template any more. Call list_templates again.');
  }
  return found;
}

export function commitmentOf(quote: RentalQuote, from: number): Commitment {
  const { perHour: hourly, stoppedPerHour: resting, hours } = quote;
  // Includes the time that the user may take to answer, because the end is counted from the request.
  return { perHour: hourly, stoppedPerHour: resting, from, until: from + hours * hourMs };
}

async function requestRental(deps: ToolDeps, input: ToolInput<'request_rental'>, context: ToolContext) {
  const account = await activeAccount(deps);
  const { quotes, requests } = await deps.desk.read();
  const known = requests.find(({ requestId }) => requestId === input.requestId);
  const quote = quotes.find(({ id }) => id === input.quote) ?? known?.quote;
  const now = deps.clock.now();
  if (!quote || quote.id !== input.quote || quote.accountKey !== account.key) {
    throw new ToolError('There is no such quote on this account. Call quote_rental again.');
  }
  if (!known && !lasts(quote.at, quoteLastsMs, now)) {
    throw new ToolError('The quote has expired. Call quote_rental again.');
  }
  const request = await deps.desk.ask(
    { ...requestBase(deps, 'request_rental', input, context), quote, commitment: commitmentOf(quote, now) },
    account.key,
  );
  return { ...requestAnswer(request), priceUsdPerHour: usd(quote.perHour) };
}

async function getRequest(deps: ToolDeps, input: ToolInput<'get_request'>, { signal }: ToolContext) {
  await activeAccount(deps);
  const since = deps.clock.elapsed();
  const untilMs = waitMsOf(input);
  const first = await findRequest(deps, input.request);
  let request = first;
  for (
    let atMs = 1000;
    isWaiting(deps, request) && request.state === first.state && atMs <= untilMs;
    atMs += 1000
  ) {
    await waitSince(deps.clock, since, atMs, signal);
    request = await findRequest(deps, input.request);
  }
  const instance = request.instanceId === undefined ? undefined : deps.fleet.find(request.instanceId);
  return {
    ...requestAnswer(request),
    ...(isGone(deps, request)
      ? { instanceState: 'gone', next: 'The instance is gone and costs nothing more. Nothing is left to do.' }
      : {}),
    ...(instance === undefined
      ? {}
      : {
          instanceState: stateOf(instance, deps.fleet.facts(instance.id), deps.clock.now()),
          ready: deps.isReady(instance.id),
          untrusted: untrusted(deps, { status: instance.statusMessage }, 200),
        }),
  };
}

async function findRequest({ desk }: ToolDeps, id: string): Promise<AgentRequest> {
  const found = (await desk.read()).requests.find((one) => one.id === id);
  if (!found) {
    throw new ToolError(
      'There is no such request on this account. Use the handle that request_rental returned.',
    );
  }
  return found;
}

function isWaiting(deps: ToolDeps, request: AgentRequest): boolean {
  const { state, instanceId, job } = request;
  return (
    ['pending', 'renting', 'unknown', 'working'].includes(state) ||
    (state === 'rented' &&
      job === undefined &&
      instanceId !== undefined &&
      !isGone(deps, request) &&
      !deps.isReady(instanceId))
  );
}

/** It was rented, and has ended since. */
function isGone({ fleet }: ToolDeps, { state, instanceId }: AgentRequest): boolean {
  return state === 'rented' && instanceId !== undefined && fleet.hasEnded(instanceId);
}

/** Returns the tools that search and rent. */
export function marketTools(
  deps: ToolDeps,
): Pick<
  ToolHandlers,
  'search_offers' | 'list_templates' | 'quote_rental' | 'request_rental' | 'get_request'
> {
  return {
    search_offers: (input, context) => searchOffers(deps, input, context),
    list_templates: (input, context) => listTemplates(deps, input, context),
    quote_rental: (input, context) => quoteRental(deps, input, context),
    request_rental: (input, context) => requestRental(deps, input, context),
    get_request: (input, context) => getRequest(deps, input, context),
  };
}
