import { randomBytes } from 'node:crypto';
import { NotSentError } from '../../api/errors';
import { stateOf } from '../../model/instances/instanceState';
import { zero, type Micros } from '../../model/money';
import { NotSignedInError } from '../../shared/notSignedIn';
import { AccountChangedError } from '../../store/accounts/sameAccount';
import { DiskList, type DiskListDeps } from '../../store/disk/diskList';
import type { Fleet } from '../../store/instances/fleetStore';
import type { Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { text } from '../../util/text';
import {
  accessProblem,
  answered,
  asked,
  changed,
  problemNow,
  questionsOf,
  repeated,
  tidied,
  type GateNow,
} from '../model/gate';
import { addUsage, endCommitments, noAgentUsage, usageOf } from '../model/ledger';
import {
  isCommitted,
  isForRental,
  noAgentState,
  type AgentRequest,
  type AgentState,
  type RentalQuote,
} from '../model/request';
import { AgentFile } from './agentFile';
import type { AgentLimitStore } from './agentLimits';
import type { OwnProblem } from './ownLimits';

type ListDeps = Omit<DiskListDeps<AgentFile>, 'topic' | 'open' | 'unreadable'>;

export interface AgentDeskDeps extends ListDeps {
  readonly accounts: DiskListDeps<AgentFile>['accounts'];
  readonly fleet: Fleet;
  readonly limits: AgentLimitStore;
  /** Returns why the user's own limits leave no room for another hourly price, of this instance if there is one. */
  readonly ownProblem: (perHour: Micros, instanceId?: number) => Promise<OwnProblem>;
  /** Returns the user's other accounts under the same limits, without the demo. */
  readonly others: (accountKey: string) => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly storageDir: string;
  readonly windowId: string;
  /** Ensures that only one window at a time changes the file. */
  readonly lock: <T>(action: () => Promise<T>) => Promise<T>;
}

/** Agents may do less than when the user agreed, or a window gave the request up. `problem` is for a model. */
export class NotAllowedNowError extends NotSentError {
  constructor(readonly problem: string) {
    super(text('Nothing was sent, because agents may do less than when you agreed.'));
  }
}

/** Returns the stored request: an earlier one with the same id is used instead of a new one. */
function requestOf(requests: readonly AgentRequest[], request: AgentRequest): AgentRequest {
  return requests.find(({ requestId }) => requestId === request.requestId) ?? request;
}

/** A rental that is about to be sent is in the journal, whose prices count already. */
function notCounted({
  commitment,
  ...request
}: AgentRequest): Pick<AgentRequest, 'commitment' | 'instanceId'> {
  const isInJournal = isForRental(request);
  return {
    ...request,
    ...(commitment === undefined
      ? {}
      : { commitment: isInJournal ? { ...commitment, perHour: zero } : commitment }),
  };
}

/** The instance of a request that money was committed to. */
function openInstance(request: AgentRequest): readonly number[] {
  const { commitment, instanceId } = request;
  const isOpen = isCommitted(request) && commitment !== undefined && commitment.isEnded !== true;
  return isOpen && instanceId !== undefined ? [instanceId] : [];
}

/**
 * Quotes and requests of agents, the same in all windows. Every change is based on the state on disk, under a lock.
 */
export class AgentDesk implements Disposable {
  private readonly list: DiskList<AgentRequest, AgentFile>;
  private readonly atWork = new Set<string>();

  constructor(private readonly deps: AgentDeskDeps) {
    this.list = new DiskList({
      ...deps,
      topic: 'agents.changed',
      open: (accountKey) => new AgentFile(deps, accountKey),
      unreadable: 'What agents asked for could not be read',
    });
  }

  get onDidChange() {
    return this.list.onDidChange;
  }

  get requests(): readonly AgentRequest[] {
    return this.list.rows;
  }

  get accountKey(): string | undefined {
    return this.list.accountKey;
  }

  dispose(): void {
    this.list.dispose();
  }

  /** Returns the state on disk after expiring what is over. */
  async read(): Promise<AgentState> {
    const files = this.files();
    return this.settled(await files.read(), files);
  }

  async keepQuote(quote: RentalQuote): Promise<void> {
    await this.change(this.files(), (state) => ({ ...state, quotes: [...state.quotes, quote] }));
  }

  /**
   * Asks the user, or returns the outcome of an earlier call with the same id. Throws if the account
   * is not active any more: the same number is another instance, or none, in another account.
   */
  async ask(request: AgentRequest, accountKey: string): Promise<AgentRequest> {
    const files = this.filesStill(accountKey);
    const problem = await this.ownProblem(request);
    const { requests } = await this.change(files, async (state) => {
      const gate = await this.gate(problem?.(state.requests));
      this.filesStill(accountKey);
      const known = repeated(state, request.requestId, request.print, gate.now);
      return known ? state : asked(state, request, gate);
    });
    return requestOf(requests, request);
  }

  /**
   * Returns why the user's own limits forbid a request. May read the charges; the
   * rest is judged when it is called, by the requests of that moment.
   */
  async ownProblem({
    commitment,
    instanceId,
  }: Pick<AgentRequest, 'commitment' | 'instanceId'>): Promise<OwnProblem | undefined> {
    return commitment && this.deps.ownProblem(commitment.perHour, instanceId);
  }

  /**
   * Checks access, limits, account and request again, right before something is sent
   * to a machine or the service: since the yes, the user may have changed any of them.
   * Throws if it is not allowed any more. Without a request, the access alone counts.
   */
  async checkNow(accountKey: string, request?: AgentRequest): Promise<void> {
    const problem = request && (await this.ownProblem(notCounted(request)));
    const files = this.filesStill(accountKey);
    const state = this.settled(await files.read(), files);
    const others = state.requests.filter(({ id }) => id !== request?.id);
    const gate = await this.gate(problem?.(others));
    this.filesStill(accountKey);
    const reason = request === undefined ? accessProblem(gate) : problemNow(state, request, gate);
    if (reason !== undefined) {
      throw new NotAllowedNowError(`${reason} Nothing was done.`);
    }
  }

  /** Notes what needs no question before it is done; `isNew` is false for a retry. */
  async begin(
    request: AgentRequest,
    accountKey = this.accountKey,
  ): Promise<{ readonly request: AgentRequest; readonly isNew: boolean }> {
    let isNew = false;
    const { requests } = await this.change(this.filesStill(accountKey), (state) => {
      const known = repeated(state, request.requestId, request.print, this.deps.clock.now());
      isNew = known === undefined;
      return known ? state : { ...state, requests: [...state.requests, request] };
    });
    return { request: requestOf(requests, request), isNew };
  }

  /** Records the user's answer; returns the request as it continues, `undefined` if it no longer waits. */
  async answer(id: string, yes: boolean): Promise<AgentRequest | undefined> {
    let result: AgentRequest | undefined;
    const asked = yes ? (await this.read()).requests.find((one) => one.id === id) : undefined;
    const problem = asked && (await this.ownProblem(asked));
    await this.change(this.files(), async (state) => {
      const gate = await this.gate(problem?.(state.requests));
      const { state: next, request } = answered(state, id, yes, this.deps.windowId, gate);
      result = request;
      return next;
    });
    return result;
  }

  /**
   * Changes a request once, if it is in one of these states; otherwise returns `undefined`. A function
   * receives the request on disk. Callers whose work may outlast the active account name their account.
   */
  async move(
    id: string,
    from: readonly AgentRequest['state'][],
    change: Partial<AgentRequest> | ((known: AgentRequest) => Partial<AgentRequest> | undefined),
    accountKey?: string,
  ): Promise<AgentRequest | undefined> {
    let result: AgentRequest | undefined;
    await this.change(this.files(accountKey), (state) => {
      const known = state.requests.find((one) => one.id === id);
      const next = known && (typeof change === 'function' ? change(known) : change);
      if (!known || !next || !from.includes(known.state)) {
        return state;
      }
      result = { ...known, ...next };
      return changed(state, result);
    });
    return result;
  }

  /** Returns a request as an account has it on disk; none where the account was removed. */
  async find(id: string, accountKey: string): Promise<AgentRequest | undefined> {
    return (await this.requestsOf(accountKey)).find((one) => one.id === id);
  }

  /** Returns the requests of any account as they are on disk. */
  async requestsOf(accountKey: string): Promise<readonly AgentRequest[]> {
    return this.files(accountKey).list();
  }

  /** Marks a request as being carried out, so that no other window settles it. */
  async working(id: string, work: () => Promise<void>): Promise<void> {
    const { files } = this.list;
    this.atWork.add(id);
    try {
      await work();
    } finally {
      this.atWork.delete(id);
      await this.list.publishChange(files);
    }
  }

  isAtWork(id: string): boolean {
    return this.atWork.has(id);
  }

  newId(prefix: 'request' | 'quote' | 'plan'): string {
    return `${prefix}_${randomBytes(8).toString('hex')}`;
  }

  /** Returns the facts for limits: the limits in force and the instances that run by the last list. */
  async gate(ownProblem?: string): Promise<GateNow> {
    const { inForce } = await this.deps.limits.read();
    const now = this.deps.clock.now();
    const others = await this.elsewhere(now);
    const limits = !others || (await this.isClosed()) ? { ...inForce, perDay: 0 } : inForce;
    const { usage: elsewhere, asked: askedElsewhere } = others ?? { usage: noAgentUsage, asked: 0 };
    return { now, limits, running: this.instances().running, elsewhere, askedElsewhere, ownProblem };
  }

  /**
   * Returns what agents have in the other accounts; `undefined` if the disk refuses. Their instances are not listed
   * here, so each counts until its agreed end.
   */
  private async elsewhere(now: number) {
    try {
      const lists = await Promise.all((await this.otherFiles()).map((files) => files.list()));
      return {
        usage: lists.map((one) => usageOf(one, now, new Set())).reduce(addUsage, noAgentUsage),
        asked: lists.reduce((sum, one) => sum + questionsOf(one, now), 0),
      };
    } catch (error) {
      this.deps.log.warn(`What agents have in other accounts could not be read: ${String(error)}`);
      return undefined;
    }
  }

  private async otherFiles(): Promise<readonly AgentFile[]> {
    const { accountKey } = this;
    const keys = accountKey === undefined ? [] : await this.deps.others(accountKey);
    return keys.filter((key) => key !== accountKey).map((key) => this.files(key));
  }

  /**
   * Returns true if the spending of agents could not be read: they spend nothing until the user allows it.
   */
  async isClosed(): Promise<boolean> {
    const names = await Promise.all(
      [this.files(), ...(await this.otherFiles())].map((files) => files.broken()),
    );
    return names.flat().length > 0;
  }

  /** Lets agents spend again, after the user's yes. */
  async reopen(): Promise<void> {
    const own = this.files();
    const all = [own, ...(await this.otherFiles())];
    await this.deps.lock(async () => {
      for (const files of all) {
        await files.accept(await files.broken());
      }
    });
    await this.list.publishChange(own);
  }

  private async change(
    files: AgentFile,
    make: (state: AgentState) => AgentState | Promise<AgentState>,
  ): Promise<AgentState> {
    const next = await this.deps.lock(async () => {
      const before = await files.read();
      const known = this.settled(before, files);
      const after = await make(known);
      // The state of a removed account must not return.
      if (after !== known || before !== noAgentState) {
        await files.write(after);
      }
      return after;
    });
    await this.list.publishChange(files);
    return next;
  }

  /** The list of instances does not settle requests of another account. */
  private settled(state: AgentState, files: AgentFile): AgentState {
    const now = this.deps.clock.now();
    const tidy = tidied(state, now);
    return files === this.list.files
      ? { ...tidy, requests: endCommitments(tidy.requests, now, this.instances()) }
      : tidy;
  }

  private instances() {
    const { fleet, clock } = this.deps;
    const { instances: list, fetchedAt: asOf } =
      fleet.state.kind === 'ready'
        ? { ...fleet.state.value, fetchedAt: fleet.state.fetchedAt }
        : { instances: [], fetchedAt: 0 };
    // A list that could not be read is not an empty one: an instance that is not known to have ended runs.
    const running = new Set(fleet.state.kind === 'ready' ? [] : this.list.rows.flatMap(openInstance));
    const stopped = new Set<number>();
    for (const one of list) {
      const state = stateOf(one, fleet.facts(one.id), clock.now());
      (state === 'stopped' ? stopped : running).add(one.id);
    }
    const gone = new Set(
      this.list.rows.flatMap(({ instanceId }) =>
        instanceId !== undefined && fleet.hasEnded(instanceId) ? [instanceId] : [],
      ),
    );
    return { running, stopped, gone, asOf };
  }

  private filesStill(accountKey: string | undefined): AgentFile {
    const files = this.files();
    if (accountKey !== this.accountKey) {
      throw new AccountChangedError();
    }
    return files;
  }

  private files(accountKey?: string): AgentFile {
    const files = accountKey === undefined ? this.list.files : this.list.filesOf(accountKey);
    if (!files) {
      throw new NotSignedInError();
    }
    return files;
  }
}
