import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import * as rows from '../../../../src/features/accountView/accountItems';
import type { SecondFactorMethod } from '../../../../src/model/accounts/secondFactor';
import type { Account } from '../../../../src/store/accounts/accounts';
import { aUser } from '../../../support/builders';
import { labelOf } from '../../../support/fakeEditor/trees';
import { only } from '../../../support/only';

const now = new Date(2026, 0, 15, 12).getTime();

describe('The rows of the account', () => {
  const shown = (item: vscode.TreeItem) => {
    const { description = '', iconPath, contextValue, tooltip, command } = item;
    const { id, color } = iconPath as vscode.ThemeIcon;
    const hint =
      typeof tooltip === 'object' ? tooltip.value.replaceAll('\\', '').replaceAll('&nbsp;', ' ') : tooltip;
    return [
      `${labelOf(item)} | ${String(description)} | ${id}${color ? ` ${color.id}` : ''} | ${contextValue ?? ''}`,
      ...(hint === undefined ? [] : [hint.replace(/\s*\n+\s*/g, ' // ')]),
      ...(command ? [`→ ${command.command}`] : []),
    ];
  };
  const account = (more: Partial<Account> = {}): Account =>
    ({
      name: 'me',
      isDemo: false,
      serviceUrl: 'https://example.com/x',
      user: aUser({ name: 'Me' }),
      ...more,
    }) as Account;

  it('show which account is signed in, and whether the e-mail address is verified', () => {
    assert.deepEqual(shown(rows.userItem(account())), [
      'me | example.com | account | ;user;',
      'Me // User #7 // https://example.com/x',
    ]);
    const verified = (emailVerified: boolean) => account({ user: aUser({ emailVerified, isAdmin: true }) });
    assert.deepEqual(shown(rows.userItem(verified(true))), [
      'me | e-mail verified · example.com | account | ;user;',
      'User #7 // https://example.com/x // The e-mail address is verified. // Administrator',
    ]);
    assert.deepEqual(shown(rows.userItem(verified(false))), [
      'me | e-mail not verified · example.com | warning list.warningForeground | ;user;',
      'User #7 // https://example.com/x // The e-mail address is not verified, so the service sends no codes by e-mail or text message. // Administrator',
    ]);
    assert.deepEqual(shown(rows.userItem({ ...verified(false), isDemo: true })), [
      'me | demo, simulated · e-mail not verified | beaker | ;user;',
      'User #7 // https://example.com/x // The e-mail address is not verified, so the service sends no codes by e-mail or text message. // Administrator',
    ]);
  });

  it('show what the key may do, or that this is unknown', () => {
    const key = {
      id: 4,
      name: 'ci',
      permissions: { api: { user_read: {}, misc: {} } },
      ipWhitelist: ['10.0.0.1'],
    } as never;
    assert.deepEqual(shown(rows.keyItem(aUser({ keyId: 4 }), key, only(['billing_read', 'misc']))), [
      'API key in use: ci | user_read, misc | key | ;keyInUse;',
      'Permissions of this key: user_read, misc // It has no permission for: // – See charges, invoices and earnings (billing_read) // – Search offers and volumes (misc) // It works only from 10.0.0.1.',
    ]);
    assert.deepEqual(shown(rows.keyItem(aUser({ keyId: 4 }), undefined, [])), [
      'API key in use | #4 | key | ;keyInUse;',
      'The permissions of this key are unknown until the service refuses a call.',
    ]);
    assert.deepEqual(shown(rows.keyItem(aUser(), { id: 4 }, [])), [
      'API key in use | full access | key | ;keyInUse;',
      'Permissions of this key: full access',
    ]);
    assert.deepEqual(shown(rows.apiKeyItem(key, true)), [
      'ci | in use · user_read, misc · from 10.0.0.1 | key | ;apiKey;',
    ]);
    assert.deepEqual(shown(rows.apiKeyItem({ id: 5 }, false)), ['#5 | full access | key | ;apiKey;']);
  });

  it('show for a 2FA method whether it is locked, and what was tried', () => {
    const method = (more: Partial<SecondFactorMethod> = {}): SecondFactorMethod => ({
      id: 3,
      type: 'totp',
      isPrimary: false,
      ...more,
    });
    const second = now / 1000;
    assert.deepEqual(shown(rows.methodItem(method(), now)), [
      'Authenticator app | Authenticator app | device-mobile | ;secondFactorMethod;',
      'Authenticator app (#3)',
    ]);
    assert.deepEqual(
      shown(
        rows.methodItem(
          method({ type: 'sms', phone: '•••• 4242', label: 'phone', isPrimary: true, failCount: 2 }),
          now,
        ),
      ),
      [
        'phone | primary · •••• 4242 · wrong codes: 2 | comment | ;secondFactorMethod;',
        'phone (#3) // Failed attempts: 2',
      ],
    );
    assert.deepEqual(
      shown(
        rows.methodItem(
          method({ failCount: 5, lockedUntil: second + 60, lastUsedAt: second, createdAt: second }),
          now,
        ),
      ),
      [
        'Authenticator app | Authenticator app · locked until 12:01 PM | lock | ;secondFactorMethod;',
        'Authenticator app (#3) // Failed attempts: 5 // Last used: 12:00 PM // Added: 12:00 PM',
      ],
    );
    assert.deepEqual(
      shown(rows.methodItem(method({ failCount: 0, lockedUntil: second, lastUsedAt: 0 }), now)),
      [
        'Authenticator app | Authenticator app | device-mobile | ;secondFactorMethod;',
        'Authenticator app (#3) // Failed attempts: 0',
      ],
    );
    const codes = (backupCodesRemaining?: number) =>
      shown(rows.backupCodesItem(only({ backupCodesRemaining })));
    assert.deepEqual(
      [...codes(0), ...codes(3), ...codes()],
      [
        'Backup codes: 0 left | generate new codes | warning | ;backupCodes;',
        'Backup codes: 3 left |  | list-ordered | ;backupCodes;',
        'Backup codes |  | list-ordered | ;backupCodes;',
      ],
    );
    assert.deepEqual(['enabled', 'legacy', 'disabled', 'odd', undefined].map(rows.secondFactorStateText), [
      'on',
      'on, older form',
      'off',
      'odd',
      '',
    ]);
  });

  it('show a value of a variable only where it was asked for, to the eye and to the ear', () => {
    const hidden = rows.secretItem({ name: 'HF_TOKEN', value: 'hf_1' }, false);
    assert.deepEqual(
      [hidden.description, hidden.accessibilityInformation?.label],
      ['•••••• · kept by the service', 'HF_TOKEN, value hidden'],
    );
    const open = rows.secretItem({ name: 'HF_TOKEN', value: 'hf_1' }, true);
    assert.deepEqual([open.description, open.accessibilityInformation], ['hf_1', undefined]);
    assert.equal(rows.secretItem({ name: 'HF_TOKEN' }, true).description, 'not stated by the service');
  });

  it('show of a secret of this computer where it is used and when it was changed, and no value', () => {
    const at = Date.UTC(2026, 0, 5, 12);
    const uses = ['template:12', 'list'];
    assert.deepEqual(
      [{ uses, changedAt: at }, { uses: [] }].map((more) =>
        rows
          .keptSecretItem({ name: 'HF_TOKEN', ...more }, at)
          .description?.toString()
          .replace(/changed .* ·/, 'changed ·'),
      ),
      ['template #12 · changed · on this computer', 'on this computer'],
    );
  });

  it('lead on where a list is empty', () => {
    const parts = ['secondFactor', 'apiKeys', 'secrets', 'teamRoles'] as const;
    assert.deepEqual(
      parts.flatMap((part) => shown(rows.noneItem(part, false))),
      [
        'No 2FA method. Select to add one |  | info | ',
        '→ gpuRental.tfa.addMethod',
        'none |  | info | ',
        'No secrets. Select to set one |  | info | ',
        '→ gpuRental.secret.set',
        'none |  | info | ',
      ],
    );
    assert.deepEqual(shown(rows.noneItem('secondFactor', true)), [
      'Older form, by SMS. Select to change it |  | info | ',
      '→ gpuRental.tfa.addMethod',
    ]);
    assert.deepEqual(
      parts.flatMap((part) => shown(rows.partItem(part, '3'))),
      [
        'Two-Factor Authentication | 3 | shield | ;secondFactor;',
        'API Keys | 3 | key | ;apiKeys;',
        'Secrets | 3 | lock | ;secrets;',
        'Team | 3 | organization | ;teamRoles;',
      ],
    );
  });
});
