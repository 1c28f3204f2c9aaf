import assert from 'node:assert/strict';
import * as all from '../../../../src/features/security/backupCodes';
import { OnQuick } from '../../../support/onQuick';
import { textsOn, useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('Backup codes', () => {
  const screen = useScreen();

  it('are in no log once they were shown', async () => {
    const secrets: string[] = [];
    const redactor = { addSecret: (secret: string) => secrets.push(secret) };
    const quick = new OnQuick(screen);
    all.showBackupCodes(['1111', '2222'], only(redactor));
    assert.deepEqual((await quick.rows()).slice(-2), ['1111', '2222']);
    assert.deepEqual(secrets, ['1111', '2222']);
    await quick.pick('I Have Stored Them');
  });

  const make = '[Make New Backup Codes…]';
  const last = 'warning That was your last backup code. Make new ones, or a lost phone locks you out.';
  const table = [
    [0, `${last} ${make}`],
    [1, `info The backup code was accepted. Codes left: 1. ${make}`],
    [2, `info The backup code was accepted. Codes left: 2. ${make}`],
    [3, `info The backup code was accepted. Codes left: 3. ${make}`],
    [4, 'info The backup code was accepted. Codes left: 4. []'],
  ] as const;
  for (const [left, said] of table) {
    it(`are renewed in time: ${left} left`, () => {
      all.showRemainingCodes(left);
      assert.deepEqual(textsOn(screen), [said]);
    });
  }

  it('that did not arrive are made again, with the reason', () => {
    all.reportLostCodes();
    all.reportVoidCodes();
    const [lost, unproved] = textsOn(screen);
    assert.match(lost ?? '', /^warning The new backup codes did not arrive.*\[Make New Backup Codes\]$/);
    assert.match(
      unproved ?? '',
      /^warning The new backup codes did not arrive, .*\[Make New Backup Codes\]$/,
    );
  });

  const asked = [
    ['the last', { enabled: true, backupCodesRemaining: 0 }, true],
    ['three', { enabled: true, backupCodesRemaining: 3 }, true],
    ['four', { enabled: true, backupCodesRemaining: 4 }, false],
    ['no number', { enabled: true, backupCodesRemaining: undefined }, false],
    ['none without 2FA', { enabled: false, backupCodesRemaining: 0 }, false],
  ] as const;
  for (const [name, status, isTold] of asked) {
    it(`are mentioned if few are left: ${name}`, async () => {
      await all.warnIfFewLeft(only({ secondFactor: { status: () => Promise.resolve(status) } }));
      assert.equal(textsOn(screen).length, isTold ? 1 : 0);
    });
  }
});
