import * as vscode from 'vscode';
import { plainLabel } from '../../editor/quickPick';
import type { TfaMethod } from '../../model/tfa';

/** Label, number and id tell several methods of one type apart. */
export function methodName(method: TfaMethod): string {
  const type = method.type === 'totp' ? vscode.l10n.t('Authenticator app') : vscode.l10n.t('Text message');
  const label = method.label === undefined ? type : plainLabel(method.label);
  return method.phone === undefined
    ? `${label} (#${method.id})`
    : `${label}, ${plainLabel(method.phone)} (#${method.id})`;
}

export function timeOfDay(ms: number): string {
  return new Date(ms).toLocaleTimeString(vscode.env.language, { hour: '2-digit', minute: '2-digit' });
}
