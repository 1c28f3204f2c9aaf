import assert from 'node:assert/strict';
import { runPreflight, whyNoLogin, type PreflightProblem } from '../../../src/ssh/preflight';
import { explainFailure } from '../../../src/ssh/problemText';
import type { RunResult } from '../../../src/ssh/run';
import { systemClock } from '../../../src/util/clock';
import { formatText } from '../../../src/util/text';
import { answered } from '../../support/answered';
import { FakeClock } from '../../support/fakeClock';

/** What OpenSSH says, on Linux, macOS and Windows, beside what the tests with a real server can bring about. */
const said: readonly (readonly [PreflightProblem, string])[] = [
  ['unreachable', 'ssh: connect to host 192.0.2.1 port 41022: No route to host'],
  ['unreachable', 'ssh: connect to host 2001:db8::1 port 22: Network is unreachable'],
  ['unreachable', 'ssh: connect to host 192.0.2.1 port 22: Host is down'],
  ['timedOut', 'ssh: connect to host 192.0.2.1 port 41022: Connection timed out'],
  ['timedOut', 'ssh: connect to host 192.0.2.1 port 22: Operation timed out'],
  ['refused', 'ssh: connect to host 192.0.2.1 port 22: Connection refused'],
  ['unresolved', 'ssh: Could not resolve hostname gpu.invalid: Name or service not known'],
  ['unresolved', 'ssh: Could not resolve hostname gpu.invalid: nodename nor servname provided, or not known'],
  ['unresolved', 'ssh: Could not resolve hostname gpu.invalid: No such host is known. '],
  ['noGreeting', 'kex_exchange_identification: Connection closed by remote host'],
  [
    'noGreeting',
    'kex_exchange_identification: read: Connection reset by peer\nConnection reset by 192.0.2.1 port 22',
  ],
  ['noGreeting', 'Connection timed out during banner exchange\nConnection to 192.0.2.1 port 22 timed out'],
  [
    'noGreeting',
    'banner exchange: Connection to 192.0.2.1 port 22: invalid format'.replace(
      'banner exchange',
      'ssh_exchange_identification',
    ),
  ],
  ['authentication', 'root@192.0.2.1: Permission denied (publickey).'],
  ['authentication', 'Received disconnect from 192.0.2.1 port 22:2: Too many authentication failures'],
  [
    'notSigned',
    'sign_and_send_pubkey: signing failed for ED25519 "me@laptop" from agent: agent refused operation\nroot@192.0.2.1: Permission denied (publickey).',
  ],
  [
    'notSigned',
    'debug1: Server accepts key: /home/me/.ssh/id_ed25519_sk ED25519-SK SHA256:abc explicit\nroot@192.0.2.1: Permission denied (publickey).',
  ],
  [
    'notSigned',
    'debug1: Server accepts key: pkalg ssh-rsa blen 279\r\nsign_and_send_pubkey: signing failed: agent refused operation\r\nPermission denied (publickey).',
  ],
  [
    'authentication',
    'debug1: Server accepts key: /home/me/.ssh/id ED25519 SHA256:abc explicit\nAuthenticated to jump.example ([192.0.2.2]:22) using "publickey".\nroot@192.0.2.1: Permission denied (publickey).',
  ],
  [
    'unprotectedKey',
    "Permissions for 'C:\\\\Users\\\\me\\\\.ssh\\\\id' are too open.\r\nThis private key will be ignored.\r\nroot@192.0.2.1: Permission denied (publickey).",
  ],
  [
    'hostKeyChanged',
    '@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\nHost key verification failed.',
  ],
  [
    'config',
    '/home/me/.ssh/config: line 3: Bad configuration option: madeup\n/home/me/.ssh/config: terminating, 1 bad configuration options',
  ],
  ['config', 'Bad owner or permissions on C:\\\\Users\\\\me/.ssh/config'],
  ['config', 'Bad permissions. Try removing permissions for user: X on file C:/Users/me/.ssh/config.'],
  ['diskFull', 'bash: cannot create temp file for here-document: No space left on device'],
  [
    'startupScript',
    'Authenticated to 192.0.2.1 ([192.0.2.1]:22) using "publickey".\nopen terminal failed: not a terminal',
  ],
  ['other', 'something that nobody has met yet'],
];

