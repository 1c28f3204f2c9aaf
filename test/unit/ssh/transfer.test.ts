import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { SshService } from '../../../src/ssh/service';
import {
  download,
  parseTree,
  sftpQuote,
  TransferError,
  upload,
  UnusableNameError,
  type TransferProgress,
} from '../../../src/ssh/transfer';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';

describe('Moving data over SSH', function () {
  this.timeout(60_000);
  let home: SshHome;
  let machine: SshMachine;
  let ssh: SshService;
  let remote: string;
  let web: Server | undefined;

  beforeEach(async () => {
    home = new SshHome();
    machine = await new SshMachine().start();
    const key = home.key();
    machine.authorize(key);
    ssh = home.service();
    const instance = sshInstance(machine.port);
    await ssh.prepare({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
    // The machine is this computer: its folder stands beside the local one.
    remote = join(home.root, 'remote folder');
    mkdirSync(remote);
  });
  afterEach(async () => {
    web?.close();
    web = undefined;
    await machine.dispose();
    home.dispose();
  });

  const deps = () => ({ run: home.run, ssh });

  it('uploads files and folders whatever their names, and tells how far it is', async () => {
    const names = [
      'plain.txt',
      "it's.txt",
      'a b.txt',
      'star*.txt',
      '[x].txt',
      'q"uote.txt',
      '-dash',
      'ä.txt',
    ];
    const folder = join(home.root, 'my data');
    mkdirSync(join(folder, 'sub folder'), { recursive: true });
    for (const name of names) {
      writeFileSync(join(folder, name), name);
    }
    writeFileSync(join(folder, 'sub folder', 'deep.txt'), 'deep');
    const progress: TransferProgress[] = [];
    await upload(deps(), 'gpu-7', [folder], remote, {
      resume: false,
      onProgress: (step) => progress.push(step),
    });
    for (const name of names) {
      assert.equal(readFileSync(join(remote, 'my data', name), 'utf8'), name);
    }
    assert.equal(readFileSync(join(remote, 'my data', 'sub folder', 'deep.txt'), 'utf8'), 'deep');
    assert.equal(progress.length, names.length + 1);
    assert.equal(progress.at(-1)?.files, names.length + 1);
  });

  it('goes on with an upload where it ended: whole files stay, a part is completed', async () => {
    const folder = join(home.root, 'data');
    mkdirSync(folder);
    writeFileSync(join(folder, 'whole'), 'whole');
    writeFileSync(join(folder, 'part'), 'first-second');
    writeFileSync(join(folder, 'missing'), 'missing');
    mkdirSync(join(remote, 'data'));
    writeFileSync(join(remote, 'data', 'whole'), 'WHOLE');
    writeFileSync(join(remote, 'data', 'part'), 'FIRST-');
    await upload(deps(), 'gpu-7', [folder], remote, { resume: true });
    const content = (name: string) => readFileSync(join(remote, 'data', name), 'utf8');
    assert.deepEqual(
      [content('whole'), content('part'), content('missing')],
      ['WHOLE', 'FIRST-second', 'missing'],
    );
  });

  it('downloads a folder and goes on with it', async () => {
    mkdirSync(join(remote, 'out'));
    writeFileSync(join(remote, 'out', 'model.bin'), 'weights-weights');
    writeFileSync(join(remote, 'out', 'log.txt'), 'log');
    const local = join(home.root, 'down here');
    mkdirSync(local);
    const progress: TransferProgress[] = [];
    await download(deps(), 'gpu-7', join(remote, 'out'), local, {
      resume: false,
      onProgress: (step) => progress.push(step),
    });
    assert.equal(readFileSync(join(local, 'out', 'model.bin'), 'utf8'), 'weights-weights');
    assert.deepEqual(
      progress.map(({ files, totalFiles }) => `${files}/${totalFiles}`),
      ['1/2', '2/2'],
    );
    writeFileSync(join(local, 'out', 'model.bin'), 'WEIGHTS-');
    await download(deps(), 'gpu-7', join(remote, 'out'), local, { resume: true });
    assert.equal(readFileSync(join(local, 'out', 'model.bin'), 'utf8'), 'WEIGHTS-weights');
  });

  it('says why a transfer did not finish, and stops when it is told to', async () => {
    await assert.rejects(
      download(deps(), 'gpu-7', join(remote, 'nothing'), home.root, { resume: false }),
      (error) => error instanceof TransferError && /No such file|not found/.test(error.message),
    );
    await assert.rejects(
      upload(deps(), 'gpu-7', [home.sshDir], remote, { resume: false, signal: AbortSignal.abort() }),
      { name: 'CancelledError' },
    );
  });

  it('takes no name from the machine that leads out of the folder', () => {
    const lines = ['3 regular file ./a/ok', '4096 directory ./a', '0 regular empty file ./a/empty'];
    const bad = [
      '1 regular file ./../x',
      '1 regular file ./a/../../x',
      '1 regular file ./a\\b',
      '1 regular file /etc/x',
    ];
    const { folders, files } = parseTree([...bad, ...lines, '1 fifo ./a/f', 'x\u001b'].join('\n'));
    assert.deepEqual(folders, ['a']);
    assert.deepEqual(files, [
      { name: 'a/ok', size: 3 },
      { name: 'a/empty', size: 0 },
    ]);
  });

  it('refuses names that would begin another command', () => {
    assert.throws(() => sftpQuote('a\nrm *'), UnusableNameError);
    assert.equal(sftpQuote('a "b" \\c'), '"a \\"b\\" \\\\c"');
  });

  it('forwards a port to this computer alone until it is closed', async () => {
    web = createServer((_, response) => response.end('from the machine'));
    web.listen(0, '127.0.0.1');
    await new Promise((resolve) => web?.once('listening', resolve));
    const address = web.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const forward = await ssh.forward('gpu-7', port);
    // The same port is taken here, since machine and computer are one.
    assert.notEqual(forward.localPort, port);
    const answer = await fetch(`http://127.0.0.1:${forward.localPort}/`);
    assert.equal(await answer.text(), 'from the machine');
    forward.close();
    await forward.ended;
    await assert.rejects(fetch(`http://127.0.0.1:${forward.localPort}/`));
  });

  it('says why a port could not be forwarded', async () => {
    machine.authorize();
    await assert.rejects(ssh.forward('gpu-7', 8888), /Permission denied/);
  });
});
