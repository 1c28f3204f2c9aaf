import type { Machine, ScheduledMaintenance } from '../../../api/records/machine';
import type { Services } from '../../../services';
import { followAccount } from '../../../shared/followAccount';
import { AccountReading, type RefreshOptions } from '../../../shared/reading';
import type { Account } from '../../../store/accounts/accounts';
import type { Disposable } from '../../../util/disposable';

/** The account's machines, read once per sign-in and on *Refresh*. */
export class MachineList extends AccountReading<Account, readonly Machine[]> {
  private readonly following: Disposable;
  /** Read once the view shows the machines. */
  readonly windows: AccountReading<Account, readonly ScheduledMaintenance[]>;

  constructor(private readonly services: Pick<Services, 'accounts' | 'clock' | 'keyAccess' | 'log'>) {
    super({ ...services, read: ({ client }, options) => client.machines.list(options) });
    this.windows = new AccountReading({
      ...services,
      read: ({ client }, options) => {
        const ids = (this.value ?? []).map(({ id }) => id);
        return ids.length === 0
          ? Promise.resolve({ items: [], skipped: 0 })
          : client.machines.maintenances(ids, options);
      },
    });
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
      if (this.windows.state.kind !== 'idle') {
        await this.refreshWindows(how);
      }
    }
  }

  /** Never rejects: the view shows the error. */
  async refreshWindows(how?: RefreshOptions): Promise<void> {
    await this.windows.refresh(how).catch((error: unknown) => {
      this.services.log.warn(`Could not read the maintenance of machines: ${String(error)}`);
    });
  }

  /** Returns the maintenance of a machine: as listed, else as in its record. */
  windowsOf(machineId: number): readonly ScheduledMaintenance[] {
    const { state } = this.windows;
    return state.kind === 'ready'
      ? state.value.filter((one) => one.machineId === machineId)
      : (this.find(machineId)?.maintenance ?? []);
  }

  override dispose(): void {
    this.following.dispose();
    this.windows.dispose();
    super.dispose();
  }
}
