import * as z from 'zod';
import type { OwnRequest } from '../../model/instances/instanceState';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { FleetSnapshot, WindowHub } from '../ports';
import type { Loaded } from '../../shared/reading';
import { fleetNews, shareState, type FleetNews } from './fleetShared';
import type { MemoryEntries } from './instanceMemory';
import type { Interest } from './interests';

export interface FleetTalkDeps {
  readonly hub: Pick<WindowHub, 'on' | 'broadcast' | 'windowId'>;
  /** What is said of another account is not heard, and where nobody is signed in nothing is said. */
  readonly accountKey: () => string | undefined;
  /** A window asks what is known. */
  readonly onHello: () => void;
  readonly onInterest: (windowId: string, interest: Interest) => void;
  readonly onNews: (news: FleetNews) => void;
  /** `null` takes a note back. */
  readonly onNote: (id: number, request: OwnRequest | null) => void;
}

const newsTopic = 'fleet.news';
const helloTopic = 'fleet.hello';
const interestTopic = 'fleet.interest';
const noteTopic = 'fleet.note';

const interestMessage = z.object({
  windowId: z.string(),
  interest: z.object({ viewVisible: z.boolean(), windowFocused: z.boolean() }),
});
const noteMessage = z.object({
  accountKey: z.string(),
  id: z.number(),
  request: z.custom<OwnRequest>((value) => typeof value === 'object' && value !== null).nullable(),
});

/** What the windows tell each other of the instances: the list, what each looks at, what was asked of one. */
export class FleetTalk implements Disposable {
  private readonly owned = new DisposableStore();

  constructor(private readonly deps: FleetTalkDeps) {
    const { hub } = deps;
    this.owned.add(hub.on(helloTopic, () => deps.onHello()));
    this.owned.add(
      hub.on(interestTopic, (data) => {
        const parsed = interestMessage.safeParse(data);
        if (parsed.success) {
          deps.onInterest(parsed.data.windowId, parsed.data.interest);
        }
      }),
    );
    this.owned.add(
      hub.on(newsTopic, (data) => {
        const parsed = fleetNews.safeParse(data);
        if (parsed.success && parsed.data.accountKey === deps.accountKey()) {
          deps.onNews(parsed.data);
        }
      }),
    );
    this.owned.add(
      hub.on(noteTopic, (data) => {
        const parsed = noteMessage.safeParse(data);
        if (parsed.success && parsed.data.accountKey === deps.accountKey()) {
          deps.onNote(parsed.data.id, parsed.data.request);
        }
      }),
    );
  }

  sayHello(): void {
    this.deps.hub.broadcast(helloTopic, {});
  }

  tellInterest(interest: Interest): void {
    const { hub } = this.deps;
    hub.broadcast(interestTopic, { windowId: hub.windowId, interest });
  }

  tellNews(state: Loaded<FleetSnapshot>, memory: MemoryEntries): void {
    const accountKey = this.deps.accountKey();
    if (accountKey !== undefined) {
      this.deps.hub.broadcast(newsTopic, { accountKey, state: shareState(state), memory });
    }
  }

  tellNote(id: number, request: OwnRequest | null): void {
    this.deps.hub.broadcast(noteTopic, { accountKey: this.deps.accountKey(), id, request });
  }

  dispose(): void {
    this.owned.dispose();
  }
}
