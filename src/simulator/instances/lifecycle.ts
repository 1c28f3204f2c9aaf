import type { Disposable } from '../../util/disposable';
import { SeededRandom } from '../random';
import { ServiceError } from '../route';
import type { InstanceState, PendingStep } from '../state';
import type { World } from '../world';
import { Billing } from './billing';
import type { InstanceFolders } from './instanceFolders';
import { bootMessages, failureStatuses, imageOnMachine } from './instanceLog';
import type { Orders } from './orders';
import type { SshHost } from './sshHost';

/** Seconds at true speed; a whole boot takes one to three minutes (docs/service/limits.md#times). */
const provisionSeconds = [6, 14] as const;
const downloadSeconds = [75, 150] as const;
/** Once the image is on the machine. */
const restartSeconds = [25, 45] as const;
const haltSeconds = 1.5;
const retrySeconds = 20;

/**
 * The life of instances: the effects of requests, and the later changes by themselves
 * (docs/service/instances.md#states). The clock's speed shortens the waits, and a
 * wait that was pending when the simulator ended continues at its next start.
 */
export class Lifecycle implements Disposable {
  readonly billing: Billing;
  private readonly timers = new Map<number, Disposable>();
  /** Counts the openings of each instance, so that an outdated one does nothing. */
  private readonly openings = new Map<number, number>();

  constructor(
    private readonly world: World,
    private readonly ssh: SshHost,
    private readonly folders: InstanceFolders,
    private readonly orders: Orders,
  ) {
    this.billing = new Billing(world, (accountId) => this.stopForLackOfMoney(accountId));
  }

  /** Continues an earlier run: its pending steps, and SSH of its running instances. */
  resume(): void {
    for (const instance of this.world.instances) {
      this.billing.settle(instance);
      this.arm(instance);
      if (instance.actualStatus === 'running') {
        this.openSsh(instance);
      }
    }
    this.world.accounts.forEach((account) => this.billing.watch(account.id));
  }

  /** A rental was accepted: provisioning begins. */
  begin(instance: InstanceState): void {
    this.orders.applyTo(instance);
    this.note(instance, `Contract ${instance.id} accepted by machine ${instance.machineId}.`);
    this.world.addInstance(instance);
    this.later(instance, 'load', this.between(instance, provisionSeconds));
    this.billing.watch(instance.accountId);
  }

  /** Stopped on purpose; works in every state and halts compute billing at once. */
  stop(instance: InstanceState): void {
    this.billing.settle(instance);
    if (instance.intendedStatus === 'stopped') {
      return;
    }
    instance.intendedStatus = 'stopped';
    instance.waiting = false;
    if (instance.actualStatus === 'running' || canStillBoot(instance)) {
      this.later(instance, 'halt', haltSeconds);
    } else {
      this.cancelPending(instance);
    }
    this.note(instance, 'Stop requested.');
    this.changed(instance);
  }

  /**
   * Starts an instance that was stopped on purpose. Returns a refusal, which is sent
   * with status 200, if the machine has no free GPU, or if the instance failed while it
   * was meant to run and never runs again (docs/service/instances.md#failed-statuses).
   */
  start(instance: InstanceState): { readonly queued: boolean } {
    this.billing.settle(instance);
    if (this.world.account(instance.accountId).credit <= 0) {
      throw new ServiceError(400, 'missing_billing', 'Add credit before starting an instance.');
    }
    if (instance.intendedStatus === 'running' && !instance.failed && !instance.outbid) {
      return { queued: instance.waiting };
    }
    instance.intendedStatus = 'running';
    if (instance.failed || instance.outbid) {
      this.changed(instance);
      return { queued: true };
    }
    instance.waiting = !this.hasGpus(instance) || !this.bidHolds(instance);
    this.orders.applyTo(instance);
    this.later(instance, 'load', instance.waiting ? retrySeconds : 3);
    this.note(instance, 'Start requested.');
    this.changed(instance);
    return { queued: instance.waiting };
  }

