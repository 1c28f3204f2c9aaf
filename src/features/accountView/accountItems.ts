import * as vscode from 'vscode';
import type { ListProblem } from '../../editor/listRows';
import { localize, t } from '../../editor/localize';
import { momentText } from '../../editor/timeText';
import { labelOf } from '../../editor/titles';
import { tooltip } from '../../editor/tooltip';
import type { User } from '../../model/accounts/account';
import type { ApiKey, PermissionCategory } from '../../model/accounts/apiKey';
import { usesText } from '../../model/accounts/keptSecret';
import { permissionMeaning, permissionSummary } from '../../model/accounts/permissionText';
import type { SecondFactorMethod, SecondFactorStatus } from '../../model/accounts/secondFactor';
import type { Secret } from '../../model/accounts/secret';
import { parsePublicKey } from '../../ssh/publicKey';
import type { Account } from '../../store/accounts/accounts';
import { plainLabel } from '../../util/plainLabel';
import type { PartId, ReadId, ShownSecret } from './accountParts';
import type { TeamNode } from './teamRows';

const { None, Collapsed } = vscode.TreeItemCollapsibleState;

/** Returns a row of the view; `contextValue` is what its menu asks for. */
export function row(label: string, icon: string, contextValue: string, collapsible = None): vscode.TreeItem {
  const item = new vscode.TreeItem(label, collapsible);
  item.iconPath = new vscode.ThemeIcon(icon);
  item.contextValue = contextValue;
  return item;
}

export function userItem({ name, isDemo, serviceUrl, user }: Account): vscode.TreeItem {
  const item = row(plainLabel(name), isDemo ? 'beaker' : 'account', ';user;');
  item.description = [
    isDemo ? t('demo, simulated') : '',
    user.emailVerified === undefined
      ? ''
      : user.emailVerified
        ? t('e-mail verified')
        : t('e-mail not verified'),
    isDemo ? '' : new URL(serviceUrl).host,
  ]
    .filter((part) => part !== '')
    .join(' · ');
  if (user.emailVerified === false && !isDemo) {
    item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  }
  item.tooltip = tooltip([
    user.name === undefined ? '' : plainLabel(user.name),
    t('User #{0}', user.id),
    serviceUrl,
    user.emailVerified === undefined
      ? ''
      : user.emailVerified
        ? t('The e-mail address is verified.')
        : t('The e-mail address is not verified, so the service sends no codes by e-mail or text message.'),
    user.isAdmin === true ? t('Administrator') : '',
  ]);
  return item;
}

export function creditItem(amount: string, lasts: string, tooltip: string): vscode.TreeItem {
  const item = row(t('Credit: {0}', amount), 'credit-card', ';credit;');
  item.description = lasts;
  item.tooltip = tooltip;
  return item;
}

/** Returns the row of a key; `lacking` is what the key is known not to allow. */
export function keyItem(
  user: User,
  key: ApiKey | undefined,
  lacking: readonly PermissionCategory[],
): vscode.TreeItem {
  const name = key?.name === undefined ? '' : plainLabel(key.name);
  const item = row(name === '' ? t('API key in use') : t('API key in use: {0}', name), 'key', ';keyInUse;');
  item.description = key
    ? localize(permissionSummary(key))
    : user.keyId === undefined
      ? ''
      : `#${user.keyId}`;
  const lines = [
    key
      ? t('Permissions of this key: {0}', localize(permissionSummary(key)))
      : t('The permissions of this key are unknown until the service refuses a call.'),
    ...(lacking.length === 0
      ? []
      : [
          t('It has no permission for:'),
          ...lacking.map((category) => `– ${localize(permissionMeaning[category])} (${category})`),
        ]),
    key?.ipWhitelist ? t('It works only from {0}.', key.ipWhitelist.map(plainLabel).join(', ')) : '',
  ];
  item.tooltip = lines.filter((line) => line !== '').join('\n');
  return item;
}

