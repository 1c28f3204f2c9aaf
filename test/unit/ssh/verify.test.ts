import assert from 'node:assert/strict';
import type { HostEntry } from '../../../src/ssh/hostConfig';
import { verifyHost, type VerifyDeps } from '../../../src/ssh/verify';

const entry: HostEntry = {
  alias: 'gpu-7',
  endpoint: { kind: 'direct', host: '192.0.2.7', port: 40_022 },
  identityFile: undefined,
  forwardAgent: false,
  account: 'abcdef',
};

/** What comes of an ssh that prints this. */
function verified(stderr: string, stdout = '', code = 255) {
  const deps: VerifyDeps = {
    ask: () => Promise.resolve({ code, stdout, stderr, timedOut: false }),
    fs: {} as VerifyDeps['fs'],
    knownHosts: '/known',
  };
  return verifyHost(deps, entry);
}

describe('what ssh makes of a host', () => {
  it('shows the last words of an ssh that refuses the config, without its debug lines', async () => {
    const stderr = [
      'OpenSSH_9.6p1, OpenSSL 3.0.2',
      'debug1: Reading configuration data /home/me/.ssh/config',
      'something before',
      '/home/me/.ssh/config: line 3: Bad configuration option: portt',
      'debug3: /home/me/.ssh/config line 4: not matched',
      '/home/me/.ssh/config: terminating, 1 bad configuration options',
      '',
    ].join('\n');
    assert.deepEqual(await verified(stderr), {
      kind: 'broken',
      message:
        '/home/me/.ssh/config: line 3: Bad configuration option: portt /home/me/.ssh/config: terminating, 1 bad configuration options',
    });
  });

  it('treats an ssh that prints too little as one that refuses it', async () => {
    assert.deepEqual(await verified('odd', 'port 22\nuser root\n', 0), { kind: 'broken', message: 'odd' });
  });
});
