import * as z from 'zod';
import { instanceShape } from '../../model/instances/instance';
import { instanceFacts, ownRequest, type OwnRequest } from '../../model/instances/instanceState';
import { channel } from '../../shared/channel';
import type { Loaded } from '../../shared/reading';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import { formatText } from '../../util/text';
import { accountPath } from '../accounts/accountFiles';
import { JsonFile, KeptFile } from '../disk/jsonFile';
import { LeaderRequests } from '../windows/leaderRequests';
import { reviveError, sharedError, shareError } from '../windows/sharedError';
import type { WindowHub } from '../windows/windowHub';
import type { FleetSnapshot } from './fleetStore';
import type { RememberedEntries } from './rememberedFacts';

const snapshot = z.object({
  instances: z.array(instanceShape).readonly(),
  missing: z.number().exactOptional(),
  skipped: z.number(),
  unconfirmed: z.array(z.number()).readonly().exactOptional(),
});
const facts = z.object({ ...instanceFacts.unwrap().shape, touchedAt: z.number() });
const memory = z.array(z.tuple([z.number(), facts]).readonly()).readonly();

/** The last list of an account on disk, without secrets. */
export const fleetFile = z.object({
  version: z.literal(1),
  fetchedAt: z.number(),
  snapshot: snapshot.nullable(),
  memory,
});

type FleetFile = z.infer<typeof fleetFile>;

/** The message by which the polling window shares its list. */
export const fleetNews = z.object({
  accountKey: z.string(),
  state: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('idle') }),
    z.object({ kind: z.literal('loading') }),
    z.object({
      kind: z.literal('ready'),
      value: snapshot,
      fetchedAt: z.number(),
      error: sharedError.optional(),
    }),
    z.object({ kind: z.literal('failed'), error: sharedError }),
  ]),
  memory,
});
export type FleetNews = z.infer<typeof fleetNews>;

export function shareState(state: Loaded<FleetSnapshot>): FleetNews['state'] {
  switch (state.kind) {
    case 'idle':
    case 'loading':
      return state;
    case 'failed':
      return { kind: 'failed', error: shareError(state.error) };
    case 'ready': {
      const { value, fetchedAt } = state;
      const shared = { kind: 'ready' as const, value, fetchedAt };
      return state.error === undefined ? shared : { ...shared, error: shareError(state.error) };
    }
  }
}

export function reviveState(shared: FleetNews['state']): Loaded<FleetSnapshot> {
  switch (shared.kind) {
    case 'idle':
    case 'loading':
      return shared;
    case 'failed':
      return { kind: 'failed', error: reviveError(shared.error) };
    case 'ready': {
      const { kind, value, fetchedAt } = shared;
      const ready = { kind, value, fetchedAt };
      return shared.error === undefined ? ready : { ...ready, error: reviveError(shared.error) };
    }
  }
}

/** Returns an error in the form for the log. */
export function describeError(error: unknown): string {
  return error instanceof UserError ? `${error.name}: ${formatText(error.text)}` : String(error);
}

/** What one window currently shows. */
export interface Interest {
  readonly viewVisible: boolean;
  readonly windowFocused: boolean;
}

/** What all windows show, as far as this one knows. */
export class Interests {
  private readonly windows = new Map<string, Interest>();

  set(windowId: string, interest: Interest): void {
    this.windows.set(windowId, interest);
  }

  keepOnly(windowIds: ReadonlySet<string>): void {
    for (const id of this.windows.keys()) {
      if (!windowIds.has(id)) {
        this.windows.delete(id);
      }
    }
  }

  get isInView(): boolean {
    return [...this.windows.values()].some((window) => window.viewVisible && window.windowFocused);
  }
}

interface FleetTalkDeps {
  readonly hub: Pick<WindowHub, 'on' | 'broadcast' | 'windowId'>;
  /** Messages about another account are ignored, and without an account none are sent. */
  readonly accountKey: () => string | undefined;
  /** Called when a window asks for the current state. */
  readonly onHello: () => void;
  readonly onInterest: (windowId: string, interest: Interest) => void;
  readonly onNews: (news: FleetNews) => void;
  /** `null` removes a note. */
  readonly onNote: (id: number, request: OwnRequest | null) => void;
}

const news = channel('fleet.news', fleetNews);
const hellos = channel('fleet.hello', z.object({}));
const interests = channel(
  'fleet.interest',
  z.object({
    windowId: z.string(),
    interest: z.object({ viewVisible: z.boolean(), windowFocused: z.boolean() }),
  }),
);
const notes = channel(
  'fleet.note',
  z.object({
    accountKey: z.string(),
    id: z.number(),
    request: ownRequest.nullable(),
  }),
);

