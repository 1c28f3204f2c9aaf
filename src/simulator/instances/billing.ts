import type { Disposable } from '../../util/disposable';
import type { Account, InstanceState } from '../state';
import type { World } from '../world';

const secondsOfDay = 86_400;
const secondsOfHour = 3600;

/**
 * Returns the dollars an hour that an instance costs in its present state
 * (docs/service/instances.md#billing).
 */
function currentRates(instance: InstanceState): { gpu: number; disk: number } {
  // Disk is paid from the rental to the removal, the GPU while it runs and is meant to.
  const computes = instance.actualStatus === 'running' && instance.intendedStatus === 'running';
  return { gpu: computes ? instance.rates.gpu : 0, disk: instance.rates.disk };
}

/** Charges accounts as time passes, by the true clock, and notices when the credit is used up. */
export class Billing {
  private readonly alarms = new Map<number, Disposable>();

  constructor(
    private readonly world: World,
    /** Stops running instances: the service does not lend. */
    private readonly onDry: (accountId: number) => void,
  ) {}

  /** Charges for the time up to this moment; call it before anything that changes a rate. */
  settle(instance: InstanceState): void {
    const now = this.world.now();
    const account = this.world.accounts.find((other) => other.id === instance.accountId);
    const { gpu, disk } = currentRates(instance);
    let from = instance.billedUntil;
    while (from < now) {
      const day = Math.floor(from / secondsOfDay);
      const until = Math.min(now, (day + 1) * secondsOfDay);
      const hours = (until - from) / secondsOfHour;
      bookDay(instance, day, gpu * hours, disk * hours);
      charge(account, (gpu + disk) * hours);
      from = until;
    }
    instance.billedUntil = Math.max(instance.billedUntil, now);
  }

  settleAccount(accountId: number): void {
    for (const instance of this.world.instancesOf(accountId)) {
      this.settle(instance);
    }
  }

  /** Sets the alarm for the moment at which the credit is used up; call it after a rate has changed. */
  watch(accountId: number): void {
    this.alarms.get(accountId)?.dispose();
    this.alarms.delete(accountId);
    const account = this.world.accounts.find((other) => other.id === accountId);
    const running = this.world
      .instancesOf(accountId)
      .filter((instance) => instance.intendedStatus === 'running');
    const hourly = this.world.instancesOf(accountId).reduce((sum, instance) => {
      const { gpu, disk } = currentRates(instance);
      return sum + gpu + disk;
    }, 0);
    if (!account || hourly <= 0 || running.length === 0) {
      return;
    }
    const seconds = Math.max(0, (account.credit / hourly) * secondsOfHour);
    this.alarms.set(
      accountId,
      this.world.clock.schedule(
        () => {
          this.settleAccount(accountId);
          if (account.credit <= 0.000001) {
            this.onDry(accountId);
          } else {
            this.watch(accountId);
          }
        },
        Math.ceil(seconds * 1000) + 1,
      ),
    );
  }
}

function charge(account: Account | undefined, amount: number): void {
  if (account) {
    account.credit -= amount;
    account.spent += amount;
  }
}

function bookDay(instance: InstanceState, day: number, gpu: number, disk: number): void {
  const last = instance.usage.at(-1);
  if (last?.day === day) {
    last.gpu += gpu;
    last.disk += disk;
  } else {
    instance.usage.push({ day, gpu, disk });
  }
}
