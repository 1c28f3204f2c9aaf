import type { Machine } from '../../../api/records/machine';
import type { Services } from '../../../services';
import { followAccount } from '../../../shared/followAccount';
import { AccountReading, type RefreshOptions } from '../../../shared/reading';
import type { Account } from '../../../store/accounts/accounts';
import type { Disposable } from '../../../util/disposable';

/** The account's machines, read once per sign-in and on *Refresh*. */
export class MachineList extends AccountReading<Account, readonly Machine[]> {
  private readonly following: Disposable;

  constructor(private readonly services: Pick<Services, 'accounts' | 'clock' | 'keyAccess' | 'log'>) {
    super({ ...services, read: ({ client }, options) => client.machines.list(options) });
    this.following = followAccount(services.accounts, () => {
      // Waits for the permissions of the key, so that a key without the permission sends no request.
      void services.keyAccess.settled().then(() => this.refresh({ isUnasked: true }));
    });
  }

  find(machineId: number): Machine | undefined {
    return this.value?.find(({ id }) => id === machineId);
  }

  /** Never rejects: the view shows the error. */
  override async refresh(how?: RefreshOptions): Promise<void> {
    if (this.services.accounts.active) {
      await super.refresh(how).catch((error: unknown) => {
        this.services.log.warn(`Could not read the machines of this account: ${String(error)}`);
      });
    }
  }

  override dispose(): void {
    this.following.dispose();
    super.dispose();
  }
}
