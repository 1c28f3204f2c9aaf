import * as vscode from 'vscode';
import { t } from '../../../editor/localize';
import { titleOf } from '../../../editor/titles';
import { formatMoney, fromDollars } from '../../../model/money';
import { usageInAll, type AgentUsage } from '../../model/ledger';
import type { AgentLimits } from '../../model/limits';
import type { AgentDesk } from '../../store/agentDesk';
import type { AgentLimitStore } from '../../store/agentLimits';

/** The limits in force and how much of them is used. */
export interface AgentUse {
  readonly limits: AgentLimits;
  readonly usage: AgentUsage;
  /** True if something needs the user's confirmation before it is in force. */
  readonly needsReview: boolean;
}

/** Returns the use; `undefined` if agents may only read, or without an account. */
export async function readAgentUse(
  agentLimits: AgentLimitStore,
  desk: AgentDesk | undefined,
): Promise<AgentUse | undefined> {
  if (desk?.accountKey === undefined) {
    return undefined;
  }
  const { inForce, isRaised } = await agentLimits.read();
  const { requests } = await desk.read();
  const gate = await desk.gate();
  const needsReview = isRaised || (await desk.isClosed());
  return inForce.access === 'ask' || needsReview
    ? { limits: inForce, usage: usageInAll(requests, gate), needsReview }
    : undefined;
}

type Kind = 'today' | 'perHour' | 'instances';

export function useTexts({
  limits,
  usage,
}: AgentUse): readonly { readonly kind: Kind; readonly label: string; readonly text: string }[] {
  const money = (used: AgentUsage['today'], limit: number) =>
    t('{0} of {1}', formatMoney(used), formatMoney(fromDollars(limit)));
  return [
    { kind: 'today', label: t('Today (UTC)'), text: money(usage.today, limits.perDay) },
    { kind: 'perHour', label: t('Per hour'), text: money(usage.perHour, limits.perHour) },
    { kind: 'instances', label: t('Instances'), text: t('{0} of {1}', usage.instances, limits.instances) },
  ];
}

export function useItem(kind: Kind, label: string, text: string): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.id = `agents-${kind}`;
  item.description = text;
  item.iconPath = new vscode.ThemeIcon('dashboard');
  if (kind === 'today') {
    item.tooltip = t('Committed today (UTC): {0}. Each rental counts with all its hours.', text);
  }
  return item;
}

export function reviewItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Limits need your review'));
  item.id = 'agents-review';
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  item.command = {
    command: 'gpuRental.agents.reviewLimits',
    title: titleOf('gpuRental.agents.reviewLimits'),
  };
  return item;
}
