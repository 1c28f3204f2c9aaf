import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { explainMissingAgent } from '../../../src/ssh/keyAgent';
import { ProgramMissingError } from '../../../src/ssh/run';
import { formatText } from '../../../src/util/text';
import { SshHome } from '../../support/sshHome';

describe('The SSH agent', () => {
  let home: SshHome;
  beforeEach(() => {
    home = new SshHome();
  });
  afterEach(() => home.dispose());

  it('is missing, or runs where the SSH config says, empty or not', async () => {
    assert.deepEqual(await home.service().agent(), { isRunning: false, socket: undefined });
    const socket = join(home.root, 'agent');
    home.write(`Host *\n  IdentityAgent ${socket}\n`);
    assert.deepEqual(await home.service().agent(), { isRunning: false, socket });
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      await new Promise((resolve) => agent.stdout.once('data', resolve));
      assert.deepEqual(await home.service().agent(), { isRunning: true, socket });
    } finally {
      agent.kill();
    }
  });

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
      const missing = explainMissingAgent(platform);
      assert.match(missing.command, command);
      assert.ok(formatText(missing.text).includes(missing.command), formatText(missing.text));
    }
  });
});
