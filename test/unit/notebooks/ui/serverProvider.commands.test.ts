import assert from 'node:assert/strict';
import type { Instance } from '../../../../src/model/instances/instance';
import { fromDollars } from '../../../../src/model/money';
import { JupyterMissingError, NoLoginYetError } from '../../../../src/notebooks/ui/connections';
import { candidatesOf, ServerProvider } from '../../../../src/notebooks/ui/serverProvider';
import { HostKeyError } from '../../../../src/ssh/hostKey';
import { CancelledError } from '../../../../src/util/errors';
import { anInstance } from '../../../support/builders';
import { FakeClock, settle } from '../../../support/fakeClock';
import { openScreen, textsOn } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('What the kernel picker offers of an instance', () => {
  function scene(instance: Instance) {
    const screen = openScreen();
    const clock = new FakeClock();
    const reported: unknown[] = [];
    const logged: string[] = [];
    const connections = {
      timesConnected: () => 0,
      connect: (): Promise<{ localPort: number; token: string }> =>
        Promise.resolve({ localPort: 30_100, token: 'a' }),
    };
    const row = { alias: 'gpu-7', accountKey: 'own', instanceId: 7, label: 'trainer' };
    const deps = {
      ...{ clock, connections, folders: { addKernels: () => Promise.resolve() } },
      accounts: { active: { key: 'own' } as object | undefined, load: () => Promise.resolve() },
      fleet: {
        state: { kind: 'ready', value: { instances: [instance] }, fetchedAt: clock.now() },
        find: () => instance,
        facts: () => ({}),
      },
      ssh: { aliasOf: () => 'gpu-7', entry: () => Promise.resolve({}) },
      servers: {
        ...{ rows: [row], find: (): object | undefined => row },
        ...{ noteUsed: () => undefined, noteReported: () => Promise.resolve(true) },
      },
      oneWindow: { offer: (_: string, show: () => unknown): unknown => show() },
      report: { error: (error: unknown) => reported.push(error) },
      log: { info: (words: string) => logged.push(words) },
    };
    const provider = new ServerProvider(only(deps), () => ({ dispose: () => undefined }));
    const offered = () => provider.provideCommands().map(({ label }) => label.replace(/…$/, ''));
    const resolve = () => provider.resolveJupyterServer({ id: 'gpu-7' });
    const candidates = () => candidatesOf(only(deps));
    return { deps, provider, screen, connections, reported, logged, offered, resolve, candidates };
  }

  const running = anInstance({ id: 7, label: 'trainer' });
  const stopped = anInstance({ id: 7, label: 'trainer', actualStatus: 'exited', intendedStatus: 'stopped' });

  const failures = {
    'Jupyter is missing': () => new JupyterMissingError('python3'),
    'there was no login yet': () => new NoLoginYetError(),
  } as const;
  for (const [what, errorOf] of Object.entries(failures)) {
    it(`is a set-up until it worked: ${what}`, async () => {
      const { connections, screen, logged, offered, resolve } = scene(running);
      assert.deepEqual(offered(), ['Rent a GPU']);
      const { connect } = connections;
      connections.connect = () => Promise.reject(errorOf());
      await assert.rejects(resolve());
      assert.match(textsOn(screen).join(), /^warning Notebooks can't use trainer: .*\[Set Up…\]$/);
      assert.match(logged.join(), /^The notebook server gpu-7 is not available: \w+/);
      assert.deepEqual(offered(), ['Set Up trainer for Notebooks', 'Rent a GPU']);
      connections.connect = connect;
      await resolve();
      assert.deepEqual(offered(), ['Rent a GPU']);
    });
  }

  it('is no set-up where a set-up would not help', async () => {
    const { connections, screen, offered, resolve } = scene(running);
    connections.connect = () => Promise.reject(new Error('The port is taken'));
    await assert.rejects(resolve());
    assert.match(textsOn(screen).join(), /\[\]$/);
    assert.deepEqual(offered(), ['Rent a GPU']);
  });

  it('has no message for a server that is not listed or a use that was canceled', async () => {
    const { provider, deps, screen } = scene(running);
    provider.reportProblem('gpu-7', new CancelledError());
    deps.servers.find = () => undefined;
    provider.reportProblem('gpu-8', new NoLoginYetError());
    await settle();
    assert.deepEqual(textsOn(screen), []);
  });

  it('has another message for a changed host key that the window has not shown', async () => {
    const { provider, deps, screen } = scene(running);
    deps.oneWindow.offer = () => undefined;
    const changed = () => new HostKeyError('REMOTE HOST IDENTIFICATION HAS CHANGED');
    provider.reportProblem('gpu-7', changed());
    deps.oneWindow.offer = (_, show) => show();
    provider.reportProblem('gpu-7', changed());
    provider.reportProblem('gpu-7', changed());
    await settle();
    assert.equal(textsOn(screen).length, 1);
  });

  it('has a message in one of the windows that meet the same within five minutes', () => {
    const { provider, deps } = scene(running);
    const keys: string[] = [];
    deps.oneWindow.offer = (key) => keys.push(key);
    for (const seconds of [0, 299, 1]) {
      deps.clock.jump(seconds * 1000);
      provider.reportProblem('gpu-7', new HostKeyError('REMOTE HOST IDENTIFICATION HAS CHANGED'));
    }
    assert.deepEqual([keys[0] === keys[1], keys[1] === keys[2]], [true, false]);
  });

  it('is used though the list does not have it yet, where the account is active', async () => {
    const { deps, resolve } = scene(running);
    deps.fleet.find = () => undefined as never;
    assert.equal((await resolve()).id, 'gpu-7');
  });

  for (const [cost, description] of [
    [fromDollars(0.5), '$0.500/h'],
    [undefined, undefined],
  ] as const) {
    it(`is a start with its price: ${description ?? 'unknown'}`, () => {
      const { provider } = scene({ ...stopped, totalPerHour: cost } as Instance);
      const [start] = provider.provideCommands();
      assert.deepEqual([start?.label, start?.description], ['Start trainer', description]);
    });
  }

  it('is a server with its price where one can connect, and its state where not', () => {
    const label = (instance: Instance) => scene(instance).candidates()?.[0]?.label;
    assert.equal(label(running), 'trainer · RTX 4090 · $0.400/h');
    assert.equal(label(only({ ...running, totalPerHour: undefined, gpuName: undefined })), 'trainer');
    assert.match(label(stopped) ?? '', /^trainer \(Stopped/);
  });

  it('is unknown without an account or a list', () => {
    const { deps, candidates } = scene(running);
    deps.fleet.state.kind = 'loading';
    assert.equal(candidates(), undefined);
    deps.fleet.state.kind = 'ready';
    deps.accounts.active = undefined;
    assert.equal(candidates(), undefined);
  });

  it('closes the picker if another list replaces it, and reports an error of a command', async () => {
    const { provider, deps, screen, reported } = scene(stopped);
    let searches = 0;
    screen.commands.register('gpuRental.searchOffers', () => {
      searches += 1;
    });
    await assert.rejects(provider.handleCommand({ label: 'Rent a GPU…' }));
    assert.deepEqual([searches, reported], [1, []]);
    screen.commands.register('gpuRental.instance.start', () => Promise.reject(new Error('No')));
    assert.equal(await provider.handleCommand({ label: 'Start trainer' }), undefined);
    assert.match(String(reported), /No/);
    deps.accounts.active = undefined;
    assert.deepEqual(
      provider.provideCommands().map(({ label }) => label),
      ['Sign In to GPU Rental…'],
    );
  });
});
