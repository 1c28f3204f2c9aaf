import * as vscode from 'vscode';
import * as z from 'zod';
import { t } from '../../../editor/localize';
import { momentText } from '../../../editor/timeText';
import { labelOf, toolTitle } from '../../../editor/titles';
import { tooltip } from '../../../editor/tooltip';
import type { GroupRow, TreeGroup } from '../../../editor/treeGroups';
import { formatMoney, fromDollars } from '../../../model/money';
import { channel } from '../../../shared/channel';
import { DisposableStore, type Disposable } from '../../../util/disposable';
import { Emitter } from '../../../util/emitter';
import { claimedName } from '../../model/claimedName';
import type { Services } from '../../services';
import type { AgentCall } from '../../store/agentTools';
import { agentName } from '../agentName';
import { readAgentUse, reviewItem, useItem, useTexts, type AgentUse } from './agentUse';
import type { AgentWatch } from './agentWatch';

type Deps = Pick<Services, 'agentLimits' | 'agentTools' | 'agentDoor' | 'settings' | 'hub' | 'clock' | 'log'>;

/** The part of another window's call that a row needs. */
const shownCall = z.object({
  at: z.number(),
  client: z.string().max(100),
  door: z.enum(['chat', 'mcp']),
  tool: z.string().max(100),
  isError: z.boolean(),
  outcome: z.string().max(500),
});
type ShownCall = z.infer<typeof shownCall>;
const calls = channel('agents.called', shownCall);

const mostCalls = 10;

/** The group in the account view: the access of agents, and their latest calls in any window. */
export class AgentsGroup implements TreeGroup, Disposable {
  readonly id = 'agents';
  readonly label = t('Agents');
  readonly icon = 'hubot';
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<undefined>());
  readonly onDidChange = this.changed.event;
  private readonly accessNode = {};
  private readonly useNodes = { today: {}, perHour: {}, instances: {} };
  private readonly reviewNode = {};
  private use: AgentUse | undefined;
  private last: readonly ShownCall[] = [];

  constructor(
    private readonly deps: Deps,
    private readonly watch: AgentWatch,
  ) {
    const change = () => {
      this.changed.fire(undefined);
      this.readUse();
    };
    this.store.add(watch.onDidChange(() => this.readUse()));
    this.store.add(calls.on(deps.hub, (call) => this.note(call)));
    this.store.add(
      deps.agentTools.onDidCall((call) => {
        const shown = shownOf(call);
        calls.send(deps.hub, shown);
        this.note(shown);
      }),
    );
    this.store.add(deps.agentDoor.onDidChange(change));
    this.store.add(deps.settings.onDidChange('gpuRental.agents', change));
    this.store.add(deps.agentLimits.onDidConfirm(() => this.readUse()));
    this.readUse();
  }

  /** Returns no rows for users who never used agents. */
  rows(): readonly GroupRow[] {
    const isOff = this.deps.settings.get('gpuRental.agents.access') === 'off';
    if (isOff && this.last.length === 0) {
      return [];
    }
    const called = this.last.map((call) => ({ node: call, item: () => this.callItem(call) }));
    return [{ node: this.accessNode, item: () => this.accessItem() }, ...this.useRows(), ...called];
  }

  dispose(): void {
    this.store.dispose();
  }

  private note(call: ShownCall): void {
    this.last = [call, ...this.last].slice(0, mostCalls);
    this.changed.fire(undefined);
  }

  /** Reads the use if agents are enabled; a failure keeps the earlier result. */
  private readUse(): void {
    const { agentLimits, settings, log } = this.deps;
    if (settings.get('gpuRental.agents.access') === 'off') {
      this.use = undefined;
      return;
    }
    readAgentUse(agentLimits, this.watch.desk).then(
      (use) => {
        if (JSON.stringify(use) !== JSON.stringify(this.use)) {
          this.use = use;
          this.changed.fire(undefined);
        }
      },
      (error: unknown) => {
        log.warn(`The limits of agents could not be read: ${String(error)}`);
      },
    );
  }

  private useRows(): readonly GroupRow[] {
    const { use, useNodes } = this;
    if (!use) {
      return [];
    }
    const review = { node: this.reviewNode, item: () => reviewItem() };
    return [
      ...(use.needsReview ? [review] : []),
      ...useTexts(use).map(({ kind, label, text }) => ({
        node: useNodes[kind],
        item: () => useItem(kind, label, text),
      })),
    ];
  }

  private accessItem(): vscode.TreeItem {
    const { settings, agentDoor } = this.deps;
    const label = { off: t('off'), read: t('read only'), ask: t('read, and ask you before they spend') };
    const item = new vscode.TreeItem(t('Access'));
    item.id = 'agents-access';
    item.description = label[settings.get('gpuRental.agents.access')];
    item.iconPath = new vscode.ThemeIcon('shield');
    item.command = { command: 'gpuRental.agents.showLog', title: labelOf('gpuRental.agents.showLog') };
    item.tooltip = tooltip([
      [
        t('Per day, at most, without traffic'),
        formatMoney(fromDollars(settings.get('gpuRental.agents.limitPerDay'))),
      ],
      [t('Per hour, at most'), formatMoney(fromDollars(settings.get('gpuRental.agents.limitPerHour')))],
      [t('Instances, at most'), String(settings.get('gpuRental.agents.maxInstances'))],
      [t('Hours of a rental, at most'), String(settings.get('gpuRental.agents.maxHours'))],
      [t('Connected over MCP to this window'), String(agentDoor.count)],
    ]);
    return item;
  }

  private callItem(call: ShownCall): vscode.TreeItem {
    const item = new vscode.TreeItem(toolTitle(call.tool));
    const isPending = call.outcome === 'pending';
    const outcome = call.isError ? t('refused') : isPending ? t('you were asked') : call.outcome;
    const agent = agentName({ name: call.client, door: call.door });
    item.description = `${outcome} · ${agent} · ${momentText(call.at, this.deps.clock.now())}`;
    item.iconPath = new vscode.ThemeIcon(call.isError ? 'circle-slash' : isPending ? 'question' : 'pass');
    item.tooltip = tooltip([
      [t('Agent'), agent],
      [t('Through'), call.door === 'mcp' ? t('MCP') : t('the chat of the editor')],
      [t('Tool'), call.tool],
      [t('Outcome'), call.outcome],
    ]);
    return item;
  }
}

function shownOf({ at, caller, tool, isError, outcome }: AgentCall): ShownCall {
  const client = claimedName(caller.name);
  return { at, client, door: caller.door, tool, isError, outcome: outcome.slice(0, 500) };
}