  /** Restarts the container on the same GPUs. @throws ServiceError 400 unless it runs. */
  reboot(instance: InstanceState, wipe: boolean): void {
    if (instance.actualStatus !== 'running' || instance.intendedStatus !== 'running') {
      throw new ServiceError(400, 'invalid_args', 'Only a running instance can be restarted.');
    }
    this.billing.settle(instance);
    this.closeSsh(instance);
    if (wipe) {
      this.folders.remove(instance.id);
    }
    instance.actualStatus = 'loading';
    instance.statusMessage = wipe ? 'recreating the container\n' : 'rebooting\n';
    this.note(instance, wipe ? 'Recycle requested.' : 'Reboot requested.');
    this.later(instance, 'boot', wipe ? 30 : 12);
    this.changed(instance);
  }

  /** Ends all charges and discards all data (docs/service/instances.md#destroy). */
  destroy(instance: InstanceState): void {
    this.billing.settle(instance);
    this.cancelPending(instance);
    this.closeSsh(instance);
    this.folders.remove(instance.id);
    this.world.ports.volumes?.release?.(instance.id);
    this.world.removeInstance(instance);
    this.world.keys.removeOfInstance(instance.id);
    this.billing.watch(instance.accountId);
    this.openings.delete(instance.id);
  }

  /** Ends in a state from which it never recovers while meant to run. */
  fail(instance: InstanceState, status: string, message: string): void {
    this.billing.settle(instance);
    this.cancelPending(instance);
    this.closeSsh(instance);
    instance.actualStatus = status;
    instance.statusMessage = `${message}\n`;
    instance.failed = true;
    instance.waiting = false;
    this.note(instance, message);
    this.changed(instance);
  }

  /** Another renter bids more: the instance pauses and keeps its disk. */
  outbid(instance: InstanceState): void {
    if (!instance.isBid) {
      throw new ServiceError(400, 'invalid_args', 'Only an interruptible instance can be outbid.');
    }
    this.billing.settle(instance);
    this.cancelPending(instance);
    this.closeSsh(instance);
    instance.actualStatus = 'exited';
    instance.outbid = true;
    instance.statusMessage = 'Paused: another renter bids more for this machine.\n';
    this.note(instance, 'Outbid.');
    this.changed(instance);
  }

  keysChanged(instance: InstanceState): void {
    this.ssh.keysChanged(instance);
    this.changed(instance);
  }

  changed(instance: InstanceState): void {
    instance.hostLog.splice(0, Math.max(0, instance.hostLog.length - 500));
    this.world.instanceChanged(instance);
    this.billing.watch(instance.accountId);
  }

  dispose(): void {
    this.timers.forEach((timer) => timer.dispose());
    this.timers.clear();
  }

  private step(instance: InstanceState, pending: PendingStep): void {
    this.billing.settle(instance);
    instance.pending = null;
    switch (pending.kind) {
      case 'load':
        this.load(instance);
        break;
      case 'progress':
        this.progress(instance, pending.count);
        break;
      case 'boot':
        this.finishBoot(instance);
        break;
      case 'halt':
        this.halt(instance);
        break;
    }
  }

  private load(instance: InstanceState): void {
    if (instance.intendedStatus === 'stopped') {
      this.halt(instance);
      return;
    }
    instance.waiting = !this.hasGpus(instance) || !this.bidHolds(instance);
    if (instance.waiting) {
      instance.actualStatus = instance.actualStatus === null ? null : 'scheduling';
      instance.statusMessage = 'Required resources are currently unavailable, state change queued.\n';
      this.later(instance, 'load', retrySeconds);
      this.changed(instance);
      return;
    }
    instance.actualStatus = 'loading';
    this.progress(instance, 0);
  }

  /** The host's messages while the image is downloaded; the last wait ends in `boot`. */
  private progress(instance: InstanceState, count: number): void {
    const messages = bootMessages(instance);
    const message = messages[count];
    if (message !== undefined) {
      instance.statusMessage = `${message}\n`;
      this.note(instance, message);
    }
    const total = this.between(instance, imageOnMachine(instance) ? restartSeconds : downloadSeconds);
    const isLast = count >= messages.length - 1;
    this.later(instance, isLast ? 'boot' : 'progress', total / messages.length, count + 1);
    this.changed(instance);
  }