/** Returns the row of the key in the user's own record; `place` is set if this computer has it. */
export function sshKeyItem(publicKey: string, place: string): vscode.TreeItem {
  const parsed = parsePublicKey(publicKey);
  const name = plainLabel(parsed?.comment ?? '') || (parsed?.type ?? t('unknown kind'));
  const item = row(t('SSH key: {0}', name), 'key', ';userSshKey;');
  item.description = [place, parsed?.fingerprint.slice(0, 17) ?? '']
    .filter((part) => part !== '')
    .join(' · ');
  item.tooltip = [
    t('The SSH key of your account. It counts like the keys in the SSH Keys view.'),
    parsed?.fingerprint ?? '',
  ]
    .filter((part) => part !== '')
    .join('\n');
  item.command = { command: 'gpuRental.sshKeys.focus', title: t('Show SSH Keys') };
  return item;
}

/** Returns the row that opens the page of what changed the account. */
export function activityItem(): vscode.TreeItem {
  const item = row(t('Account Activity'), 'history', ';activity;');
  item.tooltip = t('What changed your account, and who did it. Values that were sent are not shown.');
  item.command = { command: 'gpuRental.activity.show', title: labelOf('gpuRental.activity.show') };
  return item;
}

/** Returns the heading of a part; `figure` is the number of its rows or the state of 2FA, as far as it is known. */
export function partItem(part: PartId, figure: string): vscode.TreeItem {
  const labels: Record<PartId, string> = {
    secondFactor: t('Two-Factor Authentication'),
    apiKeys: t('API Keys'),
    secrets: t('Secrets'),
    teamRoles: t('Team'),
  };
  const icons: Record<PartId, string> = {
    secondFactor: 'shield',
    apiKeys: 'key',
    secrets: 'lock',
    teamRoles: 'organization',
  };
  const item = row(labels[part], icons[part], `;${part};`, Collapsed);
  item.id = `part-${part}`;
  item.description = figure;
  return item;
}

export function secondFactorStateText(state: string | undefined): string {
  const labels: Readonly<Record<string, string>> = {
    enabled: t('on'),
    legacy: t('on, older form'),
    disabled: t('off'),
  };
  return state === undefined ? '' : (labels[state] ?? plainLabel(state));
}