/** The messages between windows about instances: the list, what each window shows, and our requests. */
export class FleetTalk implements Disposable {
  private readonly owned = new DisposableStore();

  constructor(private readonly deps: FleetTalkDeps) {
    const { hub } = deps;
    this.owned.add(hellos.on(hub, () => deps.onHello()));
    this.owned.add(
      interests.on(hub, ({ windowId, interest }) => {
        deps.onInterest(windowId, interest);
      }),
    );
    this.owned.add(
      news.on(hub, (received) => {
        if (received.accountKey === deps.accountKey()) {
          deps.onNews(received);
        }
      }),
    );
    this.owned.add(
      notes.on(hub, ({ accountKey, id, request }) => {
        if (accountKey === deps.accountKey()) {
          deps.onNote(id, request);
        }
      }),
    );
  }

  sendHello(): void {
    hellos.send(this.deps.hub, {});
  }

  sendInterest(interest: Interest): void {
    const { hub } = this.deps;
    interests.send(hub, { windowId: hub.windowId, interest });
  }

  sendNews(state: Loaded<FleetSnapshot>, memory: RememberedEntries): void {
    const accountKey = this.deps.accountKey();
    if (accountKey !== undefined) {
      news.send(this.deps.hub, { accountKey, state: shareState(state), memory });
    }
  }

  sendNote(id: number, request: OwnRequest | null): void {
    const accountKey = this.deps.accountKey();
    if (accountKey !== undefined) {
      notes.send(this.deps.hub, { accountKey, id, request });
    }
  }

  dispose(): void {
    this.owned.dispose();
  }
}

export function openFleetCache(storageDir: string, accountKey: string, log: Log): FleetCache {
  return new FleetCache(accountPath(storageDir, accountKey, 'fleet.json'), log);
}

/** The last list of an account on disk. No method rejects: without the file, the list is read from the service. */
export class FleetCache {
  private readonly file: KeptFile<FleetFile>;

  constructor(
    path: string,
    private readonly log: Log,
  ) {
    this.file = new KeptFile(new JsonFile(path, fleetFile, log), log, 'The cached list could not be read');
  }

  /** True while the disk refuses: the earlier facts are unknown, and nothing is saved. */
  get isRefused(): boolean {
    return this.file.isRefused;
  }

  load(): Promise<FleetFile | undefined> {
    return this.file.read();
  }

  /**
   * Notes a destroy while the account is not active (ms since 1970). That it took effect is left to the next list, which
   * ends the instance for the history as well.
   */
  async noteDestroyed(id: number, at: number): Promise<void> {
    const cached = await this.load();
    if (cached && !this.isRefused) {
      const facts = cached.memory.find(([one]) => one === id)?.[1];
      const others = cached.memory.filter(([one]) => one !== id);
      const lastRequest = { kind: 'destroy', at } as const;
      await this.write({ ...cached, memory: [...others, [id, { ...facts, lastRequest, touchedAt: at }]] });
    }
  }

  async save(state: Loaded<FleetSnapshot>, memory: RememberedEntries): Promise<void> {
    await this.write({
      version: 1,
      fetchedAt: state.kind === 'ready' ? state.fetchedAt : 0,
      snapshot: state.kind === 'ready' ? state.value : null,
      memory: [...memory].map(([id, facts]) => [id, facts]),
    });
  }

  private async write(content: FleetFile): Promise<void> {
    try {
      await this.file.write(content);
    } catch (error) {
      this.log.error('The list could not be cached', error);
    }
  }
}

interface FleetRequestsDeps {
  readonly hub: WindowHub;
  readonly clock: Clock;
  /** Reads the list in this window and shares it. */
  readonly readHere: () => Promise<void>;
}

const acceptedMs = 20_000;
/** In milliseconds; longer than a read with all its retries. */
const doneMs = 150_000;

/** Requests for a fresh list, made by any window and carried out by the leading one. */
export class FleetRequests implements Disposable {
  private readonly requests: LeaderRequests<unknown>;

  constructor(deps: FleetRequestsDeps) {
    this.requests = new LeaderRequests({
      ...deps,
      topic: 'fleet.refresh',
      what: z.unknown(),
      doHere: () => deps.readHere(),
      acceptedMs,
      doneMs,
    });
  }

  refresh(): Promise<void> {
    return this.requests.ask({});
  }

  dispose(): void {
    this.requests.dispose();
  }
}