describe('A login that failed', () => {
  for (const [problem, stderr] of said) {
    it(`is taken for ${problem}: ${stderr.split('\n')[0] ?? ''}`, async () => {
      const result = await runPreflight(
        {
          run: () => Promise.resolve({ code: 255, stdout: '', stderr: `${stderr}\r\n`, timedOut: false }),
          clock: systemClock,
          command: ['ssh'],
        },
        'gpu-7',
      );
      assert.ok(!result.ok);
      assert.equal(result.problem, problem);
      const { text, fixes } = explainFailure(result);
      assert.ok(fixes.length > 0);
      assert.ok(formatText(text).length > 20);
    });
  }

  it('states how long a login lasted, at any time of day', async () => {
    const clock = new FakeClock();
    const result = await runPreflight(
      {
        run: async (_, args, options) => {
          await clock.advance(700);
          clock.jump(-3_600_000);
          return answered(args, options);
        },
        clock,
        command: ['ssh'],
      },
      'gpu-7',
    );
    assert.ok(result.ok);
    assert.equal(result.elapsedMs, 700);
  });

  it('is timed out if ssh had to be ended, with any output', async () => {
    const result = await runPreflight(
      {
        run: () => Promise.resolve({ code: null, stdout: '', stderr: 'debug1: Connecting', timedOut: true }),
        clock: systemClock,
        command: ['ssh'],
      },
      'gpu-7',
    );
    assert.ok(!result.ok);
    assert.equal(result.problem, 'timedOut');
  });

  it('waits for the user, not for the machine, where a prompt or a touch of a key was not answered in time', async () => {
    const accepted =
      'debug1: Offering public key: /home/me/.ssh/id ED25519-SK SHA256:abc explicit\n' +
      'debug1: Server accepts key: /home/me/.ssh/id ED25519-SK SHA256:abc explicit\n';
    const after = (stderr: string) =>
      runPreflight(
        {
          run: () => Promise.resolve({ code: null, stdout: '', stderr, timedOut: true }),
          clock: systemClock,
          command: ['ssh'],
        },
        'gpu-7',
      );
    const waiting = await after(accepted);
    assert.ok(!waiting.ok);
    assert.equal(waiting.problem, 'notSigned');
    assert.match(formatText(explainFailure(waiting).text), /knows the key \/home\/me\/\.ssh\/id,/);
    const hanging = await after(
      `${accepted}Authenticated to 192.0.2.1 ([192.0.2.1]:22) using "publickey".\n`,
    );
    assert.ok(!hanging.ok);
    assert.equal(hanging.problem, 'timedOut');
  });

  it('without its script ended in the shell where ssh itself did not fail', () => {
    const problemOf = (code: number | null, stderr = '', more: Partial<RunResult> = {}) =>
      whyNoLogin({ code, stdout: '', stderr, timedOut: false, ...more }).problem;
    assert.equal(problemOf(1), 'startupScript');
    assert.equal(problemOf(255), 'other');
    assert.equal(problemOf(null), 'other');
    assert.equal(problemOf(1, 'Connection refused'), 'refused');
    assert.equal(problemOf(255, '', { stdout: 'Welcome' }), 'startupScript');
    assert.equal(problemOf(1, '', { timedOut: true }), 'timedOut');
  });

  it('was waited for as usual, and longer only at the request of the user', async () => {
    const waits: (readonly [answer: string | undefined, allMs: number | undefined])[] = [];
    const login = (isPatient?: boolean) =>
      runPreflight(
        {
          run: (_program, args, options) => {
            waits.push([args.find((arg) => arg.startsWith('ConnectTimeout=')), options?.timeoutMs]);
            return Promise.resolve({
              code: 255,
              stdout: '',
              stderr: 'Connection timed out',
              timedOut: false,
            });
          },
          clock: systemClock,
          command: ['ssh'],
        },
        'gpu-7',
        { isPatient },
      );
    const result = await login();
    await login(true);
    assert.deepEqual(waits, [
      ['ConnectTimeout=15', 30_000],
      ['ConnectTimeout=60', 90_000],
    ]);
    assert.ok(!result.ok);
    assert.equal(explainFailure(result).fixes[0], 'waitLonger');
  });
});
