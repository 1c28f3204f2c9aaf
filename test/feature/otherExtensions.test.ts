import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('another extension', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let instanceId: number;

  const prepare = () => {
    let end: { readonly alias: string | undefined } | { readonly error: unknown } | undefined;
    window.interface.prepareSsh(instanceId).then(
      (alias) => (end = { alias }),
      (error: unknown) => (end = { error }),
    );
    return () => end;
  };

  before(async () => {
    instanceId = await reachableInstance(computer(), 'trainer');
    window = await computer().openWindow();
  });

  it('sees that the user is signed out, which loads nothing and asks nothing', async () => {
    const { simulator } = computer();
    const before = simulator.requests().length;
    assert.equal(window.interface.apiVersion, 1);
    assert.deepEqual(await window.interface.account(), { isSignedIn: false });
    assert.equal(simulator.requests().length, before);
    await assert.rejects(window.interface.instances(), /sign/i);
    await assert.rejects(window.interface.prepareSsh(instanceId), /sign/i);
  });

  it('sees account and instances and receives their changes, without keys', async () => {
    const changes: string[] = [];
    window.interface.onDidChangeAccount(() => changes.push('account'));
    window.interface.onDidChangeInstances(() => changes.push('instances'));
    await window.signIn();
    await window.view('instances').row('trainer');
    assert.deepEqual([...new Set(changes)].sort(), ['account', 'instances']);
    const account = await window.interface.account();
    assert.ok(account.isSignedIn && account.name !== '' && !account.isDemo);
    const [instance, ...others] = await window.interface.instances();
    assert.deepEqual(others, []);
    assert.deepEqual(
      { ...instance, sshAlias: '' },
      { id: instanceId, name: 'trainer', state: 'running', sshAlias: '' },
    );
    assert.match(instance?.sshAlias ?? '', new RegExp(`^gpu-[0-9a-f]{6}-${instanceId}$`));
    assert.ok(Object.isFrozen(window.interface));
  });

  it('gets no connection before the user allows it, which is asked again after a no', async () => {
    const first = prepare();
    const second = prepare();
    const question = await window.dialog('Let another extension connect to “trainer”?');
    assert.equal(window.screen.messages.shown.filter(({ modal }) => modal).length, 1);
    question.close();
    await computer().until('both answers', () => first() && second());
    assert.deepEqual([first(), second()], [{ alias: undefined }, { alias: undefined }]);
    const again = prepare();
    await window.dialogButton('Connect', 'Let another extension connect');
    const answer = await computer().until('an alias', again);
    assert.ok('alias' in answer, String('error' in answer && answer.error));
    assert.match(answer.alias ?? '', new RegExp(`-${instanceId}$`));
    const silent = prepare();
    assert.deepEqual(await computer().until('an alias', silent), answer);
    window.clearToasts();
  });

  it('gets nothing for an instance that the account does not have', async () => {
    for (const id of [99, Number.NaN, '7', undefined, { id: instanceId }]) {
      await assert.rejects(window.interface.prepareSsh(id as number), /No instance/);
    }
  });
});

describe('the accounts menu', () => {
  const computer = useComputer({});
  let window: FeatureWindow;
  const sessions = (of: FeatureWindow) => {
    const { accounts } = of.screen;
    assert.ok(accounts, 'nobody offers sessions');
    return Promise.resolve(accounts.getSessions(undefined, {}));
  };

  it('leads to the sign-in, and shows the account without its key', async () => {
    window = await computer().openWindow();
    assert.deepEqual(await sessions(window), []);
    const events: vscode.AuthenticationProviderAuthenticationSessionsChangeEvent[] = [];
    window.screen.accounts?.onDidChangeSessions((event) => events.push(event));
    let made: vscode.AuthenticationSession | undefined;
    void Promise.resolve(window.screen.accounts?.createSession(['a'], {})).then(
      (session) => (made = session),
    );
    await window.answerSignIn();
    const session = await computer().until('a session', () => made);
    assert.deepEqual(session.scopes, ['a']);
    assert.equal(events.at(-1)?.added?.[0]?.id, session.id);
    assert.doesNotMatch(JSON.stringify([session, events]), new RegExp(computer().simulator.apiKey));
    window.clearToasts();
  });

  it('shows it after a restart, from two files and without the product', async () => {
    const second = await computer().openWindow();
    const before = computer().simulator.requests().length;
    const [session] = await sessions(second);
    assert.equal(session?.account.label, (await sessions(window))[0]?.account.label);
    assert.equal(computer().simulator.requests().length, before);
    second.close();
  });

  it('signs out after the question of the command', async () => {
    const [session] = await sessions(window);
    void window.screen.accounts?.removeSession('another');
    await computer().rest();
    void window.screen.accounts?.removeSession(session?.id ?? '');
    await window.dialogButton('Sign Out');
    await computer().until('no session', () => window.toasts().some((text) => /signed out/i.test(text)));
    assert.deepEqual(await sessions(window), []);
    window.clearToasts();
  });
});
