import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { endpointsOf, type Endpoint } from '../../../src/ssh/endpoints';
import { chooseEndpoint, probeBanner, type ProbeOutcome } from '../../../src/ssh/probe';
import { FakeClock, settle } from '../../support/fakeClock';
import { freePort } from '../../support/sshMachine';

const direct: Endpoint = { kind: 'direct', host: '192.0.2.1', port: 41_022 };
const proxy: Endpoint = { kind: 'proxy', host: 'ssh5.vast.ai', port: 15_001 };
const port22 = [{ containerPort: 22, protocol: 'tcp', hostPort: 41_022 }];

describe('The addresses of an instance', () => {
  it('are its own port first and the proxy second', () => {
    const instance = { publicIp: ' 192.0.2.1 \n', ports: port22, sshHost: 'ssh5.vast.ai', sshPort: 15_001 };
    assert.deepEqual(endpointsOf(instance), [direct, proxy]);
  });

  it('have the proxy port and the one above for Jupyter run types', () => {
    const instance = { sshHost: 'ssh5.vast.ai', sshPort: 15_000, runtype: 'jupyter_direc ssh_proxy' };
    assert.deepEqual(endpointsOf(instance), [proxy, { ...proxy, port: 15_000 }]);
  });

  it('are none while the instance is being provisioned', () => {
    assert.deepEqual(endpointsOf({}), []);
    assert.deepEqual(endpointsOf({ publicIp: '192.0.2.1' }), []);
    assert.deepEqual(endpointsOf({ publicIp: '192.0.2.1', ports: [] }), []);
    const udp = [{ containerPort: 22, protocol: 'udp', hostPort: 1 }];
    assert.deepEqual(endpointsOf({ publicIp: '192.0.2.1', ports: udp }), []);
  });
});

describe('Choosing an address', () => {
  let clock: FakeClock;
  let answer: Map<Endpoint, (outcome: ProbeOutcome) => void>;
  let stopped: number;

  beforeEach(() => {
    clock = new FakeClock();
    answer = new Map();
    stopped = 0;
  });

  function choose(endpoints: readonly Endpoint[], signal?: AbortSignal) {
    return chooseEndpoint(
      endpoints,
      {
        clock,
        probe: (endpoint, stop) =>
          new Promise((resolve) => {
            stop.addEventListener('abort', () => (stopped += 1));
            answer.set(endpoint, resolve);
          }),
      },
      signal,
    );
  }

  it('asks all at once and uses the direct one even if the proxy is a little faster', async () => {
    const choice = choose([direct, proxy]);
    assert.equal(answer.size, 2);
    answer.get(proxy)?.('ssh');
    await clock.advance(1_400);
    answer.get(direct)?.('ssh');
    assert.equal((await choice).best, direct);
    assert.equal(clock.pending, 0);
    assert.equal(stopped, 2);
  });

  it('does not wait for the direct one for long', async () => {
    const choice = choose([direct, proxy]);
    answer.get(proxy)?.('ssh');
    await clock.advance(1_500);
    const { best, results } = await choice;
    assert.equal(best, proxy);
    assert.deepEqual(results, [{ endpoint: proxy, outcome: 'ssh' }]);
  });

  it('uses the proxy at once if the direct one refuses', async () => {
    const choice = choose([direct, proxy]);
    answer.get(direct)?.('refused');
    answer.get(proxy)?.('ssh');
    assert.equal((await choice).best, proxy);
  });

  it('knows none where none answers in time', async () => {
    const choice = choose([direct, proxy]);
    answer.get(direct)?.('refused');
    await clock.advance(6_000);
    const { best, results } = await choice;
    assert.equal(best, undefined);
    assert.deepEqual(results, [{ endpoint: direct, outcome: 'refused' }]);
    assert.deepEqual((await choose([])).results, []);
  });

  it('stops when its signal is aborted', async () => {
    const stop = new AbortController();
    const choice = choose([direct], stop.signal);
    stop.abort();
    await assert.rejects(choice, { name: 'CancelledError' });
    await settle();
    assert.equal(stopped, 1);
  });
});

describe('The probe', () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];
  afterEach(() => {
    sockets.splice(0).forEach((socket) => socket.destroy());
    servers.splice(0).forEach((server) => server.close());
  });

  async function serve(greet: (socket: Socket) => void): Promise<ProbeOutcome> {
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      greet(socket);
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    return probeBanner({ kind: 'direct', host: '127.0.0.1', port }, AbortSignal.timeout(300));
  }

  it('distinguishes an SSH server, also behind other lines, from all else', async () => {
    assert.equal(await serve((socket) => socket.write('SSH-2.0-x\r\n')), 'ssh');
    assert.equal(await serve((socket) => socket.write('Welcome\r\nSSH-2.0-x\r\n')), 'ssh');
    assert.equal(await serve((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n')), 'otherService');
    assert.equal(await serve((socket) => socket.write('x'.repeat(9_000))), 'otherService');
    assert.equal(await serve((socket) => socket.end('busy')), 'otherService');
    assert.equal(await serve((socket) => socket.end()), 'closed');
    assert.equal(await serve(() => undefined), 'timedOut');
  });

  it('recognizes a closed port', async () => {
    const endpoint: Endpoint = { kind: 'direct', host: '127.0.0.1', port: await freePort() };
    assert.equal(await probeBanner(endpoint, AbortSignal.timeout(5_000)), 'refused');
    const stopped = AbortSignal.abort();
    assert.equal(await probeBanner(endpoint, stopped), 'timedOut');
  });
});
