import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  armTimer,
  checkTimer,
  disarmTimer,
  type TimerOrder,
} from '../../../src/schedules/machine/machineTimer';
import { cloneRepository } from '../../../src/ssh/cloneRepository';
import { download } from '../../../src/ssh/download';
import { HostKeyError } from '../../../src/ssh/hostKey';
import { NoLoginError } from '../../../src/ssh/prepareHost';
import { explainFailure } from '../../../src/ssh/problemText';
import { readFolders } from '../../../src/ssh/remoteFolders';
import { parseRepositoryUrl } from '../../../src/ssh/repositoryUrl';
import { sendFile } from '../../../src/ssh/runFile';
import type { SshService } from '../../../src/ssh/service';
import { findUnsavedWork } from '../../../src/ssh/unsavedWork';
import { upload } from '../../../src/ssh/upload';
import { systemClock } from '../../../src/util/clock';
import { formatText } from '../../../src/util/text';
import { answered } from '../../support/answered';
import { openedFolder } from '../../support/openedFolder';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { freePort, SshMachine } from '../../support/sshMachine';

describe('A host key that changed', () => {
  let home: SshHome;
  let machine: SshMachine;
  let ssh: SshService;
  let key: string;

  const request = (port = machine.port) => ({
    account: sshAccount,
    instanceId: 7,
    instance: sshInstance(port),
    registeredKeys: [key],
  });

  before(async () => {
    home = new SshHome();
    key = home.key();
    machine = await new SshMachine().start();
    machine.authorize(key);
    ssh = home.service();
    await ssh.prepare(request());
    const { port } = machine;
    await machine.stop();
    machine.newHostKey();
    await machine.start({ port });
  });
  after(async () => {
    await machine.dispose();
    home.dispose();
  });

  it('is reported if the config of the user silences ssh, too', async () => {
    const config = home.read();
    home.write(`${config}\nHost *\n  LogLevel QUIET\n`);
    try {
      await assert.rejects(ssh.exec('gpu-7', 'true'), HostKeyError);
    } finally {
      home.write(config);
    }
  });

  const order: TimerOrder = {
    serviceUrl: 'https://console.vast.ai',
    instanceId: 7,
    action: 'stop',
    seconds: 60,
    mode: 'at',
    token: 'abc',
  };
  const transfer = () => ({ ssh, clock: systemClock, platform: process.platform });
  const uses: Record<string, () => Promise<unknown>> = {
    forward: () => ssh.forward('gpu-7', { remotePort: 8888 }),
    upload: () => {
      const file = join(home.root, 'file');
      writeFileSync(file, 'x');
      return upload(transfer(), 'gpu-7', [{ name: 'file', path: file }], '/tmp', {});
    },
    download: () => download(transfer(), 'gpu-7', '/etc/hostname', openedFolder(home.root), {}),
    'the folders of the machine': () => readFolders(ssh, 'gpu-7'),
    'a file that is to run': () => sendFile(ssh, 'gpu-7', { name: 'a.py', content: '' }),
    'a clone': () => {
      const address = parseRepositoryUrl('https://example.com/a/b.git');
      assert.ok(address);
      return cloneRepository(ssh, 'gpu-7', address);
    },
    'unsaved work': () => findUnsavedWork(ssh, 'gpu-7', [], { timeoutMs: 20_000 }),
    'a timer that starts': () => armTimer(ssh, 'gpu-7', order),
    'a timer that is looked for': () => checkTimer(ssh, 'gpu-7', order),
    'a timer that ends': () => disarmTimer(ssh, 'gpu-7', 7),
  };

  for (const [name, use] of Object.entries(uses)) {
    it(`is explained in the words of a connection: ${name}`, async () => {
      const { preflight } = await ssh.connect(request());
      assert.ok(!preflight.ok);
      const words = formatText(explainFailure(preflight).text);
      assert.match(words, /host key of the instance has changed/);
      await assert.rejects(use(), (error) => {
        assert.ok(error instanceof HostKeyError, String(error));
        assert.equal(error.message, words);
        return true;
      });
    });
  }

  it('is not what a host key is that is met for the first time', async () => {
    const other = await new SshMachine().start();
    try {
      other.authorize(key);
      await ssh.writeEntry({ ...request(other.port), instanceId: 8 });
      await assert.rejects(ssh.exec('gpu-8', 'true'), /No login has proved the host key/);
    } finally {
      await other.dispose();
    }
  });

  it('is no word of the machine itself', async () => {
    const run: typeof home.run = (program, args, options) =>
      typeof options?.input === 'string' && options.input.includes(':true:')
        ? Promise.resolve(answered(args, options, { code: 1, stderr: 'Host key verification failed.\n' }))
        : home.run(program, args, options);
    assert.equal((await home.service({ run }).exec('gpu-7', 'true')).code, 1);
  });

  it('is reported before anything is run if the address is another one', async () => {
    const other = await new SshMachine().start({ port: await freePort() });
    try {
      await assert.rejects(ssh.prepare(request(other.port)), (error) => {
        assert.ok(error instanceof NoLoginError);
        assert.equal(error.failure.problem, 'hostKeyChanged');
        return true;
      });
    } finally {
      await other.dispose();
    }
  });

  it('is reported with the new one in the log of the instance, which is read once a minute', async () => {
    const renewed = async (log: string | Error) => {
      let read = 0;
      const reading = () => {
        read += 1;
        return log instanceof Error ? Promise.reject(log) : Promise.resolve(log);
      };
      const service = home.service();
      const say = async () => {
        const { preflight } = await service.connect({ ...request(), log: reading });
        return preflight.ok ? '' : formatText(explainFailure(preflight).text);
      };
      const said = await say();
      assert.equal(await say(), said);
      return { said, read };
    };
    const printed = execFileSync('ssh-keygen', ['-lf', join(machine.dir, 'host_key')], { encoding: 'utf8' });
    const named = await renewed(`Creating SSH2 ED25519 key\n${printed}`);
    assert.match(named.said, /has changed, and its log names the new one/);
    assert.equal(named.read, 1);
    for (const log of ['', printed.replace(/SHA256:./, 'SHA256:-'), new Error('no log')]) {
      const { said, read } = await renewed(log);
      assert.match(said, /has changed\. It may have been created again, or the connection may be/);
      assert.equal(read, 1);
    }
  });

  for (const name of ['forward', 'upload']) {
    it(`is explained with a way on by the next preparation after a refusal, until it is forgotten: ${name}`, async () => {
      await ssh.forgetHostKey('gpu-7');
      await ssh.prepare(request());
      const { port } = machine;
      await machine.stop();
      machine.newHostKey();
      await machine.start({ port });
      await ssh.prepare(request());
      await assert.rejects(uses[name]?.() ?? Promise.resolve(), HostKeyError);
      await assert.rejects(ssh.prepare(request()), (error) => {
        assert.ok(error instanceof NoLoginError);
        assert.deepEqual(explainFailure(error.failure).fixes, ['retry', 'forgetHostKey']);
        return true;
      });
      await ssh.forgetHostKey('gpu-7');
      await ssh.prepare(request());
      assert.equal((await ssh.exec('gpu-7', 'true')).code, 0);
    });
  }
});
