import type { Client } from '../../api/client';
import type { Instance } from '../../model/instances/instance';
import { planRent, type RentSource } from '../../model/rentals/rentPlan';
import type { InstanceSchedules } from '../../schedules/store/instanceSchedules';
import type { Accounts, ActingAccount } from '../../store/accounts/accounts';
import { accountStill } from '../../store/accounts/sameAccount';
import { destroyAndVerify } from '../../store/instances/destruction';
import { readPresence } from '../../store/instances/ends';
import type { Fleet } from '../../store/instances/fleetStore';
import { changePower } from '../../store/instances/power';
import { endOfSettings, type EndSettings } from '../../store/rentals/lastRental';
import type { RentalStore } from '../../store/rentals/rentalStore';
import { currentTemplate } from '../../store/templates/findTemplate';
import { actAs } from '../../util/acting';
import type { Clock } from '../../util/clock';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import { changedSince, checkFresh, checkPrice, isFresh, yesTooOld } from '../model/agreed';
import { ToolError } from '../model/answer';
import type { AgentRequest, RentalQuote } from '../model/request';
import { isForRental, rentalLabel } from '../model/request';
import { NotAllowedNowError, type AgentDesk } from './agentDesk';
import { changeJob, jobToRent, orderOnInstance } from './agreedJob';
import type { AgentJobs } from './plannedJob';
import { giveBackEnd, keepEnd, rentalOf, settleRented } from './settle';
import { textForModel } from './textForModel';

export interface DoAgreedDeps {
  readonly desk: AgentDesk;
  readonly accounts: Accounts;
  readonly rentals: RentalStore;
  readonly fleet: Fleet;
  readonly schedules: InstanceSchedules;
  readonly settings: EndSettings;
  readonly agentJobs: AgentJobs;
  readonly clock: Clock;
  readonly log: Log;
}

/** Carries out a confirmed request once. Never rejects: the result is stored in the request. */
export function doAgreed(deps: DoAgreedDeps, request: AgentRequest, accountKey: string): Promise<void> {
  return deps.desk.working(request.id, () =>
    actAs({ kind: 'agent', name: request.caller.name }, () => doOnce(deps, request, accountKey)),
  );
}

async function doOnce(deps: DoAgreedDeps, request: AgentRequest, accountKey: string): Promise<void> {
  try {
    const account = accountStill(deps.accounts, accountKey);
    checkFresh(request, deps.clock.now());
    switch (request.tool) {
      case 'request_rental':
        await rent(deps, request, account);
        return;
      case 'change_state':
        await changeState(deps, request, account);
        return;
      case 'destroy_instance':
        await destroy(deps, request, account);
        return;
      case 'set_schedule':
        await schedule(deps, request, account);
        return;
      case 'run_job':
        await (isForRental(request) ? rent(deps, request, account) : orderOnInstance(deps, request, account));
        return;
      case 'stop_job':
      case 'extend_job':
        await changeJob(deps, request, account);
        return;
      case 'run_command':
        return;
    }
  } catch (error) {
    deps.log.warn(`What an agent asked for failed: ${String(error)}`);
    await noteFailure(deps, request, accountKey, error).catch((second: unknown) => {
      // The request stays open, and the leading window settles it.
      deps.log.warn(`It could not be noted: ${String(second)}`);
    });
  }
}

async function noteFailure(
  deps: DoAgreedDeps,
  request: AgentRequest,
  accountKey: string,
  error: unknown,
): Promise<void> {
  const { desk } = deps;
  const problem = isCancelled(error) ? yesTooOld : textForModel(error);
  const isAllowed = !(error instanceof NotAllowedNowError);
  if (!isForRental(request)) {
    const state = isAllowed ? 'failed' : 'overLimit';
    await desk.move(request.id, ['working'], { state, problem }, accountKey);
    return;
  }
  const known = await desk.find(request.id, accountKey);
  const rental = known && rentalOf(deps.rentals, known);
  // A request that may have been sent is never reported as done without effect.
  const isOver = known?.marker === undefined || rental?.phase.kind === 'notRented';
  const over = isAllowed ? 'notRented' : 'overLimit';
  const next = isOver ? ({ state: over, problem } as const) : ({ state: 'unknown' } as const);
  if (isOver && known?.jobId !== undefined) {
    await deps.agentJobs.jobs.forget(known.jobId);
  }
  await desk.move(request.id, ['renting'], next, accountKey);
}

