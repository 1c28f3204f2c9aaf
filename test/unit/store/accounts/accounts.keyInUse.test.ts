import assert from 'node:assert/strict';
import { NotReachableError } from '../../../../src/api/errors';
import { createAccounts } from '../../../../src/store/accounts/accounts';
import { silentLog as log } from '../../../../src/util/log';
import { computerScene, type ComputerScene } from '../../../support/computerScene';

const input = { serviceUrl: 'https://console.example.com', apiKey: 'key-of-the-user' };

describe('The key of the account in use', () => {
  let { service, computer } = {} as ComputerScene;
  beforeEach(async () => {
    ({ service, computer } = await computerScene());
  });
  afterEach(() => computer.dispose());

  it('is registered as a secret before it is sent, so that no log of a failure has it', async () => {
    const events: string[] = [];
    const { clock, secrets, storageDir, hubs } = computer;
    const hub = hubs.open();
    let known: readonly string[] = [];
    service.failsBefore('users.current', () => {
      known = [...events];
      return new NotReachableError();
    });
    const createClient = () => service.client;
    const onSecret = (value: string) => void events.push(value);
    const accounts = createAccounts({ createClient, onSecret, clock, secrets, storageDir, hub, log });
    await assert.rejects(accounts.signIn(input), NotReachableError);
    assert.deepEqual(known, [input.apiKey]);
    accounts.dispose();
    hub.dispose();
  });

  it('is that of the next account, and not of the demo, once the account in use signed out', async () => {
    const { accounts } = await computer.openSignedIn();
    const first = accounts.active?.key ?? '';
    service.user = { ...service.user, id: 8, email: 'demo@example.com' };
    await accounts.signIn({ ...input, apiKey: 'demo-key', isDemo: true });
    service.user = { ...service.user, id: 9, email: 'third@example.com' };
    await accounts.signIn({ ...input, apiKey: 'third-key' });
    await accounts.signOut(accounts.active?.key ?? '');
    assert.equal(accounts.active?.key, first);
    await accounts.signOut(first);
    assert.equal(accounts.active, undefined);
  });
});
