import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { localize, reasonOf, t } from '../../editor/localize';
import { stepLabel } from '../../editor/report';
import { ReportPanel } from '../../editor/reportPanel';
import type { GroupRow, OnPage } from '../../editor/treeGroups';
import { spendable } from '../../model/accounts/account';
import type { Deposit } from '../../model/instances/deposit';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { isChanging, stateOf } from '../../model/instances/instanceState';
import { hoursOfCredit, spanOfHours } from '../../model/quote';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { aliasInArguments } from '../../ssh/alias';
import { hostKeyTrust } from '../../ssh/hostKey';
import { burnNow, signsOf } from '../../store/instances/burn';
import { isCurrent } from '../../store/instances/listed';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { durationText } from '../../util/duration';
import type { FromPage, ReportView } from '../../webview/report/protocol';
import { pageCommand } from './actions';
import { openConsoleButton, readDepositButton } from './depositSection';
import { goneView, pastCommand, whoEndedButton } from './goneView';
import { instanceView, readGpusButton, stopGpusButton, type PageFacts } from './instanceView';
import { LiveGpus } from './liveGpus';
import { ReadOnRequest } from './readOnRequest';
import type { PageRow } from './sections';
import { whoEnded } from './whoEnded';

export type PageDeps = Pick<
  Services,
  | 'extensionUri'
  | 'log'
  | 'report'
  | 'accounts'
  | 'fleet'
  | 'volumes'
  | 'budget'
  | 'gauges'
  | 'startWatches'
  | 'machineProofs'
  | 'keptLogs'
  | 'instanceGroups'
  | 'presence'
  | 'ssh'
  | 'work'
  | 'clock'
>;

export interface PageOf {
  readonly instanceId: number;
  readonly accountKey: string;
}

/** The elapsed times are redrawn this often, more often while the state changes (ms). */
const tickMs = 60_000;
const changingTickMs = 10_000;

/** The page of one instance, which follows the lists that are read anyway, and only while it is shown. */
export class InstancePage implements Disposable {
  private readonly panel: ReportPanel;
  private readonly store = new DisposableStore();
  private readonly timer = this.store.add(new MutableDisposable<Disposable>());
  private name: string;
  private shown = '';
  /** The end of its log as last kept. */
  private log: string | undefined;
  private readonly gpus: LiveGpus;
  private readonly end: ReadOnRequest<string>;
  private readonly deposit: ReadOnRequest<Deposit>;
  /** How its host key was checked, as last read. */
  private hostKey: string | undefined;
  /** What a click on a row does, by the section and the id of the row. */
  private opens = new Map<string, () => unknown>();

  constructor(
    private readonly deps: PageDeps,
    private readonly of: PageOf,
    restored: vscode.WebviewPanel | undefined,
    onClosed: () => void,
  ) {
    this.name = `#${of.instanceId}`;
    this.gpus = this.store.add(
      new LiveGpus(
        deps,
        of,
        () => this.draw(),
        () => !this.store.isDisposed && this.panel.isVisible,
      ),
    );
    const draw = () => this.draw();
    this.end = whoEnded(deps, of.instanceId, draw);
    this.deposit = new ReadOnRequest(deps, {
      read: ({ client }) => client.instances.deposit(of.instanceId),
      none: () => '',
      draw,
    });
    this.panel = new ReportPanel(
      {
        id: 'instance',
        title: this.instance ? instanceName(this.instance) : this.name,
        extensionUri: deps.extensionUri,
        log: deps.log,
        restored,
        onShown: () => {
          this.update();
          this.gpus.resume();
        },
        onHidden: () => this.gpus.pause(),
        onMessage: (message) => this.receive(message),
      },
      () => {
        this.store.dispose();
        onClosed();
      },
    );
    const { fleet, volumes, budget, gauges, startWatches, machineProofs, instanceGroups, work, accounts } =
      deps;
    this.store.add(fleet.onDidChange(draw));
    this.store.add(volumes.onDidChange(draw));
    this.store.add(budget.onDidChange(draw));
    this.store.add(gauges.onDidChange(draw));
    this.store.add(startWatches.onDidChange(draw));
    this.store.add(machineProofs.onDidChange(draw));
    this.store.add(instanceGroups.onDidChange(draw));
    this.store.add(work.onDidChange(draw));
    this.store.add(deps.presence.onDidChange(draw));
    this.store.add(watchAccounts(accounts, draw));
    this.store.add(vscode.window.onDidOpenTerminal(draw));
    this.store.add(vscode.window.onDidCloseTerminal(draw));
    this.update();
  }

  reveal(): void {
    this.panel.reveal();
  }