async function rent(deps: DoAgreedDeps, request: AgentRequest, { client, key: accountKey }: ActingAccount) {
  const { desk, rentals } = deps;
  const { quote, commitment } = request;
  if (!quote || quote.accountKey !== accountKey) {
    throw new ToolError('The quote is of another account. Nothing was rented.');
  }
  const wanted = {
    filters: { id: { eq: quote.offer.id } },
    rentalType: 'on-demand',
    order: [],
    allocatedStorageGb: quote.diskGb,
  } as const;
  const { items } = await client.offers.search(wanted);
  const offer = items.find((one) => one.id === quote.offer.id && one.rentable !== false);
  if (!offer) {
    throw new ToolError('The offer was taken. Nothing was rented. Call search_offers again.');
  }
  const changed = changedSince(quote, offer);
  if (changed !== undefined) {
    throw new ToolError(`${changed} Nothing was rented. Get a new quote.`);
  }
  const source = await quotedSource(client, quote);
  const job = request.job && (await jobToRent(deps, request, { accountKey, offer, source }));
  const config = planRent({ source, diskGb: quote.diskGb, label: rentalLabel(request) }, 'on-demand');
  const { perHour: most } = quote;
  const wish = {
    ...(job?.wish ?? { accountKey, offer, config, rentalType: 'on-demand' }),
    priceLimit: most,
    mostPerHour: most,
    // The agreed time ends it while it runs.
    end: {
      ...{ ...endOfSettings(deps.settings), idleMinutes: 0 },
      ...job?.wish.end,
      ...(commitment && { at: { time: commitment.until, action: quote.then } }),
    },
  } as const;
  const result = await rentals.rent(wish, {
    isStillWanted: stillWanted(deps, request, accountKey),
    // A window that slept may have been given up; the agent then got the answer that nothing was rented.
    beforeSent: async ({ marker }) => {
      checkFresh(request, deps.clock.now());
      await desk.checkNow(accountKey, request);
      if (!(await desk.move(request.id, ['renting'], { marker }, accountKey))) {
        throw new ToolError('The request was given up before anything was sent. Nothing was rented.');
      }
      await job?.order(marker);
    },
  });
  if (result.kind === 'rented') {
    await settleRented(deps, request, result.instanceId).catch(async (error: unknown) => {
      // The instance already costs money, so the leading window retries until it has an end.
      deps.log.warn(`The rental of an agent could not be settled yet: ${String(error)}`);
      const next = { state: 'unknown', instanceId: result.instanceId } as const;
      await desk.move(request.id, ['renting'], next, accountKey);
    });
  } else {
    const next =
      result.kind === 'notRented'
        ? { state: 'notRented' as const, problem: 'The service rented nothing. Get a new quote.' }
        : { state: 'unknown' as const };
    await desk.move(request.id, ['renting'], next, accountKey);
  }
}

/** Reads the template of a quote again: after an edit, it is not what the user agreed to. */
async function quotedSource(
  client: Client,
  { templateId, templateHash, image = '' }: RentalQuote,
): Promise<RentSource> {
  if (templateId === undefined) {
    return { kind: 'image', image };
  }
  const template = await currentTemplate(client, templateId);
  if (template.hashId !== templateHash) {
    throw new ToolError('The template was edited since the quote. Nothing was rented. Get a new quote.');
  }
  return { kind: 'template', template };
}

/** Asked right before a request leaves: it may have waited for the service while the yes grew old or was taken back. */
function stillWanted({ accounts, desk, clock }: DoAgreedDeps, request: AgentRequest, accountKey: string) {
  return async () => {
    await desk.checkNow(accountKey, request);
    accountStill(accounts, accountKey);
    return isFresh(request, clock.now());
  };
}

/**
 * Reads an instance that spends money again: the list may be old, and a price
 * counts at the time at which money is spent.
 */
