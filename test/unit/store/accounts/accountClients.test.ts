import assert from 'node:assert/strict';
import { NotSignedInError } from '../../../../src/shared/notSignedIn';
import {
  AccountClients,
  type AccountClientsDeps,
  type ClientFactory,
} from '../../../../src/store/accounts/accountClients';
import { FakeClock } from '../../../support/fakeClock';
import { FakeService } from '../../../support/fakeService';

const ref = { key: 'a', serviceUrl: 'https://console.example.com', userId: 7, name: 'Lab', isDemo: false };

describe('The client of an account', () => {
  let made: Parameters<ClientFactory>[0][];
  let service: FakeService;
  const noted: unknown[] = [];
  beforeEach(() => {
    made = [];
    noted.length = 0;
    service = new FakeService();
  });

  function clients(deps: Partial<AccountClientsDeps> = {}) {
    return new AccountClients({
      createClient: (input) => {
        made.push(input);
        return service.client;
      },
      clock: new FakeClock(),
      sessionOf: () => undefined,
      hooksOf: () => ({}),
      ...deps,
    });
  }

  it('is made once for each address of the account', () => {
    const all = clients();
    for (const serviceUrl of [ref.serviceUrl, ref.serviceUrl, 'https://other.example.org']) {
      all.of({ ...ref, serviceUrl });
    }
    assert.deepEqual(
      made.map(({ serviceUrl }) => serviceUrl),
      [ref.serviceUrl, 'https://other.example.org'],
    );
  });

  it('has the hooks of its account', () => {
    const hooks = { onForbidden: () => undefined };
    clients({
      hooksOf: (asked) => {
        noted.push(asked);
        return hooks;
      },
    }).of(ref);
    assert.equal(made[0]?.hooks, hooks);
    assert.deepEqual(noted, [ref]);
  });

  it('sends nothing without a session, also while the account is signed out', async () => {
    clients().of(ref);
    await assert.rejects(made[0]?.bearer() ?? Promise.resolve(), NotSignedInError);
  });

  it('finds out whose key it is with the key alone, which no log shows, unless that is given up', async () => {
    const all = clients({ onSecret: (value) => noted.push(value) });
    assert.equal((await all.userOf(ref, 'new', undefined)).id, 7);
    assert.deepEqual([await made[0]?.bearer(), made[0]?.accountKey, noted], ['new', undefined, ['new']]);
    const stop = new AbortController();
    service.after = () => stop.abort();
    await assert.rejects(all.userOf(ref, 'new', stop.signal), { name: 'AbortError' });
  });
});