export function methodItem(method: SecondFactorMethod, nowMs: number): vscode.TreeItem {
  const type = method.type === 'totp' ? t('Authenticator app') : t('Text message');
  const label = method.label === undefined ? type : plainLabel(method.label);
  const isLocked = (method.lockedUntil ?? 0) * 1000 > nowMs;
  const item = row(
    label,
    isLocked ? 'lock' : method.type === 'totp' ? 'device-mobile' : 'comment',
    ';secondFactorMethod;',
  );
  const when = (seconds: number) => momentText(seconds * 1000, nowMs);
  item.description = [
    method.isPrimary ? t('primary') : '',
    method.phone === undefined ? type : plainLabel(method.phone),
    isLocked ? t('locked until {0}', when(method.lockedUntil ?? 0)) : '',
    !isLocked && (method.failCount ?? 0) > 0 ? t('wrong codes: {0}', method.failCount ?? 0) : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
  item.tooltip = [
    `${label} (#${method.id})`,
    method.failCount === undefined ? '' : t('Failed attempts: {0}', method.failCount),
    // 0 means never.
    method.lastUsedAt ? t('Last used: {0}', when(method.lastUsedAt)) : '',
    method.createdAt === undefined ? '' : t('Added: {0}', when(method.createdAt)),
  ]
    .filter((part) => part !== '')
    .join('\n');
  return item;
}

export function backupCodesItem({ backupCodesRemaining: remaining }: SecondFactorStatus): vscode.TreeItem {
  const item = row(
    remaining === undefined ? t('Backup codes') : t('Backup codes: {0} left', remaining),
    remaining === 0 ? 'warning' : 'list-ordered',
    ';backupCodes;',
  );
  item.description = remaining === 0 ? t('generate new codes') : '';
  return item;
}

export function apiKeyItem(key: ApiKey, inUse: boolean): vscode.TreeItem {
  const name = key.name === undefined ? '' : plainLabel(key.name);
  const item = row(name === '' ? `#${key.id}` : name, 'key', ';apiKey;');
  item.description = [
    inUse ? t('in use') : '',
    localize(permissionSummary(key)),
    key.ipWhitelist ? t('from {0}', key.ipWhitelist.map(plainLabel).join(', ')) : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
  return item;
}

/** Returns the row of a secret in the secret store of this computer. */
export function keptSecretItem(secret: ShownSecret, now: number): vscode.TreeItem {
  const item = row(plainLabel(secret.name), 'key', ';keptSecret;');
  const uses = usesText(secret).map(localize);
  const changed = secret.changedAt === undefined ? '' : t('changed {0}', momentText(secret.changedAt, now));
  // A narrow view cuts the end, and the icon shows the place as well.
  item.description = [uses.join(', '), changed, t('on this computer')]
    .filter((part) => part !== '')
    .join(' · ');
  return item;
}

/** Returns the row of a variable; its value is hidden unless it was just revealed. */
export function secretItem({ name, value }: Secret, isRevealed: boolean): vscode.TreeItem {
  const item = row(plainLabel(name), 'symbol-variable', ';secret;');
  item.description = isRevealed
    ? (value ?? t('not stated by the service'))
    : ['••••••', t('kept by the service')].join(' · ');
  if (!isRevealed) {
    item.accessibilityInformation = { label: t('{0}, value hidden', plainLabel(name)) };
  }
  return item;
}

/** Returns the row of an empty part. `isLegacy`: 2FA is on in its older form, which has no list of methods. */
export function noneItem(part: PartId, isLegacy: boolean): vscode.TreeItem {
  const labels: Record<PartId, string> = {
    secondFactor: isLegacy
      ? t('Older form, by SMS. Select to change it')
      : t('No 2FA method. Select to add one'),
    apiKeys: t('none'),
    secrets: t('No secrets. Select to set one'),
    teamRoles: t('none'),
  };
  const item = row(labels[part], 'info', '');
  if (part === 'secondFactor') {
    item.command = { command: 'gpuRental.tfa.addMethod', title: labels[part] };
  } else if (part === 'secrets') {
    item.command = { command: 'gpuRental.secret.set', title: labels[part] };
  }
  return item;
}

/** A row of the account view, also the argument of its commands. */
export type AccountNode =
  | { readonly kind: 'user' }
  | { readonly kind: 'credit' }
  | { readonly kind: 'key' }
  | { readonly kind: 'userSshKey' }
  | { readonly kind: 'activity' }
  | { readonly kind: 'part'; readonly part: PartId }
  | { readonly kind: 'group'; readonly groupId: string }
  | { readonly kind: 'secondFactorMethod'; readonly methodId: number }
  | { readonly kind: 'backupCodes' }
  | { readonly kind: 'apiKey'; readonly apiKeyId: number }
  | { readonly kind: 'secret'; readonly secretName: string; readonly isKeptHere?: true }
  | TeamNode
  | { readonly kind: 'none'; readonly part: PartId }
  | { readonly kind: 'problem'; readonly part: ReadId; readonly problem: ListProblem };

/** Returns the same object for the same row, so that the editor keeps the expansion and selection. */
export class AccountNodes {
  private readonly nodes = new Map<string, AccountNode>();

  of<Node extends AccountNode>(node: Node): Node {
    const id = JSON.stringify(node);
    const known = this.nodes.get(id) ?? node;
    this.nodes.set(id, known);
    // The id is made from the whole node, so the found node has its shape.
    return known as Node;
  }

  isOwn(node: object): node is AccountNode {
    return 'kind' in node && this.nodes.get(JSON.stringify(node)) === node;
  }
}
