import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { explainMissingAgent, type AskedAgent } from '../../../src/ssh/keyAgent';
import { worksUnattended } from '../../../src/ssh/localKeys';
import { explainFailure } from '../../../src/ssh/problemText';
import { ProgramMissingError } from '../../../src/ssh/run';
import { formatText } from '../../../src/util/text';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';

describe('The SSH agent', () => {
  let home: SshHome;
  beforeEach(() => {
    home = new SshHome();
  });
  afterEach(() => home.dispose());

  it('is missing, or runs where the SSH config points, empty or not', async () => {
    assert.deepEqual(await home.service().agent(), { isRunning: false, asked: 'environment' });
    const socket = join(home.root, 'agent');
    home.write(`Host *\n  IdentityAgent ${socket}\n`);
    assert.deepEqual(await home.service().agent(), { isRunning: false, asked: { socket } });
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      await new Promise((resolve) => agent.stdout.once('data', resolve));
      assert.deepEqual(await home.service().agent(), { isRunning: true, asked: { socket } });
    } finally {
      agent.kill();
    }
  });

  it('is the one that ssh asks', async () => {
    const variable = 'GPU_TEST_AGENT';
    const cases: readonly (readonly [line: string, value: string | undefined, asked: AskedAgent])[] = [
      ['SSH_AUTH_SOCK', undefined, 'environment'],
      ['$SSH_AUTH_SOCK', undefined, 'environment'],
      ['none', undefined, 'none'],
      [`$${variable}`, '/run/agent', { socket: '/run/agent' }],
      [`$${variable}`, undefined, 'none'],
      [`\${${variable}}/agent`, '/run', { socket: '/run/agent' }],
      ['/run/user/%i/agent', undefined, { socket: `/run/user/${userInfo().uid}/agent` }],
    ];
    for (const [line, value, asked] of cases) {
      home.write(`Host *\n  IdentityAgent ${line}\n`);
      if (value !== undefined) {
        process.env[variable] = value;
      }
      try {
        assert.deepEqual((await home.service().agent()).asked, asked, line);
      } finally {
        Reflect.deleteProperty(process.env, variable);
      }
    }
  });

  for (const line of ['none', '/nowhere/agent']) {
    it(`does not open a key where ssh asks another: IdentityAgent ${line}`, async () => {
      const machine = await new SshMachine().start();
      const key = home.key('locked', 'secret');
      machine.authorize(key);
      home.write(`Host *\n  IdentityAgent ${line}\n`);
      // The agent of the environment holds the key, but ssh never asks it.
      const run: typeof home.run = (program, args, options) =>
        program === 'ssh-add' && options?.env?.['SSH_AUTH_SOCK'] === undefined
          ? Promise.resolve({ code: 0, stdout: key, stderr: '', timedOut: false })
          : home.run(program, args, options);
      try {
        const ssh = home.service({ run, agentSocket: join(home.root, 'agent') });
        const instance = sshInstance(machine.port);
        const request = { account: sshAccount, instanceId: 7, instance, registeredKeys: [key] };
        const { host, preflight } = await ssh.connect(request);
        assert.ok(!preflight.ok);
        const { text, fixes } = explainFailure(preflight, host.identity);
        assert.match(formatText(text), /locked asks for a passphrase/);
        assert.equal(fixes[0], 'unlockKey');
        assert.deepEqual((await ssh.localKeys()).map(worksUnattended), [false]);
      } finally {
        await machine.dispose();
      }
    });
  }

  it('can not be asked without its program', async () => {
    const run: typeof home.run = (program, args, options) =>
      program === 'ssh-add'
        ? Promise.reject(new ProgramMissingError(program, undefined))
        : home.run(program, args, options);
    await assert.rejects(home.service({ run }).agent(), ProgramMissingError);
  });

  it('is started by a command of the platform, which a message shows as it is', () => {
    for (const [platform, command] of [
      ['win32', /Start-Service/],
      ['linux', /ssh-agent -s/],
      ['darwin', /ssh-agent -s/],
    ] as const) {
      const missing = explainMissingAgent(platform, 'environment');
      assert.match(missing.command ?? '', command);
      assert.ok(formatText(missing.text).includes(missing.command ?? '?'), formatText(missing.text));
    }
  });

  it('is started by no command where the SSH config names another or none', () => {
    const other = explainMissingAgent('linux', { socket: '/run/agent' });
    assert.match(formatText(other.text), /SSH config .* \/run\/agent/);
    const none = explainMissingAgent('linux', 'none');
    assert.match(formatText(none.text), /IdentityAgent/);
    assert.deepEqual([other.command, none.command], [undefined, undefined]);
  });
});
