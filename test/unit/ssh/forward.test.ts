import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { freeLocalPort, openForward, parseForwardedPort, portOf } from '../../../src/ssh/forward';
import type { Run } from '../../../src/ssh/run';
import { FakeClock, settle } from '../../support/fakeClock';

/** What a banner could print of a port that is not bound: OpenSSH says so on the same stream. */
const banner = [
  'Authenticated to 192.0.2.1 ([192.0.2.1]:22) using "publickey".',
  'debug1: Local forwarding listening on 127.0.0.1 port 8888.',
  'debug1: channel 0: new port-listener [port listener] (inactive timeout: 0)',
  'debug2: channel 1: open confirm rwindow 2097152 rmax 32768',
  '',
].join('\n');

function forwardWith(binds: boolean) {
  const clock = new FakeClock();
  let endsWithUs: boolean | undefined;
  let begin: () => void;
  let end: (stderr: string) => void;
  const started = new Promise<void>((resolve) => (begin = resolve));
  const stderr = new Promise<string>((resolve) => (end = resolve));
  const run: Run = async (_, args, options) => {
    options?.onStderr?.(banner);
    const mark = args.map((arg) => /^LocalCommand=echo ([0-9a-f]{24})$/.exec(arg)?.[1]).find((one) => one);
    if (binds) {
      options?.onStdout?.(`Welcome to this computer\n${mark ?? ''}\n`);
    }
    endsWithUs = options?.endsWithUs;
    begin();
    return { code: 255, stdout: '', stderr: await stderr, timedOut: false };
  };
  const opened = openForward({ run, clock, command: ['ssh'] }, 'gpu-7', { remotePort: 8888 });
  return {
    opened,
    clock,
    endsWithUs: () => endsWithUs,
    /** Lets it look at what ssh printed. */
    check: async () => {
      await started;
      await settle();
      await clock.advance(300);
    },
    end: (words: string) => {
      end(words);
    },
  };
}

describe('A port of the machine', () => {
  it('is a number, or an address and a number', () => {
    for (const typed of ['8080', '172.17.0.2:8080', '[fd00::2]:80', 'db.internal:5432']) {
      const parsed = parseForwardedPort(` ${typed} `);
      assert.equal(parsed && portOf(parsed), typed);
    }
    assert.deepEqual(parseForwardedPort('8080'), { remotePort: 8080, remoteHost: 'localhost' });
    assert.deepEqual(parseForwardedPort('localhost:8080'), parseForwardedPort('8080'));
  });

  it('is nothing that ssh would read otherwise', () => {
    const others = [
      '',
      '0',
      '65536',
      '1e3',
      ':80',
      '::1:80',
      '-x:80',
      'a b:80',
      '[::1%eth0]:80',
      '/socket:80',
    ];
    assert.deepEqual(
      others.map((typed) => parseForwardedPort(typed)),
      others.map(() => undefined),
    );
  });
});

describe('Forwarding a port', () => {
  it('is not done while only a banner of the machine claims it', async () => {
    const { opened, check, end } = forwardWith(false);
    let isOpen = false;
    const refused = assert.rejects(
      opened.then(() => {
        isOpen = true;
      }),
      /Address already in use/,
    );
    await check();
    assert.equal(isOpen, false);
    end('bind [127.0.0.1]:8888: Address already in use\n');
    await check();
    await refused;
  });

  it('is done once the port is bound, and ends with this process', async () => {
    const { opened, check, endsWithUs } = forwardWith(true);
    await check();
    assert.equal((await opened).remotePort, 8888);
    assert.equal(endsWithUs(), true);
  });

  for (const [what, ms] of [
    ['forward', 86_400_000],
    ['back', -86_400_000],
  ] as const) {
    it(`gets 30 seconds, also if the clock is set ${what} by a day during it`, async () => {
      const { opened, check, clock } = forwardWith(false);
      let isRefused = false;
      const refused = assert.rejects(
        opened.finally(() => {
          isRefused = true;
        }),
        /could not be forwarded/,
      );
      await check();
      clock.jump(ms);
      await clock.advance(29_000);
      assert.equal(isRefused, false);
      await clock.advance(2000);
      await refused;
    });
  }
});

describe('the port of this computer for a forward', () => {
  const servers: Server[] = [];
  afterEach(() => {
    servers.splice(0).forEach((server) => server.close());
  });

  /** Listens at an address of this computer; `undefined` where it has no such address. */
  async function taken(host: string): Promise<number | undefined> {
    const server = createServer();
    return new Promise((resolve) => {
      server.once('error', () => {
        resolve(undefined);
      });
      server.listen({ port: 0, host }, () => {
        servers.push(server);
        resolve((server.address() as AddressInfo).port);
      });
    });
  }

  it('is the wanted one where it is free', async () => {
    const port = await taken('127.0.0.1');
    assert.ok(port);
    await new Promise((resolve) => servers.pop()?.close(resolve));
    assert.equal(await freeLocalPort(port), port);
  });

  it('is another one where a server listens on either address of localhost', async () => {
    for (const host of ['127.0.0.1', '::1']) {
      const port = await taken(host);
      if (port === undefined) {
        // A computer without IPv6 has nothing that listens there.
        assert.equal(host, '::1');
        continue;
      }
      const chosen = await freeLocalPort(port);
      assert.notEqual(chosen, port, host);
      assert.ok(chosen > 0);
    }
  });
});