async function checkedInstance(
  deps: DoAgreedDeps,
  request: AgentRequest,
  { client, key }: ActingAccount,
): Promise<Instance> {
  const { instanceId, commitment } = request;
  const known = instanceId === undefined ? undefined : deps.fleet.find(instanceId);
  if (!known) {
    throw new ToolError('There is no such instance any more.');
  }
  if (!commitment) {
    return known;
  }
  const now = await readPresence(client, known.id);
  if (now.kind !== 'there') {
    throw new ToolError('The instance could not be read. Nothing was done. Try again later.');
  }
  checkPrice(request, now.instance);
  checkFresh(request, deps.clock.now());
  accountStill(deps.accounts, key);
  return now.instance;
}

/** Sets the end before the start: a start that is never stopped costs the most. Keeps the schedule that it replaces. */
async function withEnd(
  { desk, schedules }: DoAgreedDeps,
  request: AgentRequest,
  instanceId: number,
  accountKey: string,
): Promise<AgentRequest> {
  const { endsAt, then = 'stop' } = request;
  if (endsAt === undefined) {
    return request;
  }
  const before = (await schedules.reread(instanceId))?.schedule;
  const kept = before === undefined ? {} : { scheduleBefore: before };
  const noted = await desk.move(request.id, ['working'], kept, accountKey);
  if (!noted) {
    throw new ToolError('The request was given up before anything was sent. Nothing was done.');
  }
  await schedules.set(instanceId, then, { kind: 'at', at: endsAt });
  return noted;
}

async function changeState(deps: DoAgreedDeps, asked: AgentRequest, account: ActingAccount): Promise<void> {
  const instance = await checkedInstance(deps, asked, account);
  const request = asked.to === 'running' ? await withEnd(deps, asked, instance.id, account.key) : asked;
  const verdict = await changePower(deps, account, instance, request.to === 'running' ? 'start' : 'stop', {
    isStillWanted: stillWanted(deps, request, account.key),
  }).catch(async (error: unknown) => {
    // Refused: only a lost answer may have started it.
    await giveBackEnd(deps, request, account.key);
    throw error;
  });
  if (verdict === 'notDone') {
    await giveBackEnd(deps, request, account.key);
  }
  void deps.fleet.refresh().catch(() => undefined);
  const isDone = verdict === 'done' || verdict === 'queued';
  const isKept = !isDone || (await hasEnd(deps, request, account.key));
  const next: Partial<AgentRequest> = {
    state: !isKept || verdict === 'notKnown' ? 'unknown' : isDone ? 'done' : 'failed',
    ...(isDone ? {} : { problem: 'The service did not confirm the change. Look at the instance.' }),
  };
  await deps.desk.move(request.id, ['working'], next, account.key);
}

/** Returns whether a started instance has its end; if not, the leading window retries. */
function hasEnd(deps: DoAgreedDeps, request: AgentRequest, accountKey: string): Promise<boolean> {
  return keepEnd(deps, request, accountKey).then(
    () => true,
    (error: unknown) => {
      deps.log.warn(`The end of what an agent started could not be set yet: ${String(error)}`);
      return false;
    },
  );
}

async function destroy(deps: DoAgreedDeps, request: AgentRequest, account: ActingAccount): Promise<void> {
  if (request.instanceId === undefined) {
    throw new ToolError('There is no such instance any more.');
  }
  const verdict = await destroyAndVerify(deps, account, request.instanceId, undefined, {
    isStillWanted: stillWanted(deps, request, account.key),
  });
  const next: Partial<AgentRequest> =
    verdict === 'destroyed'
      ? { state: 'done' }
      : {
          state: 'failed',
          problem: 'The service did not confirm it yet: the instance may still cost money. Look again.',
        };
  await deps.desk.move(request.id, ['working'], next, account.key);
}

async function schedule(deps: DoAgreedDeps, request: AgentRequest, account: ActingAccount): Promise<void> {
  const { endsAt, then } = request;
  const { id } = await checkedInstance(deps, request, account);
  if (endsAt === undefined || then === undefined) {
    throw new ToolError('The request names no end. Nothing was done.');
  }
  await deps.desk.checkNow(account.key, request);
  checkFresh(request, deps.clock.now());
  const { schedule } = await deps.schedules.set(id, then, { kind: 'at', at: endsAt });
  const next: Partial<AgentRequest> = {
    state: 'done',
    ...(schedule.armed
      ? { problem: 'A timer of the user on the instance itself may end it at another time. Tell the user.' }
      : {}),
  };
  await deps.desk.move(request.id, ['working'], next, account.key);
}
