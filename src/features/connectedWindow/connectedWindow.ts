import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { isReady, stateOf } from '../../model/instances/instanceState';
import { windowTroubleOf, type WindowTrouble } from '../../model/instances/windowTrouble';
import { watchAccounts } from '../../shared/followAccount';
import { endpointsOf, sameEndpoint } from '../../ssh/endpoints';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import type { WindowDeps } from './deps';
import { Latency } from './latency';
import { askAboutWindow, reloadWindow } from './question';
import { WindowOwners } from './windowOwners';
import { goneTexts, windowTexts } from './windowText';

/** Time and cost advance between two looks (ms). */
const tickMs = 30_000;
/** Prefix of the event name, followed by the new address, since the machine may move again. */
const moved = 'moved ';

/** A remote window on one of our machines. */
export class ConnectedWindow implements Disposable {
  readonly instanceId: number;
  private readonly alias: string;
  private readonly store = new DisposableStore();
  private readonly timer = this.store.add(new MutableDisposable());
  private readonly owners: WindowOwners;
  private openedAt: number;
  private readonly latency: Latency;
  /** True after a problem, so that the recovery is worth a message. */
  private wasLost = false;
  private wasRead = false;
  private isAsking = false;
  /** An event that happened during a question. */
  private next: string | undefined;
  private name: string;
  private checking: Promise<void> = Promise.resolve();

  constructor(
    private readonly deps: WindowDeps,
    host: { readonly alias: string; readonly instanceId: number },
  ) {
    this.instanceId = host.instanceId;
    this.alias = host.alias;
    this.name = host.alias;
    this.owners = new WindowOwners(deps.globalState);
    this.openedAt = deps.clock.now();
    this.store.add(deps.statusItem.owned('window'));
    deps.connectedWindows.set(this.alias);
    const check = () => {
      this.check();
    };
    this.latency = this.store.add(new Latency(deps, host, check));
    this.store.add(deps.fleet.onDidChange(check));
    this.store.add(watchAccounts(deps.accounts, check));
    this.store.add(
      deps.connectedWindows.onMayAsk(({ event }) => {
        this.ask(event).catch((error: unknown) => {
          deps.report.error(error);
        });
      }),
    );
    check();
  }

  dispose(): void {
    this.store.dispose();
  }

  private check(): void {
    this.checking = this.checking
      .then(() => this.checkNow())
      .catch((error: unknown) => {
        this.deps.log.error('The instance of this window could not be checked', error);
      });
  }

  private async checkNow(): Promise<void> {
    const { accounts, fleet, ssh, clock } = this.deps;
    const { state } = fleet;
    const account = accounts.active;
    if (account && !this.wasRead) {
      this.wasRead = true;
      this.readAnew();
    }
    const isOurs = account !== undefined && ssh.aliasOf(account, this.instanceId) === this.alias;
    const instance = fleet.find(this.instanceId);
    if (isOurs && instance) {
      this.name = instanceName(instance);
      await this.owners.remember(this.alias, account.key);
    }
    // Another account may have the same alias without knowing the machine.
    if (!isOurs || state.kind !== 'ready' || this.owners.of(this.alias) !== account.key) {
      this.deps.statusItem.set('window', undefined);
      return;
    }
    const isStale = state.error !== undefined;
    const isNew = !isStale && this.isSinceOpened(state.fetchedAt);
    const hasEnded = !instance && fleet.hasEnded(this.instanceId);
    this.show(instance, isStale, hasEnded);
    if (isNew && (instance || hasEnded)) {
      await this.judge(instance, clock.now(), account.key);
    }
  }

  /** A clock that was set back must not make each new list older than the window. */
  private isSinceOpened(fetchedAt: number): boolean {
    const now = this.deps.clock.now();
    this.openedAt = Math.min(this.openedAt, now);
    return fetchedAt >= this.openedAt && fetchedAt <= now;
  }

  /** Drops outdated observations of this window's machine. */
  private readAnew(): void {
    const { fleet, log } = this.deps;
    fleet.refresh().catch((error: unknown) => {
      log.warn(`The instance of this window could not be read: ${String(error)}`);
    });
  }

  private show(instance: Instance | undefined, isStale: boolean, hasEnded: boolean): void {
    const { fleet, clock, statusItem } = this.deps;
    this.timer.value = undefined;
    if (!instance && (isStale || !hasEnded)) {
      statusItem.set('window', undefined);
      return;
    }
    const now = clock.now();
    const texts = instance
      ? windowTexts({
          instance,
          kind: stateOf(instance, fleet.facts(instance.id), now),
          isStale,
          now,
          latencyMs: this.latency.milliseconds,
        })
      : goneTexts(this.name);
    const command = { command: 'gpuRental.connected.showMenu', title: t('Stop or Destroy…') };
    statusItem.set('window', { ...texts, command });
    this.latency.plan();
    this.timer.value = clock.schedule(() => {
      this.check();
    }, tickMs);
  }

  private async judge(instance: Instance | undefined, now: number, accountKey: string): Promise<void> {
    const { fleet, connectedWindows } = this.deps;
    const trouble = windowTroubleOf(instance, fleet.facts(this.instanceId), now);
    if (trouble !== undefined) {
      this.wasLost = true;
      connectedWindows.want({ alias: this.alias, event: trouble });
    } else if (instance && isReady(stateOf(instance, fleet.facts(instance.id), now))) {
      await this.judgeRunning(instance, accountKey);
    }
  }

  private async judgeRunning(instance: Instance, accountKey: string): Promise<void> {
    const { connectedWindows, ssh } = this.deps;
    const offered = endpointsOf(instance);
    const used = (await ssh.entry(this.alias))?.endpoint;
    const [first] = offered;
    const hasMoved = used !== undefined && first && !offered.some((one) => sameEndpoint(one, used));
    const wasLost = this.wasLost;
    this.wasLost = false;
    if (hasMoved === true || wasLost) {
      // The window itself logs in.
      const entry = { instanceId: this.instanceId, accountKey, isEntryOnly: true };
      await runCommand('gpuRental.prepareSsh', entry);
    }
    if (hasMoved === true && !wasLost) {
      connectedWindows.want({ alias: this.alias, event: `${moved}${first.host}:${first.port}` });
      return;
    }
    connectedWindows.settle(this.alias, (event) => !event.startsWith(moved));
    if (wasLost) {
      this.showReturn();
    }
  }

  private showReturn(): void {
    const sentence = t('{0} is running again. Reload this window if it does not reconnect.', this.name);
    message('info', sentence, { label: t('Reload Window'), run: reloadWindow });
  }

  /** Asks in this window, which was chosen for it; one question at a time, and only if it still applies. */
  private async ask(event: string): Promise<void> {
    if (this.isAsking) {
      this.next = event;
      return;
    }
    const trouble = this.stillSo(event);
    if (trouble === undefined) {
      return;
    }
    this.isAsking = true;
    try {
      await askAboutWindow(this.deps, { instanceId: this.instanceId, name: this.name }, trouble);
    } finally {
      this.isAsking = false;
    }
    const { next } = this;
    this.next = undefined;
    if (next !== undefined) {
      await this.ask(next);
    }
  }

  private stillSo(event: string): WindowTrouble | undefined {
    const { fleet, clock } = this.deps;
    const now = windowTroubleOf(fleet.find(this.instanceId), fleet.facts(this.instanceId), clock.now());
    if (event.startsWith(moved)) {
      return now === undefined ? 'moved' : undefined;
    }
    return now === event ? now : undefined;
  }
}
