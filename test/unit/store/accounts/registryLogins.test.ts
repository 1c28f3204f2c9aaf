import assert from 'node:assert/strict';
import { RegistryLogins } from '../../../../src/store/accounts/registryLogins';
import { FakeSecrets } from '../../../support/fakeWindows';

describe('the kept login to a registry', () => {
  const login = '-u me -p some-token ghcr.io';

  it('is that of one account, until it is forgotten', async () => {
    const secrets = new FakeSecrets();
    const mine = new RegistryLogins(secrets, '0123456789abcdef');
    assert.deepEqual(await mine.read(), { kind: 'absent' });
    assert.equal(await mine.keep(login), true);
    assert.deepEqual(await mine.read(), { kind: 'present', flags: login, registry: 'ghcr.io' });
    assert.deepEqual(await new RegistryLogins(secrets, 'fedcba9876543210').read(), { kind: 'absent' });
    assert.equal(await mine.forget(), true);
    assert.equal(secrets.values.size, 0);
  });

  it('that the store refuses does not count as none, and reports no text of the store', async () => {
    const secrets = new FakeSecrets();
    const mine = new RegistryLogins(secrets, '0123456789abcdef');
    await mine.keep(login);
    secrets.isLocked = true;
    assert.deepEqual(await mine.read(), { kind: 'unreadable' });
    assert.equal(await mine.forget(), false);
    assert.equal(await mine.keep(login), false);
  });

  it('that the store does not accept or remove may still be there', async () => {
    const refuses = () => Promise.reject(new Error('locked'));
    const kept = new FakeSecrets();
    const key = '0123456789abcdef';
    await new RegistryLogins(kept, key).keep(login);
    const get = (name: string) => kept.get(name);
    const onDidChange = kept.onDidChange.bind(kept);
    const keys = () => kept.keys();
    const refusing = { keys, get, store: refuses, delete: refuses, onDidChange };
    assert.equal(await new RegistryLogins(refusing, key).keep(login), false);
    kept.values.clear();
    assert.equal(await new RegistryLogins(refusing, key).forget(), false);
  });

  it('that was lost is known not to be kept', async () => {
    const secrets = new FakeSecrets();
    secrets.forgets = true;
    assert.equal(await new RegistryLogins(secrets, '0123456789abcdef').keep(login), false);
  });

  it('that is something else is neither shown nor sent', async () => {
    const secrets = new FakeSecrets();
    const mine = new RegistryLogins(secrets, '0123456789abcdef');
    for (const garbage of ['', 'some-key', '-u me -p some-token ghcr.io\nHost *', '{"apiKey":"k"}']) {
      await secrets.store('gpuRental.registryLogin.0123456789abcdef', garbage);
      assert.deepEqual(await mine.read(), { kind: 'unreadable' }, garbage);
    }
  });
});
