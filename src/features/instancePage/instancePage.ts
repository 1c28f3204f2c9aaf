import type * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { localize, reasonOf, t } from '../../editor/localize';
import { stepLabel } from '../../editor/report';
import { ReportPanel } from '../../editor/reportPanel';
import { spendable } from '../../model/accounts/account';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { isChanging, stateOf } from '../../model/instances/instanceState';
import { hoursOfCredit, spanOfHours } from '../../model/quote';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { burnNow, signsOf } from '../../store/instances/burn';
import { isCurrent } from '../../store/instances/listed';
import { durationText } from '../../util/duration';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import type { FromPage, ReportView } from '../../webview/report/protocol';
import { pageCommand } from './actions';
import { instanceView, type PageFacts } from './instanceView';

export type PageDeps = Pick<
  Services,
  | 'extensionUri'
  | 'log'
  | 'accounts'
  | 'fleet'
  | 'volumes'
  | 'budget'
  | 'startWatches'
  | 'instanceGroups'
  | 'work'
  | 'clock'
>;

export interface PageOf {
  readonly instanceId: number;
  readonly accountKey: string;
}

/** The elapsed times are shown anew this often, more often while the state changes (ms). */
const tickMs = 60_000;
const changingTickMs = 10_000;

/** The page of one instance, which follows the lists that are read anyway, and only while it is shown. */
export class InstancePage implements Disposable {
  private readonly panel: ReportPanel;
  private readonly store = new DisposableStore();
  private readonly timer = this.store.add(new MutableDisposable<Disposable>());
  private name: string;
  private shown = '';

  constructor(
    private readonly deps: PageDeps,
    private readonly of: PageOf,
    restored: vscode.WebviewPanel | undefined,
    onClosed: () => void,
  ) {
    this.name = `#${of.instanceId}`;
    this.panel = new ReportPanel(
      {
        id: 'instance',
        title: this.instance ? instanceName(this.instance) : this.name,
        extensionUri: deps.extensionUri,
        log: deps.log,
        restored,
        onShown: () => this.draw(),
        onMessage: (message) => this.receive(message),
      },
      () => {
        this.store.dispose();
        onClosed();
      },
    );
    const draw = () => this.draw();
    const { fleet, volumes, budget, startWatches, instanceGroups, work, accounts } = deps;
    this.store.add(fleet.onDidChange(draw));
    this.store.add(volumes.onDidChange(draw));
    this.store.add(budget.onDidChange(draw));
    this.store.add(startWatches.onDidChange(draw));
    this.store.add(instanceGroups.onDidChange(draw));
    this.store.add(work.onDidChange(draw));
    this.store.add(watchAccounts(accounts, draw));
    this.draw();
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

  /** Draws what is known, if it differs from what is shown. A hidden page is drawn once it is shown again. */
  private draw(): void {
    this.timer.value = undefined;
    if (!this.panel.isVisible || this.store.isDisposed) {
      return;
    }
    const { fleet, clock } = this.deps;
    const { instance } = this;
    const view = this.viewOf(instance);
    const json = JSON.stringify(view);
    if (json !== this.shown) {
      this.shown = json;
      this.panel.rename(this.name);
      this.panel.show(view);
    }
    if (instance) {
      const kind = stateOf(instance, fleet.facts(instance.id), clock.now());
      this.timer.value = clock.schedule(() => this.draw(), isChanging(kind) ? changingTickMs : tickMs);
    }
  }

  private viewOf(instance: Instance | undefined): ReportView {
    if (instance) {
      this.name = instanceName(instance);
    }
    const { fleet } = this.deps;
    const isLoading = !instance && (fleet.state.kind === 'idle' || fleet.state.kind === 'loading');
    const content = instance
      ? instanceView(instance, this.facts(instance))
      : { subtitle: '', buttons: [], tiles: [], sections: [], notices: isLoading ? [] : [this.goneNotice()] };
    return {
      title: this.name,
      busy: isLoading,
      filters: [],
      ...content,
      notices: [...this.listNotice(), ...content.notices],
      restore: { ...this.of },
      words: {
        loading: t('Loading…'),
        showTable: t('Show Table'),
        savePicture: '',
        median: '',
        sortHint: t('Sort by this column'),
      },
    };
  }

  private facts({ id }: Instance): PageFacts {
    const { accounts, budget, clock, fleet, instanceGroups, startWatches, work } = this.deps;
    const burn = burnNow(this.deps);
    const credit = accounts.active && spendable(accounts.active.user);
    const hours = credit === undefined ? undefined : hoursOfCredit(credit, burn.rate);
    return {
      facts: fleet.facts(id),
      now: clock.now(),
      watch: startWatches.watches.find(({ instanceId }) => instanceId === id),
      notes: instanceGroups.notesOf(id),
      creditLasts: hours === undefined ? undefined : `${signsOf(burn).credit}${localize(spanOfHours(hours))}`,
      budget: budget.now,
      hasEnd: work.endsInstance(id),
    };
  }

  /** A list that could not be read, or is old, may be wrong by now. */
  private listNotice(): ReportView['notices'] {
    const { state } = this.deps.fleet;
    const now = this.deps.clock.now();
    const retry = [{ id: 'refresh', label: stepLabel('retry') ?? '' }];
    if (state.kind === 'failed') {
      return [{ severity: 'error', text: reasonText(state.error), buttons: retry }];
    }
    if (state.kind !== 'ready' || (state.error === undefined && isCurrent(state, now))) {
      return [];
    }
    const age = t('Shown as of {0} ago.', localize(durationText(now - state.fetchedAt)));
    const text = state.error === undefined ? age : `${reasonText(state.error)} ${age}`;
    return [{ severity: 'warning', text, buttons: retry }];
  }

  private goneNotice(): ReportView['notices'][number] {
    return this.deps.fleet.hasEnded(this.of.instanceId)
      ? {
          severity: 'warning',
          text: t('{0} no longer exists. It costs nothing, and its data is lost.', this.name),
          buttons: [],
        }
      : {
          severity: 'warning',
          text: t('{0} is missing from the list of instances.', this.name),
          buttons: [],
        };
  }

  private receive(message: Exclude<FromPage, { type: 'ready' }>): void {
    if (message.type !== 'button') {
      return;
    }
    const { instanceId } = this.of;
    const command = pageCommand(message.id);
    if (command) {
      void runCommand(command, { instanceId });
    } else if (message.id === 'refresh') {
      void runCommand('gpuRental.refresh');
    }
  }
}

function reasonText(error: unknown): string {
  return reasonOf(error) ?? t('Could not load your instances. See the log for details.');
}
