import assert from 'node:assert/strict';
import { openForward, parseForwardedPort, portOf } from '../../../src/ssh/forward';
import type { Run } from '../../../src/ssh/run';
import { FakeClock, settle } from '../../support/fakeClock';

/** What OpenSSH 9.2 prints for `-v -L` at a port that is taken: it names the port before it binds it. */
const announced = (port: string) => `debug1: Local forwarding listening on 127.0.0.1 port ${port}.\n`;
const bound = 'debug1: channel 0: new port-listener [port listener] (inactive timeout: 0)\n';

function forwardWith(print: (port: string) => string) {
  const clock = new FakeClock();
  let endsWithUs: boolean | undefined;
  let begin: () => void;
  let end: (stderr: string) => void;
  const started = new Promise<void>((resolve) => (begin = resolve));
  const stderr = new Promise<string>((resolve) => (end = resolve));
  const run: Run = async (_, args, options) => {
    const port = /^127\.0\.0\.1:(\d+):/.exec(args[args.indexOf('-L') + 1] ?? '')?.[1] ?? '';
    options?.onStderr?.(print(port));
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
    look: async () => {
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
  it('is not done while ssh has only named the port that it is about to bind', async () => {
    const { opened, look, end } = forwardWith(announced);
    let isOpen = false;
    const refused = assert.rejects(
      opened.then(() => {
        isOpen = true;
      }),
      /Address already in use/,
    );
    await look();
    assert.equal(isOpen, false);
    end('bind [127.0.0.1]:8888: Address already in use\n');
    await look();
    await refused;
  });

  it('is done once the port is bound, and ends with this process', async () => {
    const { opened, look, endsWithUs } = forwardWith((port) => announced(port) + bound);
    await look();
    assert.equal((await opened).remotePort, 8888);
    assert.equal(endsWithUs(), true);
  });

  for (const [what, ms] of [
    ['forward', 86_400_000],
    ['back', -86_400_000],
  ] as const) {
    it(`gets 30 seconds, also where the clock is set ${what} by a day meanwhile`, async () => {
      const { opened, look, clock } = forwardWith(announced);
      let isRefused = false;
      const refused = assert.rejects(
        opened.finally(() => {
          isRefused = true;
        }),
        /could not be forwarded/,
      );
      await look();
      clock.jump(ms);
      await clock.advance(29_000);
      assert.equal(isRefused, false);
      await clock.advance(2000);
      await refused;
    });
  }
});
