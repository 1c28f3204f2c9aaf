import assert from 'node:assert/strict';
import { register } from '../../../../src/features/ports';
import { anInstance } from '../../../support/builders';
import { OnQuick } from '../../../support/onQuick';
import { openScreen, runCommandsBy, textsOn } from '../../../support/onScreen';
import { only } from '../../../support/only';

type Handler = (target?: object) => unknown;

describe('Forwarding a port', () => {
  function scene({ isReachable = true, switchesTo = 'mine' } = {}) {
    const screen = openScreen();
    const quick = new OnQuick(screen);
    const handlers = new Map<string, Handler>();
    const opened: { localPort?: number; remotePort: number; end: () => void; isClosed: boolean }[] = [];
    const uses: string[] = [];
    let logins = 0;
    runCommandsBy(() => {
      logins += 1;
      return Promise.resolve(isReachable ? 'gpu-7' : undefined);
    });
    const quiet = () => ({ dispose: () => undefined });
    const instance = anInstance({ id: 7, label: 'trainer' });
    const accounts: { active: { key: string } | undefined } & Record<string, unknown> = {
      ...{ active: { key: 'mine' }, onDidChange: quiet, known: () => Promise.resolve([]) },
    };
    const deps = {
      accounts,
      ...{ accountCleanup: { onDidRemove: quiet }, instanceGroups: { addInstanceRows: quiet }, log: {} },
      fleet: { find: () => instance, facts: () => ({}), state: { kind: 'loading' } },
      machineServices: { of: () => undefined, onDidChange: () => ({ dispose: () => undefined }) },
      presence: { set: (kind: string, aliases: readonly string[]) => uses.push(`${kind} ${aliases.join()}`) },
      commands: {
        register: (id: string, handler: Handler) => {
          handlers.set(id, handler);
          return { dispose: () => undefined };
        },
      },
      ssh: {
        aliasOf: () => 'gpu-7',
        forward: (_: string, wanted: { remotePort: number; remoteHost: string; localPort?: number }) => {
          let end = (): void => undefined;
          const ended = new Promise<void>((resolve) => {
            end = resolve;
          });
          const forward = {
            ...wanted,
            ...{ localPort: wanted.localPort ?? 40_001, ended, end, isClosed: false },
            close: () => {
              forward.isClosed = true;
              end();
            },
          };
          opened.push(forward);
          accounts.active = { key: switchesTo };
          return Promise.resolve(forward);
        },
      },
    };
    register(only(deps));
    const run = (name: string, target: object) =>
      Promise.resolve(handlers.get(`gpuRental.${name}`)?.(target));
    /** Forwards the port that is picked or typed. */
    const forward = async (line: string) => {
      const done = run('instance.forwardPort', { instanceId: 7 });
      await quick.type(line);
      await quick.enter();
      await done;
    };
    return { screen, quick, accounts, opened, uses, run, forward, logins: () => logins };
  }
  const at = (port: number) => ({ instanceId: 7, port, via: 'forward' });

  it('shows where it is, and counts as use of its instance until it is stopped', async () => {
    const { forward, screen, uses, run, opened } = scene();
    await forward('8888');
    assert.deepEqual(textsOn(screen), [
      'info Port 8888 of trainer is at localhost:40001 on this computer. [Open in Browser, Copy Address]',
    ]);
    assert.deepEqual(uses, ['forward gpu-7']);
    await run('port.copy', at(8888));
    await run('port.open', at(8888));
    assert.deepEqual(screen.externalLinks, ['http://localhost:40001/']);
    assert.deepEqual(screen.statusMessages, ['Copied']);
    await run('port.stopForwarding', at(8888));
    assert.deepEqual([opened[0]?.isClosed, uses.at(-1)], [true, 'forward ']);
    assert.deepEqual(textsOn(screen), []);
    await assert.rejects(run('port.copy', at(8888)), /no longer open/);
  });

  it('twice is done once', async () => {
    const { forward, opened, logins } = scene();
    await forward('8888');
    await forward('8888');
    assert.deepEqual([opened.length, logins()], [1, 1]);
  });

  it('that ended by itself is offered again, at the same place', async () => {
    const { forward, screen, quick, opened } = scene();
    await forward('172.17.0.2:9999');
    textsOn(screen);
    opened[0]?.end();
    await quick.flush();
    assert.deepEqual(textsOn(screen), [
      'warning Port 172.17.0.2:9999 of trainer is no longer forwarded, because its SSH connection ended. [Forward Again]',
    ]);
    screen.messages.shown.at(-1)?.press('Forward Again');
    await quick.flush();
    assert.equal(opened[1]?.localPort, 40_001);
    assert.match(textsOn(screen).join(), /^info Port 172\.17\.0\.2:9999 of trainer is at localhost:40001/);
  });

  it('is not done if the instance refuses the login', async () => {
    const { forward, screen, opened } = scene({ isReachable: false });
    await forward('8888');
    assert.deepEqual([textsOn(screen), opened], [[], []]);
  });

  it('is undone where the account was switched on the way', async () => {
    const { forward, accounts, opened, screen, uses } = scene({ switchesTo: 'other' });
    await forward('8888');
    assert.equal(accounts.active?.key, 'other');
    assert.deepEqual([opened.map(({ isClosed }) => isClosed), textsOn(screen), uses], [[true], [], []]);
  });

  it('offers usual ports, and what is typed instead of them', async () => {
    const { run, quick, opened } = scene();
    const done = run('instance.forwardPort', { instanceId: 7 });
    const rows = async (typed: string) => {
      await quick.type(typed);
      return quick.rows();
    };
    const usual = await rows('');
    assert.deepEqual(
      usual.map((row) => row.slice(0, 4)),
      ['8888', '6006', '7860', '8080', '8000'],
    );
    assert.equal((await rows('6006'))[0], '6006 TensorBoard');
    assert.deepEqual(await rows('80'), ['Forward Port: 80']);
    assert.match((await rows('70000')).join(), /^Enter a number from 1 to 65535/);
    await quick.escape();
    await done;
    assert.deepEqual(opened, []);
  });
});