  dispose(): void {
    this.panel.dispose();
  }

  private get instance(): Instance | undefined {
    return this.deps.fleet.find(this.of.instanceId);
  }

  /** Draws what is known at once, and then with the log that is kept on this computer. */
  private update(): void {
    this.draw();
    if (this.panel.isVisible) {
      void this.readKept();
    }
  }

  private async readKept(): Promise<void> {
    const { accountKey, instanceId } = this.of;
    const { accounts, keptLogs, ssh } = this.deps;
    try {
      const content = await keptLogs.read(accountKey, instanceId);
      this.log = content === undefined ? undefined : endOfLog(content);
      const { active } = accounts;
      const trust = hostKeyTrust(active && (await ssh.entry(ssh.aliasOf(active, instanceId))));
      this.hostKey = trust && localize(trust);
    } catch (error) {
      this.deps.log.warn(`The log of ${instanceId} could not be read: ${String(error)}`);
    }
    this.draw();
  }

  /** Draws what is known, if it differs from what is shown. A hidden page is drawn once it is shown again. */
  private draw(): void {
    this.timer.value = undefined;
    if (!this.panel.isVisible || this.store.isDisposed) {
      return;
    }
    const { fleet, clock } = this.deps;
    const { instance } = this;
    const kind = instance && stateOf(instance, fleet.facts(instance.id), clock.now());
    if (kind !== 'running') {
      this.gpus.stop();
    }
    const view = this.viewOf(instance);
    const json = JSON.stringify(view);
    if (json !== this.shown) {
      this.shown = json;
      this.panel.rename(this.name);
      this.panel.show(view);
    }
    if (kind) {
      this.timer.value = clock.schedule(() => this.update(), isChanging(kind) ? changingTickMs : tickMs);
    }
  }

  private viewOf(instance: Instance | undefined): ReportView {
    if (instance) {
      this.name = instanceName(instance);
    }
    const { fleet } = this.deps;
    const { kind } = fleet.state;
    const isLoading = !instance && (kind === 'idle' || kind === 'loading');
    this.opens = new Map();
    const past = instance
      ? undefined
      : this.deps.work.past?.rows.find((one) => one.instance.id === this.of.instanceId);
    if (past) {
      this.name = instanceName(past.instance);
    }
    const content = instance
      ? instanceView(instance, this.facts(instance))
      : goneView(this.name, past, {
          isListed: kind === 'ready',
          hasEnded: fleet.hasEnded(this.of.instanceId),
          check: this.deps.machineProofs.find(this.of.instanceId)?.check,
          log: this.log,
          now: this.deps.clock.now(),
          endedBy: this.end.value ?? this.end.text,
          // How an instance ended does not change.
          canReadEnd: this.end.canRead && this.end.value === undefined,
        });
    return {
      title: this.name,
      busy: isLoading,
      filters: [],
      ...content,
      notices: [...this.listNotice(), ...content.notices],
      restore: { ...this.of },
      words: {
        loading: t('Loading…'),
        showTable: t('Table'),
        savePicture: '',
        median: '',
        sortHint: t('Sort by this column'),
      },
    };
  }

  private facts({ id }: Instance): PageFacts {
    const {
      accounts,
      budget,
      clock,
      fleet,
      gauges,
      instanceGroups,
      machineProofs,
      presence,
      ssh,
      startWatches,
      work,
    } = this.deps;
    const check = machineProofs.find(id)?.check;
    const rows = instanceGroups.rowsOf(id);
    const burn = burnNow(this.deps);
    const account = accounts.active;
    const alias = account && ssh.aliasOf(account, id);
    const credit = account && spendable(account.user);
    const hours = credit === undefined ? undefined : hoursOfCredit(credit, burn.rate);
    return {
      facts: fleet.facts(id),
      now: clock.now(),
      watch: startWatches.find(id),
      notes: instanceGroups.notesOf(id),
      creditLasts: hours === undefined ? undefined : `${signsOf(burn).credit}${localize(spanOfHours(hours))}`,
      budget: budget.now,
      isUsed: alias !== undefined && presence.isUsed(alias),
      hasEnd: work.endsInstance(id),
      history: gauges.of(id),
      proof: check?.kind === 'proved' ? check.proof : undefined,
      gpus: this.gpus.readings,
      isReadingGpus: this.gpus.isReading,
      hostKey: this.hostKey,
      log: this.log,
      deposit: this.deposit,
      services: this.rowsOf('services', rows, 'service'),
      access: this.rowsOf('access', rows, 'access'),
      setUp: rows.some(({ onPage }) => onPage?.kind === 'setUp')
        ? this.rowsOf('setUp', rows, 'setUp')
        : undefined,
      work: [
        ...work.rowsOf(id).map((row) => {
          this.opens.set(`work ${row.id}`, () => row.open?.run());
          return {
            id: row.id,
            name: row.name,
            state: localize(row.state),
            ends: row.ends && localize(row.ends),
            action: row.open && localize(row.open.name),
          };
        }),
        ...this.rowsOf('work', rows, 'work'),
        ...this.terminals(alias),
      ],
    };
  }

