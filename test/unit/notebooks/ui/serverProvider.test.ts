import assert from 'node:assert/strict';
import type { Instance } from '../../../../src/model/instances/instance';
import { candidatesOf, ServerProvider } from '../../../../src/notebooks/ui/serverProvider';
import { OneWindow } from '../../../../src/shared/oneWindow';
import { HostKeyError } from '../../../../src/ssh/hostKey';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { FakeClock, settle } from '../../../support/fakeClock';
import { FakeEventEmitter } from '../../../support/fakeEditor/events';
import { useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('The kernel picker', () => {
  const executed: unknown[] = [];
  const shown: string[] = [];
  const buttons: (string | undefined)[] = [];
  const screen = useScreen();
  screen.commands.ofEditor.set('gpuRental.instance.start', (...args) => {
    executed.push(['gpuRental.instance.start', ...args]);
  });
  screen.messages.onDidShow = (message) => {
    shown.push(message.text);
    buttons.push(...message.buttons);
    queueMicrotask(() => {
      message.close();
    });
  };

  type Deps = ConstructorParameters<typeof ServerProvider>[0];

  /** The windows of one computer, in all of which somebody works, or a single one. */
  function scene(listed: readonly Instance[], claimed = new Set<string>(), reported = new Set<string>()) {
    let instances = listed;
    let later: readonly Instance[] | undefined;
    const clock = new FakeClock();
    const claim = (key: string) => {
      const isFirst = !claimed.has(key);
      claimed.add(key);
      return Promise.resolve(isFirst);
    };
    const oneWindow = new OneWindow({
      hub: { isLeader: true, claim },
      focus: { isFocused: true, onDidChange: new Emitter<boolean>().event },
      clock,
      log: silentLog,
      onError: (error) => {
        throw error;
      },
    });
    const accounts: { active: { readonly key: string } | undefined; load: () => Promise<void> } = {
      active: { key: 'own' },
      load: () => Promise.resolve(),
    };
    const deps = {
      accounts,
      fleet: {
        state: { kind: 'ready', value: { instances }, fetchedAt: clock.now() },
        find: (id: number) => instances.find((one) => one.id === id),
        facts: () => ({}),
        refresh: () => {
          instances = later ?? instances;
          return Promise.resolve();
        },
      },
      ssh: { aliasOf: (_: unknown, id: number) => `gpu-${id}` },
      clock,
      log: silentLog,
      oneWindow,
    };
    const rows = instances.map(({ id }) => ({ alias: `gpu-${id}`, accountKey: 'own', instanceId: id }));
    const find = (alias: string) => rows.find((row) => row.alias === alias);
    const noteReported = (alias: string, why: string) => {
      const isNews = !reported.has(`${alias} ${why}`);
      reported.add(`${alias} ${why}`);
      return Promise.resolve(isNews);
    };
    const servers = { rows, find, noteUsed: () => undefined, noteReported };
    let tries = 0;
    const connections = {
      timesConnected: () => 0,
      connect: (): Promise<unknown> => Promise.reject(new Error(`Of the machine ${(tries += 1)}`)),
    };
    const provider = new ServerProvider(
      {
        ...{ ...deps, servers, connections },
        folders: { addKernels: () => Promise.resolve() },
      } as unknown as Deps,
      only(new FakeEventEmitter<undefined>().event),
    );
    /** What the list has to say once it is read again. */
    const becomes = (next: readonly Instance[]) => {
      later = next;
    };
    return { deps, provider, connections, becomes };
  }

  it('distinguishes two instances of one name, and starts the one that was chosen', async () => {
    const stopped = (id: number, label: string): Instance =>
      anInstance({ id, label, actualStatus: 'exited', intendedStatus: 'stopped' });
    const instances = [stopped(7, 'trainer'), stopped(8, 'trainer'), stopped(9, 'eval')];
    const { deps, provider } = scene(instances);
    const starts = provider.provideCommands().map(({ label }) => label);
    assert.deepEqual(starts.slice(0, 3), ['Start trainer #7', 'Start trainer #8', 'Start eval']);
    await provider.handleCommand({ label: 'Start trainer #8' });
    assert.deepEqual(executed, [['gpuRental.instance.start', { instanceId: 8 }]]);
    const labels = candidatesOf(deps as unknown as Parameters<typeof candidatesOf>[0])?.map(({ label }) =>
      label.replace(/ \(.*/, ''),
    );
    assert.deepEqual(labels, ['trainer #7', 'trainer #8', 'eval']);
  });

  it('runs the command of the instance that it names, for any names of instances', async () => {
    const stopped = (id: number, label: string): Instance =>
      anInstance({ id, label, actualStatus: 'exited', intendedStatus: 'stopped' });
    const { provider } = scene([stopped(7, 'trainer'), stopped(8, 'trainer'), stopped(9, 'trainer #8')]);
    const labels = provider.provideCommands().map(({ label }) => label);
    assert.equal(new Set(labels).size, labels.length, labels.join());
    executed.length = 0;
    for (const label of labels.slice(0, 3)) {
      await provider.handleCommand({ label });
    }
    assert.deepEqual(
      executed,
      [7, 8, 9].map((instanceId) => ['gpuRental.instance.start', { instanceId }]),
    );
  });

  it('shows the name of a GPU as plain words', () => {
    const { deps } = scene([anInstance({ gpuName: `RTX\n$(zap)[x](command:y)\u202e${'9'.repeat(900)}` })]);
    const [candidate] = candidatesOf(deps as unknown as Parameters<typeof candidatesOf>[0]) ?? [];
    const { label } = candidate ?? { label: '' };
    assert.doesNotMatch(label, /\n|\$\(|\]\(|\u202e/);
    assert.ok(label.length < 600, label);
  });

  it('explains once why an instance can’t be used, though a machine may word it differently each time', async () => {
    const { provider } = scene([anInstance({ id: 7 })]);
    shown.length = 0;
    for (const tries of ['1', '2', '3']) {
      await assert.rejects(provider.resolveJupyterServer({ id: 'gpu-7' }), new RegExp(`machine ${tries}`));
    }
    await settle();
    assert.equal(shown.length, 1);
  });

  it('explains it in one of the windows that have used a server, for any number of requests in all of them', async () => {
    const claimed = new Set<string>();
    const stopped = anInstance({ id: 7, actualStatus: 'exited', intendedStatus: 'stopped' });
    const windows = [1, 2, 3].map(() => scene([stopped], claimed));
    shown.length = 0;
    for (const minutes of [0, 6, 12]) {
      for (const { deps, provider } of windows) {
        deps.clock.jump(minutes * 60_000);
        await assert.rejects(provider.resolveJupyterServer({ id: 'gpu-7' }), /not running/);
      }
    }
    await settle();
    assert.equal(shown.length, 1);
  });

  it('explains it once for any number of windows that open after that, and how to start the instance', async () => {
    const [claimed, reported] = [new Set<string>(), new Set<string>()];
    const stopped = anInstance({ id: 7, actualStatus: 'exited', intendedStatus: 'stopped' });
    shown.length = 0;
    buttons.length = 0;
    for (const hours of [0, 1, 24]) {
      const { deps, provider } = scene([stopped], claimed, reported);
      deps.clock.jump(hours * 3_600_000);
      await assert.rejects(provider.resolveJupyterServer({ id: 'gpu-7' }), /not running/);
      await settle();
    }
    assert.deepEqual([shown.length, buttons], [1, ['Start…']]);
  });

  it('offers the account that an instance belongs to', async () => {
    const { deps, provider } = scene([anInstance({ id: 7 })]);
    buttons.length = 0;
    deps.accounts.active = { key: 'other' };
    await assert.rejects(provider.resolveJupyterServer({ id: 'gpu-7' }), /belongs to another account/);
    await settle();
    assert.deepEqual(buttons, ['Switch Account…']);
  });

  it('waits for the account where Jupyter asks while a window opens, and calls it no other one', async () => {
    const { connections, deps, provider } = scene([anInstance({ id: 7 })]);
    connections.connect = () => Promise.resolve({ localPort: 30_100, token: 'a' });
    shown.length = 0;
    const account = deps.accounts.active;
    let isRead = () => {};
    deps.accounts.active = undefined;
    deps.accounts.load = () =>
      new Promise<void>((resolve) => {
        isRead = resolve;
      });
    const asked = provider.resolveJupyterServer({ id: 'gpu-7' });
    deps.accounts.active = account;
    isRead();
    assert.equal((await asked).id, 'gpu-7');
    assert.deepEqual(shown, []);
  });

  it('logs in nowhere by a list of yesterday: the address may be another renter’s by now', async () => {
    const { becomes, connections, deps, provider } = scene([anInstance({ id: 7 })]);
    let logins = 0;
    connections.connect = () => {
      logins += 1;
      return Promise.reject(changed('another machine'));
    };
    deps.clock.jump(12 * 3_600_000);
    becomes([anInstance({ id: 7, actualStatus: 'exited', intendedStatus: 'stopped' })]);
    await assert.rejects(provider.resolveJupyterServer({ id: 'gpu-7' }), /not running/);
    assert.equal(logins, 0);
  });

  it('shows a user without an account that they are not signed in', async () => {
    const { deps, provider } = scene([anInstance({ id: 7 })]);
    deps.accounts.active = undefined;
    await assert.rejects(provider.resolveJupyterServer({ id: 'gpu-7' }), /You are not signed in/);
  });

  const changed = (fingerprint: string) =>
    new HostKeyError(
      [
        '@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @',
        'The fingerprint for the ED25519 key sent by the remote host is',
        `SHA256:${fingerprint}.`,
        'Host key verification failed.',
      ].join('\r\n'),
    );

  it('reports each change of the host key once, and offers to log in again', async () => {
    const { connections, deps, provider } = scene([anInstance({ id: 7 })]);
    shown.length = 0;
    buttons.length = 0;
    provider.reportProblem('gpu-7', changed('first'));
    provider.reportProblem('gpu-7', changed('first'));
    await settle();
    assert.deepEqual([shown.length, buttons], [1, ['Retry']]);
    provider.reportProblem('gpu-7', changed('second'));
    await settle();
    assert.equal(shown.length, 2, 'another key');
    provider.reportProblem('gpu-7', changed('second'));
    // The old key was forgotten, the connection worked, and the key changes back.
    connections.timesConnected = () => 1;
    deps.clock.jump(600_000);
    provider.reportProblem('gpu-7', changed('first'));
    provider.reportProblem('gpu-7', changed('first'));
    await settle();
    assert.equal(shown.length, 3);
  });

  it('reports it in one of the windows whose tunnels close, and in another one that needs it later', async () => {
    const claimed = new Set<string>();
    const windows = [1, 2].map(() => scene([anInstance({ id: 7 })], claimed));
    shown.length = 0;
    for (const { provider } of windows) {
      provider.reportProblem('gpu-7', changed('first'));
    }
    await settle();
    assert.equal(shown.length, 1);
    for (const { deps, provider } of windows) {
      deps.clock.jump(600_000);
      provider.reportProblem('gpu-7', changed('first'));
    }
    await settle();
    assert.equal(shown.length, 2);
  });
});
