import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NotebookConnections } from '../../../../src/notebooks/ui/connections';
import { HostKeyError } from '../../../../src/ssh/hostKey';
import { silentLog } from '../../../../src/util/log';
import { FakeClock, settle } from '../../../support/fakeClock';
import { useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';
import { until } from '../../../support/until';

const alias = 'gpu-7';
const token = 'a'.repeat(64);
const running = `gpu-rental notebooks\nrunning 48650 ${token}\n`;

describe('The connections of notebooks', () => {
  useScreen({ folders: [] });
  let server: Server;
  /** What the Jupyter server of the machine says of its kernels; `undefined` where it never answers. */
  let kernels: readonly object[] | undefined;

  before(async () => {
    server = createServer((_, answer) => {
      if (kernels) {
        answer.end(JSON.stringify(kernels));
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  /** One window with a machine whose steps wait until they are let go. */
  function scene({
    holds = [] as readonly ('start' | 'tunnel')[],
    patienceMs = 10_000,
    isSlow = false,
    isServing = true,
  } = {}) {
    const clock = new FakeClock();
    const gates = new Map<string, () => void>();
    const gate = (name: 'start' | 'tunnel') =>
      holds.includes(name)
        ? new Promise<void>((resolve) => {
            gates.set(name, resolve);
          })
        : Promise.resolve();
    const verbs: string[] = [];
    let starts = 0;
    let openTunnels = 0;
    let hostKey: HostKeyError | undefined;
    /** Ends the ssh of the last tunnel, which takes its time after it was closed. */
    let endTunnel = () => {};
    const busy: string[][] = [];
    const accounts: { active: { key: string } | undefined } = { active: { key: 'a' } };
    const deps = {
      accounts,
      clock,
      log: silentLog,
      redactor: { addSecret: () => undefined },
      presence: { set: (_: string, aliases: string[]) => busy.push(aliases) },
      ssh: {
        entry: () => Promise.resolve({}),
        exec: async (_: string, __: string, { input }: { readonly input: string }) => {
          const verb = input.split('\n', 1)[0] ?? '';
          verbs.push(verb);
          starts += 1;
          await gate('start');
          const stdout = isServing || verb === 'start' ? running : 'gpu-rental notebooks\nnone\n';
          return { code: 0, stdout, stderr: '', timedOut: false };
        },
        forward: async () => {
          await gate('tunnel');
          if (hostKey) {
            throw hostKey;
          }
          openTunnels += 1;
          const ended = new Promise<void>((resolve) => {
            endTunnel = resolve;
          });
          const close = () => {
            openTunnels -= 1;
            if (!isSlow) {
              endTunnel();
            }
          };
          return { localPort: (server.address() as AddressInfo).port, remotePort: 48650, ended, close };
        },
      },
    };
    const connections = new NotebookConnections(only(deps), patienceMs);
    return {
      clock,
      accounts,
      connections,
      busy,
      verbs,
      counts: () => ({ starts, openTunnels }),
      endTunnel: () => {
        endTunnel();
      },
      changeHostKey: () => {
        hostKey = new HostKeyError('REMOTE HOST IDENTIFICATION HAS CHANGED');
      },
      gateOf: (name: string) => until(`the step ${name}`, () => gates.get(name), { everyMs: 1 }),
    };
  }

  beforeEach(() => {
    kernels = [];
  });

  for (const step of ['start', 'tunnel'] as const) {
    for (const [change, next] of [
      ['the user signs out', undefined],
      ['another account takes its place', { key: 'b' }],
    ] as const) {
      it(`leave no tunnel open where ${change} at the step ${step}`, async () => {
        const { accounts, connections, counts, gateOf } = scene({ holds: [step] });
        const asked = connections.connect(alias);
        const letGo = await gateOf(step);
        accounts.active = next;
        connections.endAttemptsOfOthers(next?.key);
        letGo();
        await assert.rejects(asked, { name: 'CancelledError' });
        assert.equal(counts().openTunnels, 0);
        assert.equal(connections.serverOf(alias), undefined);
        connections.dispose();
      });
    }
  }

  it('begin again after that, without the pause of a failure', async () => {
    const { accounts, connections, counts, gateOf } = scene({ holds: ['start'] });
    const asked = connections.connect(alias);
    const first = await gateOf('start');
    connections.endAttemptsOfOthers(undefined);
    accounts.active = { key: 'b' };
    const again = connections.connect(alias);
    first();
    await assert.rejects(asked, { name: 'CancelledError' });
    await until('the second start', () => counts().starts === 2, { everyMs: 1 });
    (await gateOf('start'))();
    await again;
    assert.equal(counts().openTunnels, 1);
    connections.closeAccount('b');
    assert.equal(counts().openTunnels, 0);
    connections.dispose();
  });

  it('find the kernels of a server that runs, as after a reload, and start none', async () => {
    const { connections, verbs, counts } = scene();
    const id = '11111111-2222-3333-4444-555555555555';
    kernels = [{ id, name: 'python3', execution_state: 'idle', connections: 0 }];
    assert.deepEqual(
      (await connections.find(alias)).map((kernel) => kernel.id),
      [id],
    );
    assert.deepEqual([verbs, counts().openTunnels], [['find'], 1]);
    assert.equal(connections.kernelsOf(alias)?.length, 1);
    await connections.find(alias);
    assert.deepEqual([verbs, counts().openTunnels], [['find'], 1]);
    connections.dispose();
  });

  it('find none if no server runs, which a notebook that asks at the same time still gets', async () => {
    const { connections, verbs, counts, gateOf } = scene({ holds: ['start'], isServing: false });
    const found = connections.find(alias);
    const letGo = await gateOf('start');
    const asked = Promise.all([connections.connect(alias), connections.connect(alias)]);
    letGo();
    assert.deepEqual(await found, []);
    await until('the start', () => verbs.length === 2, { everyMs: 1 });
    (await gateOf('start'))();
    await asked;
    assert.deepEqual([verbs, counts().openTunnels], [['find', 'start'], 1]);
    connections.dispose();
  });

  it('that are open stay while another account is active', async () => {
    const { connections, counts } = scene();
    await connections.connect(alias);
    connections.endAttemptsOfOthers('b');
    assert.equal(counts().openTunnels, 1);
    connections.dispose();
    assert.equal(counts().openTunnels, 0);
  });

  it('count a kernel that runs a cell as use of its instance, and an idle one as none', async () => {
    const { clock, connections, busy } = scene();
    const kernel = (execution_state: string) => ({
      id: '11111111-2222-3333-4444-555555555555',
      name: 'python3',
      execution_state,
      connections: 1,
    });
    kernels = [kernel('busy')];
    await connections.connect(alias);
    await until('the busy kernel', () => busy.at(-1)?.length === 1);
    assert.deepEqual(busy.at(-1), [alias]);
    kernels = [kernel('idle')];
    await clock.advance(31_000);
    await until('the idle kernel', () => busy.at(-1)?.length === 0);
    kernels = [kernel('busy')];
    await clock.advance(31_000);
    await until('the busy kernel', () => busy.at(-1)?.length === 1);
    connections.close(alias);
    assert.deepEqual(busy.at(-1), []);
    connections.dispose();
  });

  it('count a kernel as none in use whose server does not answer, and as busy again once it does', async () => {
    const { clock, connections, busy } = scene({ patienceMs: 1000 });
    const id = '11111111-2222-3333-4444-555555555555';
    kernels = [{ id, name: 'python3', execution_state: 'busy', connections: 1 }];
    await connections.connect(alias);
    await until('the busy kernel', () => busy.at(-1)?.length === 1);
    const answer = kernels;
    kernels = undefined;
    await clock.advance(31_000);
    await until('the silence', () => busy.at(-1)?.length === 0);
    assert.deepEqual(
      [connections.isSilent(alias), connections.kernelsOf(alias)?.map((kernel) => kernel.id)],
      [true, [id]],
    );
    kernels = answer;
    await until('the busy kernel', async () => {
      // A busy computer may answer one look too late.
      await clock.advance(31_000);
      return busy.at(-1)?.length === 1;
    });
    assert.equal(connections.isSilent(alias), false);
    connections.dispose();
  });

  it('read nothing before a server is asked for', async () => {
    const { clock, connections, counts, busy } = scene();
    await clock.advance(3_600_000);
    await settle();
    assert.deepEqual([counts(), busy], [{ starts: 0, openTunnels: 0 }, []]);
    connections.dispose();
  });

  it('have the same port again at once, however slowly the ssh of the old tunnel ends', async () => {
    const { connections, counts } = scene({ patienceMs: 50, isSlow: true });
    const { localPort } = await connections.connect(alias);
    kernels = undefined;
    assert.equal((await connections.connect(alias)).localPort, localPort);
    assert.deepEqual(counts(), { starts: 2, openTunnels: 1 });
    connections.dispose();
  });

  it('stay where the last look at the one before, whose server was silent, ends after its end', async () => {
    const { clock, connections, counts, gateOf } = scene({ holds: ['start'], patienceMs: 400 });
    const first = connections.connect(alias);
    (await gateOf('start'))();
    await first;
    kernels = undefined;
    const again = connections.connect(alias);
    await until('the second start', () => counts().starts === 2, { everyMs: 1 });
    await clock.advance(31_000);
    (await gateOf('start'))();
    const server = await again;
    await until('both looks to end', () => connections.isSilent(alias) || counts().openTunnels === 0);
    await settle();
    assert.deepEqual([connections.serverOf(alias), counts().openTunnels], [server, 1]);
    connections.dispose();
  });

  it('close and report a changed host key after one try, without waiting for the next check', async () => {
    const { clock, connections, counts, endTunnel, changeHostKey } = scene();
    const lost: string[] = [];
    connections.onDidLose(({ alias: one, error }) => lost.push(`${one}: ${error.message}`));
    await connections.connect(alias);
    changeHostKey();
    endTunnel();
    await settle();
    await clock.advance(1000);
    assert.equal(connections.serverOf(alias), undefined);
    assert.equal(lost.length, 1);
    assert.match(lost[0] ?? '', /^gpu-7: The host key of the instance has changed\./);
    await assert.rejects(connections.connect(alias), HostKeyError);
    assert.equal(counts().starts, 1);
    await clock.advance(600_000);
    assert.equal(lost.length, 1);
    assert.equal(connections.timesConnected(alias), 1);
    connections.dispose();
  });

  it('begin again if the server accepts a request and never answers, and end no wait before its time', async () => {
    const { connections, counts } = scene({ patienceMs: 1000 });
    await connections.connect(alias);
    await connections.readKernels(alias);
    kernels = undefined;
    await assert.rejects(
      connections.readKernels(alias),
      /The Jupyter server of the instance did not answer: no answer within 1 s/,
    );
    const again = connections.connect(alias);
    await again;
    assert.deepEqual(counts(), { starts: 2, openTunnels: 1 });
    connections.dispose();
  });
});
