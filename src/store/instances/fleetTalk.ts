import * as z from 'zod';
import { ownRequest, type OwnRequest } from '../../model/instances/instanceState';
import { channel } from '../../shared/channel';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { FleetSnapshot } from './fleetStore';
import type { WindowHub } from '../windows/windowHub';
import type { Loaded } from '../../shared/reading';
import { fleetNews, shareState, type FleetNews } from './fleetShared';
import type { RememberedEntries } from './rememberedFacts';
import type { Interest } from './interests';

export interface FleetTalkDeps {
  readonly hub: Pick<WindowHub, 'on' | 'broadcast' | 'windowId'>;
  /** Messages about another account are ignored, and without an account none are sent. */
  readonly accountKey: () => string | undefined;
  /** Called when a window asks for the current state. */
  readonly onHello: () => void;
  readonly onInterest: (windowId: string, interest: Interest) => void;
  readonly onNews: (news: FleetNews) => void;
  /** `null` takes a note back. */
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
      news.on(hub, (told) => {
        if (told.accountKey === deps.accountKey()) {
          deps.onNews(told);
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

  sayHello(): void {
    hellos.send(this.deps.hub, {});
  }

  tellInterest(interest: Interest): void {
    const { hub } = this.deps;
    interests.send(hub, { windowId: hub.windowId, interest });
  }

  tellNews(state: Loaded<FleetSnapshot>, memory: RememberedEntries): void {
    const accountKey = this.deps.accountKey();
    if (accountKey !== undefined) {
      news.send(this.deps.hub, { accountKey, state: shareState(state), memory });
    }
  }

  tellNote(id: number, request: OwnRequest | null): void {
    const accountKey = this.deps.accountKey();
    if (accountKey !== undefined) {
      notes.send(this.deps.hub, { accountKey, id, request });
    }
  }

  dispose(): void {
    this.owned.dispose();
  }
}
