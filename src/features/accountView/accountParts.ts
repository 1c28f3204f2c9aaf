import type { ApiKey } from '../../model/accounts/apiKey';
import type { Secret } from '../../model/accounts/secret';
import type { TeamRole } from '../../model/accounts/teamRole';
import type { TfaStatus } from '../../model/accounts/tfa';
import type { Services } from '../../services';
import { readyList } from '../../store/listStore';
import type { Account, Loaded } from '../../store/ports';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';

export interface AccountPartTypes {
  readonly tfa: TfaStatus;
  readonly apiKeys: readonly ApiKey[];
  readonly secrets: readonly Secret[];
  readonly teamRoles: readonly TeamRole[];
}
export type PartId = keyof AccountPartTypes;
export const partIds: readonly PartId[] = ['tfa', 'apiKeys', 'secrets', 'teamRoles'];

/**
 * `items` is the part. Variables are never skipped, because no form of one is documented that could be broken
 * (docs/service/environment-variables.md#list).
 */
const readers: {
  readonly [Id in PartId]: (
    account: Account,
  ) => Promise<{ readonly items: AccountPartTypes[Id]; readonly skipped: number }>;
} = {
  tfa: async (account) => {
    const status = await account.client.tfa.status();
    return { items: status, skipped: status.skipped };
  },
  apiKeys: (account) => account.client.apiKeys.list(),
  secrets: async (account) => ({ items: await account.client.secrets.list(), skipped: 0 }),
  teamRoles: (account) => account.client.teamRoles.list(),
};

/**
 * What the account view shows, each part read when somebody opens it and again after a change. Values of
 * environment variables stay in memory alone and go with the account.
 */
export class AccountParts implements Disposable {
  private states: { [Id in PartId]?: Loaded<AccountPartTypes[Id]> } = {};
  /** How often each part was asked for: what was asked for before the last time may be older than a change. */
  private readonly asked = new Map<PartId, number>();
  private accountKey: string | undefined;
  private readonly changed = new Emitter<undefined>();
  readonly onDidChange = this.changed.event;
  private readonly owned = new DisposableStore();

  constructor(private readonly deps: Pick<Services, 'accounts' | 'clock'> & { readonly log: Log }) {
    this.owned.add(
      deps.accounts.onDidChange(() => {
        if (deps.accounts.active?.key !== this.accountKey) {
          this.accountKey = deps.accounts.active?.key;
          this.states = {};
        }
        this.changed.fire(undefined);
      }),
    );
    this.accountKey = deps.accounts.active?.key;
  }

  state<Id extends PartId>(id: Id): Loaded<AccountPartTypes[Id]> {
    return this.states[id] ?? { kind: 'idle' };
  }

  /** The last good data, also while it is read again. */
  value<Id extends PartId>(id: Id): AccountPartTypes[Id] | undefined {
    const state = this.state(id);
    return state.kind === 'ready' ? state.value : undefined;
  }

  /** Reads a part unless it is there or on its way. */
  open(id: PartId): void {
    if (this.state(id).kind === 'idle') {
      void this.load(id);
    }
  }

  /** Reads again what was read before. */
  async refresh(): Promise<void> {
    await Promise.all(partIds.filter((id) => this.state(id).kind !== 'idle').map((id) => this.load(id)));
  }

  dispose(): void {
    this.owned.dispose();
    this.changed.dispose();
  }

  private async load(id: PartId): Promise<void> {
    const account = this.deps.accounts.active;
    if (!account) {
      return;
    }
    const turn = (this.asked.get(id) ?? 0) + 1;
    this.asked.set(id, turn);
    const isWanted = () => this.accountKey === account.key && this.asked.get(id) === turn;
    const before = this.state(id);
    if (before.kind !== 'ready') {
      this.set(id, { kind: 'loading' });
    }
    try {
      const { items, skipped } = await readers[id](account);
      if (isWanted()) {
        this.set(id, readyList(items, skipped, this.deps.clock.now()));
      }
    } catch (error) {
      this.deps.log.info(`A part of the account (${id}) could not be read: ${String(error)}`);
      if (isWanted()) {
        this.set(id, before.kind === 'ready' ? { ...before, error } : { kind: 'failed', error });
      }
    }
  }

  private set<Id extends PartId>(id: Id, state: Loaded<AccountPartTypes[Id]>): void {
    this.states = { ...this.states, [id]: state };
    this.changed.fire(undefined);
  }
}
