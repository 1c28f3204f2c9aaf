import { t } from '../../editor/localize';
import { clockText, type SecondFactorMethod } from '../../model/accounts/secondFactor';
import { plainLabel } from '../../util/plainLabel';

/** Returns a name that stays unique among methods of one type, thanks to label, number and id. */
export function methodName(method: SecondFactorMethod): string {
  const type = method.type === 'totp' ? t('Authenticator app') : t('Text message');
  const label = method.label === undefined ? type : plainLabel(method.label);
  return method.phone === undefined
    ? `${label} (#${method.id})`
    : `${label}, ${plainLabel(method.phone)} (#${method.id})`;
}

/** Returns how long a sent code stays valid. */
export function codeTime(remainingMs: number): string {
  return remainingMs > 0
    ? t('It is valid for {0} min.', clockText(remainingMs))
    : t('This code is no longer valid. Ask for another code.');
}

/** Returns how long methods can still be added. */
export function authorizedTime(remainingMs: number): string {
  return remainingMs > 0
    ? t('You can add methods for another {0} min.', clockText(remainingMs))
    : t('The time for adding methods has expired. Close this and start again.');
}
