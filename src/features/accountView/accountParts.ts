import * as z from 'zod';
import type { ApiKey } from '../../model/accounts/apiKey';
import type { KeptSecret } from '../../model/accounts/keptSecret';
import type { SecondFactorStatus } from '../../model/accounts/secondFactor';
import type { Secret } from '../../model/accounts/secret';
import type { TeamBalance, TeamMember } from '../../model/accounts/team';
import type { TeamRole } from '../../model/accounts/teamRole';
import type { Services } from '../../services';
import { channel } from '../../shared/channel';
import { watchAccounts } from '../../shared/followAccount';
import { AccountReading, type Loaded, type ReadingDeps } from '../../shared/reading';
import type { Account } from '../../store/accounts/accounts';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';

/** A secret of this computer, without its value. */
export type ShownSecret = Omit<KeptSecret, 'value'>;

export interface AccountPartTypes {
  readonly secondFactor: SecondFactorStatus;
  readonly apiKeys: readonly ApiKey[];
  readonly secrets: readonly Secret[];
  readonly keptSecrets: readonly ShownSecret[];
  readonly teamBalances: readonly TeamBalance[];
  readonly teamMembers: readonly TeamMember[];
  readonly teamRoles: readonly TeamRole[];
}
export type ReadId = keyof AccountPartTypes;
/** The parts with a heading; the others are below that of a part that they belong to. */
export type PartId = Exclude<ReadId, 'keptSecrets' | 'teamBalances' | 'teamMembers'>;
export const partIds: readonly PartId[] = ['secondFactor', 'apiKeys', 'secrets', 'teamRoles'];

/** What is read for each heading. */
export const listsOf: { readonly [Id in PartId]: readonly ReadId[] } = {
  secondFactor: ['secondFactor'],
  apiKeys: ['apiKeys'],
  secrets: ['secrets', 'keptSecrets'],
  teamRoles: ['teamRoles', 'teamMembers', 'teamBalances'],
};

const readIds = partIds.flatMap((part) => listsOf[part]);

type PartsDeps = Pick<Services, 'accounts' | 'clock' | 'hub' | 'keptSecrets'> & { readonly log: Log };

/** Announces, with the key of the account, that a window changed something or reads again. */
const changes = channel('account.parts', z.string());

/**
 * The parts of the account view, each read when its row is opened and again after a change. Values of environment
 * variables stay in memory only and are dropped with the account.
 */
export class AccountParts implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<undefined>());
  readonly onDidChange = this.changed.event;
  private readonly readings: {
    readonly [Id in ReadId]: AccountReading<Account, AccountPartTypes[Id]>;
  };

  constructor(private readonly deps: PartsDeps) {
    const fire = () => {
      this.changed.fire(undefined);
    };
    const reading = <T>(read: ReadingDeps<Account, T>['read']) => {
      const one = this.owned.add(new AccountReading({ ...deps, read }));
      this.owned.add(one.onDidChange(fire));
      return one;
    };
    this.readings = {
      secondFactor: reading(async ({ client }, options) => {
        const status = await client.secondFactor.status(options);
        return { items: status, skipped: status.skipped };
      }),
      apiKeys: reading(({ client }, options) => client.apiKeys.list(options)),
      // Variables are never skipped, because no form of one is documented that could be broken
      // (docs/service/environment-variables.md#list).
      secrets: reading(async ({ client }, options) => ({ items: await client.secrets.list(options) })),
      keptSecrets: reading<readonly ShownSecret[]>(async ({ key }) => {
        const all = await deps.keptSecrets.all(key);
        return { items: all.map(({ name, uses, changedAt }) => ({ name, uses, changedAt })) };
      }),
      teamBalances: reading(({ client }, options) => client.team.balances(options)),
      teamMembers: reading(({ client }, options) => client.team.members(options)),
      teamRoles: reading(({ client }, options) => client.teamRoles.list(options)),
    };
    this.owned.add(
      deps.keptSecrets.onDidChange((accountKey) => {
        if (deps.accounts.active?.key === accountKey && this.state('keptSecrets').kind !== 'idle') {
          void this.read('keptSecrets', true);
        }
      }),
    );
    this.owned.add(
      changes.on(deps.hub, (accountKey) => {
        if (deps.accounts.active?.key === accountKey) {
          void this.readAgain(true);
        }
      }),
    );
    // The view also shows who is signed in.
    this.owned.add(watchAccounts(deps.accounts, fire));
  }

  state<Id extends ReadId>(id: Id): Loaded<AccountPartTypes[Id]> {
    return this.readings[id].state;
  }

  /** Returns the last good data, also during another read. */
  value<Id extends ReadId>(id: Id): AccountPartTypes[Id] | undefined {
    return this.readings[id].value;
  }

  /** Reads a part unless it is already loaded or loading. */
  open(id: ReadId): void {
    if (this.state(id).kind === 'idle') {
      void this.read(id, true);
    }
  }

  /** Reads again the parts that were read before, here and in the other windows, which do not see a change here. */
  async refresh(): Promise<void> {
    const { active } = this.deps.accounts;
    if (active) {
      changes.send(this.deps.hub, active.key);
    }
    await this.readAgain(false);
  }

  dispose(): void {
    this.owned.dispose();
  }

  private async readAgain(isUnasked: boolean): Promise<void> {
    const opened = readIds.filter((id) => this.state(id).kind !== 'idle');
    await Promise.all(opened.map((id) => this.read(id, isUnasked)));
  }

  /** Reads a part; never rejects, because the rows show the error. */
  private async read(id: ReadId, isUnasked: boolean): Promise<void> {
    if (this.deps.accounts.active) {
      await this.readings[id].refresh({ isUnasked }).catch((error: unknown) => {
        this.deps.log.info(`Could not read a part of the account (${id}): ${String(error)}`);
      });
    }
  }
}