  /** Returns the terminals of this window that log in to the instance. */
  private terminals(alias: string | undefined): readonly PageRow[] {
    return vscode.window.terminals
      .filter(({ creationOptions }) => {
        const args = 'shellArgs' in creationOptions ? creationOptions.shellArgs : undefined;
        return alias !== undefined && aliasInArguments(args) === alias;
      })
      .map((terminal, index) => {
        const id = `terminal ${index}`;
        this.opens.set(`work ${id}`, () => terminal.show());
        return { id, name: terminal.name, state: t('Terminal'), action: t('Show Terminal') };
      });
  }

  /** Returns the rows below the instance in the view that belong on the page. */
  private rowsOf(section: string, rows: readonly GroupRow[], kind: OnPage['kind']): readonly PageRow[] {
    return rows
      .filter(({ onPage }) => onPage?.kind === kind)
      .flatMap((row) => row.onPage?.parts ?? [row])
      .map((row) => {
        const { onPage } = row;
        const { id = '', label, description } = row.item();
        const state = typeof description === 'string' ? description : '';
        const action = onPage?.open?.name;
        this.opens.set(`${section} ${id}`, () => onPage?.open?.run());
        return {
          id,
          name: typeof label === 'string' ? label : (label?.label ?? ''),
          state: onPage?.namesClick === true && action !== undefined ? `${state} · ${action}` : state,
          action,
        };
      });
  }

  /** A list that could not be read, or is old, may be wrong by now. */
  private listNotice(): ReportView['notices'] {
    const { state } = this.deps.fleet;
    const now = this.deps.clock.now();
    const retry = [{ id: 'refresh', label: stepLabel('retry') ?? '' }];
    if (state.kind === 'failed') {
      return [{ severity: 'error', text: reasonText(state.error), buttons: retry }];
    }
    if (state.kind === 'ready' && state.value.unconfirmed?.includes(this.of.instanceId) === true) {
      const text = t('{0} is missing from the last list. Checking…', this.name);
      return [{ severity: 'info', text, buttons: [] }];
    }
    if (state.kind !== 'ready' || (state.error === undefined && isCurrent(state, now))) {
      return [];
    }
    const age = t('Shown as of {0} ago.', localize(durationText(now - state.fetchedAt)));
    const text = state.error === undefined ? age : `${reasonText(state.error)} ${age}`;
    return [{ severity: 'warning', text, buttons: retry }];
  }

  private receive(message: Exclude<FromPage, { type: 'ready' }>): void {
    if (message.type === 'row') {
      void this.opens.get(`${message.section} ${message.row}`)?.();
      return;
    }
    if (message.type !== 'button') {
      return;
    }
    const { instanceId } = this.of;
    const command = pageCommand(message.id);
    const past = pastCommand(message.id);
    if (command) {
      // Some of them read the log, which is kept then.
      void Promise.resolve(runCommand(command, { instanceId })).then(() => this.update());
    } else if (past) {
      void runCommand(past, { pastId: instanceId });
    } else if (message.id === 'refresh') {
      void runCommand('gpuRental.refresh');
    } else if (message.id === readGpusButton) {
      void this.gpus.start();
    } else if (message.id === readDepositButton) {
      void this.deposit.read();
    } else if (message.id === openConsoleButton) {
      void runCommand('gpuRental.openConsole', { part: 'instances' });
    } else if (message.id === whoEndedButton) {
      void this.end.read();
    } else if (message.id === stopGpusButton) {
      this.gpus.stop();
    }
  }
}

/** The page shows this many lines; the document of the log has the others. */
const logLines = 40;

/** Without colours and other control characters; of a progress bar, its last state. */
function endOfLog(content: string): string {
  const lines = content.trimEnd().split('\n').slice(-logLines);
  return lines
    .map((line) => line.trimEnd().split('\r').at(-1) ?? '')
    .map((line) => line.replace(/\p{Cc}\[[\d;]*m|(?!\t)[\p{Cc}\p{Cf}]/gu, ''))
    .join('\n');
}

function reasonText(error: unknown): string {
  return reasonOf(error) ?? t('Could not load your instances. See the log for details.');
}