  private finishBoot(instance: InstanceState): void {
    const failure = instance.nextBootFailure;
    if (failure) {
      instance.nextBootFailure = null;
      if (failure.outcome === 'stuck') {
        instance.statusMessage = `${failure.message}\n`;
        this.note(instance, failure.message);
        this.changed(instance);
      } else {
        this.fail(instance, failure.outcome, failure.message);
      }
      return;
    }
    this.openSsh(instance, () => {
      this.billing.settle(instance);
      instance.actualStatus = 'running';
      instance.startedAt = this.world.now();
      instance.statusMessage = `success, running ${instance.image}\n`;
      this.note(instance, `Running ${instance.image}.`);
      this.changed(instance);
    });
  }

  private halt(instance: InstanceState): void {
    this.closeSsh(instance);
    instance.actualStatus = 'exited';
    instance.statusMessage = 'stopped\n';
    this.note(instance, 'Stopped.');
    this.changed(instance);
  }

  private openSsh(instance: InstanceState, opened: () => void = () => this.changed(instance)): void {
    const opening = (this.openings.get(instance.id) ?? 0) + 1;
    this.openings.set(instance.id, opening);
    const done = (ports: Awaited<ReturnType<SshHost['open']>>) => {
      if (this.openings.get(instance.id) !== opening) {
        return;
      }
      instance.proxyPort = ports.proxyPort;
      instance.directPorts = { ...ports.directPorts };
      opened();
    };
    const opens = this.ssh.open(instance);
    if (!(opens instanceof Promise)) {
      done(opens);
      return;
    }
    opens.then(done, (error: unknown) => {
      this.world.report(error);
      if (this.openings.get(instance.id) === opening) {
        this.fail(instance, 'exited', 'The SSH server of the simulated machine could not start.');
      }
    });
  }

  private closeSsh(instance: InstanceState): void {
    this.openings.set(instance.id, (this.openings.get(instance.id) ?? 0) + 1);
    this.ssh.close(instance);
  }

  private hasGpus(instance: InstanceState): boolean {
    const slice = this.world.market.sliceOf(instance);
    return this.world.market.freeGpus(slice.machine, instance) >= slice.gpus;
  }

  private bidHolds(instance: InstanceState): boolean {
    const slice = this.world.market.sliceOf(instance);
    const least = this.world.market.minBidPerGpu(slice.machine) * slice.gpus;
    return !instance.isBid || instance.bidPrice >= least - 1e-9;
  }

  private stopForLackOfMoney(accountId: number): void {
    for (const instance of this.world.instancesOf(accountId)) {
      if (instance.intendedStatus === 'running') {
        this.note(instance, 'Credit is used up.');
        this.stop(instance);
        instance.statusMessage = 'stopped: the credit of the account is used up\n';
        this.changed(instance);
      }
    }
  }

  private note(instance: InstanceState, line: string): void {
    instance.hostLog.push(`${new Date(this.world.clock.now()).toISOString()} ${line}`);
  }

  /** A length that differs from instance to instance and is the same for the same one. */
  private between(instance: InstanceState, [low, high]: readonly [number, number]): number {
    return new SeededRandom(this.world.seed + instance.id * 31).between(low, high);
  }

  private later(instance: InstanceState, kind: PendingStep['kind'], seconds: number, count = 0): void {
    const wait = this.world.clock.shortened(seconds * 1000) / 1000;
    instance.pending = { kind, at: this.world.now() + wait, count };
    this.arm(instance);
  }

  private arm(instance: InstanceState): void {
    this.timers.get(instance.id)?.dispose();
    this.timers.delete(instance.id);
    const { pending } = instance;
    if (pending) {
      const run = () => {
        this.timers.delete(instance.id);
        this.step(instance, pending);
      };
      this.timers.set(instance.id, this.world.clock.schedule(run, (pending.at - this.world.now()) * 1000));
    }
  }

  private cancelPending(instance: InstanceState): void {
    instance.pending = null;
    this.arm(instance);
  }
}

function canStillBoot(instance: InstanceState): boolean {
  return !instance.failed && !instance.outbid && !failureStatuses.includes(instance.actualStatus ?? '');
}
