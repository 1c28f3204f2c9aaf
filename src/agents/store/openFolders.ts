import * as z from 'zod';
import { channel } from '../../shared/channel';
import type { WindowHub } from '../../store/windows/windowHub';
import { DisposableStore, type Disposable } from '../../util/disposable';

const sets = channel('agents.folders', z.object({ windowId: z.string(), folders: z.array(z.string()) }));
const asks = channel('agents.foldersAsked', z.object({}));

type Hub = Pick<
  WindowHub,
  'windowId' | 'isLeader' | 'broadcast' | 'on' | 'onDidChangePeers' | 'onDidChangeLeader'
>;

/**
 * The folders of this computer that are open in a window whose user trusts them: agents run jobs of no other. Each window
 * announces its own. After a window closed, the leading one asks the others again, and all forget what they knew.
 */
export class OpenFolders implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly others = new Map<string, readonly string[]>();
  private own: readonly string[] = [];

  constructor(private readonly hub: Hub) {
    this.owned.add(
      sets.on(hub, ({ windowId, folders }) => {
        this.others.set(windowId, folders);
      }),
    );
    this.owned.add(
      asks.on(hub, () => {
        this.others.clear();
        this.sendOwn();
      }),
    );
    this.owned.add(hub.onDidChangePeers(() => this.askAll()));
    this.owned.add(hub.onDidChangeLeader(() => this.askAll()));
    asks.send(hub, {});
  }

  /** Sets the trusted folders of this window. */
  set(folders: readonly string[]): void {
    this.own = folders;
    this.sendOwn();
  }

  get all(): readonly string[] {
    return [...new Set([...this.own, ...[...this.others.values()].flat()])];
  }

  dispose(): void {
    this.owned.dispose();
  }

  private askAll(): void {
    if (this.hub.isLeader) {
      this.others.clear();
      asks.send(this.hub, {});
    }
    this.sendOwn();
  }

  private sendOwn(): void {
    sets.send(this.hub, { windowId: this.hub.windowId, folders: [...this.own] });
  }
}
