import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { permissionCategories } from '../../../../src/model/accounts/apiKey';
import {
  addressesProblem,
  keyNameProblem,
  secretNameProblem,
  secretValueProblem,
  splitAddresses,
} from '../../../../src/model/accounts/keyInput';
import {
  isCategory,
  mayUse,
  permissionMeaning,
  permissionSummary,
  scopedPermissions,
  usualPermissions,
} from '../../../../src/model/accounts/permissionText';
import { formatText } from '../../../../src/util/text';

describe('input about keys and environment variables', () => {
  const isIp = (address: string) => isIP(address) !== 0;

  it('accepts addresses of both kinds and names the one that is none', () => {
    assert.deepEqual(splitAddresses(' 1.2.3.4, ::1 ;'), ['1.2.3.4', '::1']);
    assert.equal(addressesProblem('1.2.3.4, ::1', isIp), undefined);
    assert.equal(addressesProblem('', isIp), undefined);
    assert.equal(addressesProblem('1.2.3.4 1.2.3.400', isIp)?.args[0], '1.2.3.400');
  });

  it('checks names and values as the service does', () => {
    assert.equal(keyNameProblem('x'.repeat(255)), undefined);
    assert.ok(keyNameProblem('x'.repeat(256)));
    for (const name of ['HF_TOKEN', '_a', 'a1']) {
      assert.equal(secretNameProblem(name), undefined);
    }
    for (const name of ['', '1A', 'A-B', 'A B', 'x'.repeat(256)]) {
      assert.ok(secretNameProblem(name), name);
    }
    assert.equal(secretValueProblem('hf_aB9.-'), undefined);
    for (const value of ['', 'two words', 'a=b']) {
      assert.ok(secretValueProblem(value), value);
    }
  });
});

describe('permissions of a key', () => {
  it('are explained, every one', () => {
    assert.deepEqual(Object.keys(permissionMeaning).sort(), [...permissionCategories].sort());
    assert.ok(usualPermissions.every(isCategory));
    assert.equal(isCategory('fly'), false);
  });

  it('are shown in a few words', () => {
    const say = (key: Parameters<typeof permissionSummary>[0]) => formatText(permissionSummary(key));
    assert.equal(say({ permissions: scopedPermissions(['misc', 'user_read']) }), 'misc, user_read');
    assert.equal(say({ permissions: { read: true, write: false } }), 'read only');
    assert.equal(say({ permissions: { read: true, write: true } }), 'read and write');
    assert.equal(say({ rights: 'full' }), 'full access');
    assert.equal(say({}), 'full access');
  });

  it('forbid only what the record leaves out', () => {
    const key = { id: 1, permissions: scopedPermissions(['misc']) };
    assert.deepEqual([mayUse(key, 'misc'), mayUse(key, 'user_write')], [true, false]);
    assert.equal(mayUse(undefined, 'user_write'), true);
    assert.equal(mayUse({ id: 1 }, 'user_write'), true);
  });
});
