import type * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { labelOf } from '../../editor/titles';
import type { TeamBalance, TeamMember } from '../../model/accounts/team';
import type { TeamRole } from '../../model/accounts/teamRole';
import { formatMoney } from '../../model/money';
import { plainLabel } from '../../util/plainLabel';
import { row } from './accountItems';
import type { AccountParts } from './accountParts';

/** A row of the account's team. */
export type TeamNode =
  | { readonly kind: 'teamBalance'; readonly teamId: number }
  | { readonly kind: 'teamMember'; readonly memberId: number }
  | { readonly kind: 'changeTeam' }
  | { readonly kind: 'teamRole'; readonly roleName: string };

type Parts = Pick<AccountParts, 'value'>;

/** Returns the rows of what was read: balances, people, where they are changed, and roles. */
export function teamNodes(parts: Parts): readonly TeamNode[] {
  const members = parts.value('teamMembers') ?? [];
  return [
    ...(parts.value('teamBalances') ?? []).map(({ id }) => ({ kind: 'teamBalance', teamId: id }) as const),
    ...members.map(({ id }) => ({ kind: 'teamMember', memberId: id }) as const),
    ...(members.length > 0 ? [{ kind: 'changeTeam' } as const] : []),
    ...(parts.value('teamRoles') ?? []).map(({ name }) => ({ kind: 'teamRole', roleName: name }) as const),
  ];
}

export function teamItem(node: TeamNode, parts: Parts): vscode.TreeItem | undefined {
  switch (node.kind) {
    case 'teamBalance': {
      const team = parts.value('teamBalances')?.find(({ id }) => id === node.teamId);
      return team && balanceItem(team);
    }
    case 'teamMember': {
      const member = parts.value('teamMembers')?.find(({ id }) => id === node.memberId);
      return member && memberItem(member);
    }
    case 'changeTeam':
      return changeItem();
    case 'teamRole': {
      const role = parts.value('teamRoles')?.find(({ name }) => name === node.roleName);
      return role && roleItem(role);
    }
  }
}

function balanceItem({ id, name = '', balance }: TeamBalance): vscode.TreeItem {
  const item = row(plainLabel(name) || t('Team #{0}', id), 'credit-card', ';teamBalance;');
  item.description = t('balance {0}', balance === undefined ? t('unknown') : formatMoney(balance, 2));
  return item;
}

function memberItem({ id, name = '', email = '', roles }: TeamMember): vscode.TreeItem {
  const [label = `#${id}`, ...rest] = [name, email].map(plainLabel).filter((part) => part !== '');
  const item = row(label, 'person', ';teamMember;');
  item.description = [roles.map(plainLabel).join(', '), ...rest].filter((part) => part !== '').join(' · ');
  return item;
}

/** Invitations are rare and need the web anyway, so they are made there. */
function changeItem(): vscode.TreeItem {
  const item = row(t('Invite people or change their roles'), 'link-external', ';changeTeam;');
  item.description = t('in the web console');
  const title = labelOf('gpuRental.openConsole');
  item.command = { command: 'gpuRental.openConsole', title, arguments: [{ kind: 'user' }] };
  return item;
}

function roleItem({ name, permissions }: TeamRole): vscode.TreeItem {
  const contextValue = ';teamRole;';
  const item = row(plainLabel(name), 'organization', contextValue);
  item.description = permissions.map(plainLabel).join(', ');
  return item;
}
