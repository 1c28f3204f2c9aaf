import assert from 'node:assert/strict';
import { register } from '../../../../src/features/accountView';
import { FakeClock } from '../../../support/fakeClock';
import { FakeEventEmitter } from '../../../support/fakeEditor/events';
import { OnQuick } from '../../../support/onQuick';
import { openScreen, textsOn } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('The account view', () => {
  function scene(active: object | undefined) {
    const screen = openScreen();
    const quick = new OnQuick(screen);
    const changed = new FakeEventEmitter<undefined>();
    const event = new FakeEventEmitter<undefined>().event;
    const accounts = { active, onDidChange: changed.event, state: { kind: 'signedIn' } };
    const view: { description?: string } = {};
    const handlers = new Map<string, (target?: unknown) => unknown>();
    const deps = {
      accounts,
      ...{ clock: new FakeClock(), log: {}, ssh: {}, hub: { on: event, onDidReceive: event } },
      ...{
        fleet: { onDidChange: event },
        volumes: { onDidChange: event },
        keyAccess: { onDidChange: event },
        keptSecrets: { onDidChange: event },
      },
      accountGroups: { onDidChange: event, groups: [] },
      settings: { get: () => 'https://first.example/api' },
      trees: { 'gpuRental.account': { view, setProvider: () => undefined } },
      commands: {
        register: (id: string, handler: () => unknown) => {
          handlers.set(id, handler);
          return { dispose: () => undefined };
        },
      },
    };
    register(only(deps));
    const switchTo = (next: object | undefined) => {
      accounts.active = next;
      changed.fire(undefined);
    };
    const open = async (target?: object) => {
      await handlers.get('gpuRental.openConsole')?.(target);
      return screen.externalLinks.splice(0).join();
    };
    return { screen, quick, view, switchTo, open };
  }

  const mine = { key: 'a', name: 'Me $(zap)', serviceUrl: 'https://mine.example/api', user: { id: 1 } };
  const theirs = { key: 'b', name: 'Them', serviceUrl: 'https://theirs.example', user: { id: 2 } };
  const local = { key: 'c', name: 'Here', serviceUrl: 'http://127.0.0.1:8080', user: { id: 3 } };

  it('names the account in its title, also while it is closed', () => {
    const { view, switchTo } = scene(mine);
    assert.equal(view.description, 'Me $ (zap)');
    switchTo(theirs);
    assert.equal(view.description, 'Them');
    switchTo(undefined);
    assert.equal(view.description, '');
    assert.equal(scene(undefined).view.description, '');
  });

  for (const [what, target, page] of [
    ['a row of the view', { kind: 'user' }, 'account'],
    ['the row of the credit', { kind: 'part', part: 'credit' }, 'billing'],
    ['the row of the API keys', { kind: 'part', part: 'apiKeys' }, 'manage-keys'],
  ] as const) {
    it(`opens the page of the web console that belongs to ${what}`, async () => {
      assert.equal(await scene(mine).open(target), `https://mine.example/${page}/`);
    });
  }

  it('opens the console of the account, and of the last one after a sign-out', async () => {
    const { open, switchTo } = scene(undefined);
    const target = { kind: 'user' };
    assert.equal(await open(target), 'https://first.example/account/');
    switchTo(mine);
    assert.equal(await open(target), 'https://mine.example/account/');
    switchTo(theirs);
    switchTo(undefined);
    assert.equal(await open(target), 'https://theirs.example/account/');
  });

  it('asks for the page if no row names it', async () => {
    const { open, quick } = scene(mine);
    const opened = open({ kind: 'part', part: 'secrets' });
    assert.deepEqual(await quick.rows(), ['Add Credit', 'Account and E-Mail Verification', 'API Keys']);
    await quick.pick('API Keys');
    assert.equal(await opened, 'https://mine.example/manage-keys/');
    const left = open();
    await quick.escape();
    assert.equal(await left, '');
  });

  it('shows that a marketplace on this computer has no console', async () => {
    const { open, screen } = scene(local);
    assert.equal(await open({ kind: 'user' }), '');
    assert.match(textsOn(screen).join(), /^info This marketplace runs on your computer/);
  });
});
