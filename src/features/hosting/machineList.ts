import type { Machine } from '../../model/hosting/machine';
import type { Services } from '../../services';
import { readyList } from '../../store/listStore';
import type { Loaded } from '../../store/ports';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';

/** The account's machines: asked for once per sign-in and on *Refresh*. */
export class MachineList implements Disposable {
  private current: Loaded<readonly Machine[]> = { kind: 'idle' };
  private readonly changed = new Emitter<undefined>();
  readonly onDidChange = this.changed.event;
  private readonly store = new DisposableStore();
  private accountKey: string | undefined;

  constructor(private readonly deps: Pick<Services, 'accounts' | 'clock' | 'keyAccess' | 'log'>) {
    this.store.add(
      deps.accounts.onDidChange(() => {
        this.follow();
      }),
    );
    this.follow();
  }

  get state(): Loaded<readonly Machine[]> {
    return this.current;
  }

  find(machineId: number): Machine | undefined {
    return this.current.kind === 'ready' ? this.current.value.find(({ id }) => id === machineId) : undefined;
  }

  async refresh(): Promise<void> {
    const account = this.deps.accounts.active;
    if (!account) {
      return;
    }
    if (this.current.kind !== 'ready') {
      this.become({ kind: 'loading' });
    }
    try {
      const { items, skipped } = await account.client.machines.list();
      if (this.accountKey === account.key) {
        this.become(readyList(items, skipped, this.deps.clock.now()));
      }
    } catch (error) {
      this.deps.log.warn(`The machines of this account could not be read: ${String(error)}`);
      if (this.accountKey === account.key) {
        this.become(this.current.kind === 'ready' ? { ...this.current, error } : { kind: 'failed', error });
      }
    }
  }

  dispose(): void {
    this.store.dispose();
    this.changed.dispose();
  }

  private follow(): void {
    const key = this.deps.accounts.active?.key;
    if (key !== this.accountKey) {
      this.accountKey = key;
      this.become({ kind: 'idle' });
      // A key that may not read them is known by then, and nothing is asked.
      void this.deps.keyAccess.settled().then(() => this.refresh());
    }
  }

  private become(state: Loaded<readonly Machine[]>): void {
    this.current = state;
    this.changed.fire(undefined);
  }
}
