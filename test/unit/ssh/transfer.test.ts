import assert from 'node:assert/strict';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
  readdirSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { SshService } from '../../../src/ssh/service';
import type { Run } from '../../../src/ssh/run';
import { parseTree } from '../../../src/ssh/fileTree';
import {
  download,
  sftpQuote,
  TransferError,
  upload,
  UnusableNameError,
  type TransferProgress,
  LeftOutError,
} from '../../../src/ssh/transfer';
import { systemClock } from '../../../src/util/clock';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';

/** The same command with a limit on what it moves, in kilobits a second. */
function slowly(ssh: SshService, kilobits: number): SshService['sftpCommand'] {
  return (alias) => {
    const [program, ...args] = ssh.sftpCommand(alias);
    return [program, '-l', String(kilobits), ...args];
  };
}

describe('Moving data over SSH', () => {
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

  const deps = (platform = process.platform) => ({ run: home.run, ssh, clock: systemClock, platform });

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
    assert.deepEqual(
      progress.map(({ file }) => file),
      [...Array(names.length + 1).keys(), names.length].map((index) => index + 1),
    );
    assert.equal(progress[0]?.bytes, 0);
    assert.equal(progress.at(-1)?.bytes, progress.at(-1)?.totalBytes);
    assert.equal(progress.at(-1)?.totalBytes, Buffer.byteLength([...names, 'deep'].join('')));
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
    writeFileSync(join(remote, 'out', 'log.txt'), 'log', { mode: 0o755 });
    const local = join(home.root, 'down here');
    mkdirSync(local);
    const progress: TransferProgress[] = [];
    await download(deps(), 'gpu-7', join(remote, 'out'), local, {
      resume: false,
      onProgress: (step) => progress.push(step),
    });
    assert.equal(readFileSync(join(local, 'out', 'model.bin'), 'utf8'), 'weights-weights');
    assert.equal(statSync(join(local, 'out', 'log.txt')).mode & 0o111, 0);
    const steps = progress.map(
      ({ file, totalFiles, bytes, totalBytes }) => `${file}/${totalFiles} ${bytes}/${totalBytes}`,
    );
    // The machine lists them in the order that it likes.
    assert.match(steps.join(), /^1\/2 0\/18,2\/2 (?:3|15)\/18,2\/2 18\/18$/);
    writeFileSync(join(local, 'out', 'model.bin'), 'WEIGHTS-');
    await download(deps(), 'gpu-7', join(remote, 'out'), local, { resume: true });
    assert.equal(readFileSync(join(local, 'out', 'model.bin'), 'utf8'), 'WEIGHTS-weights');
  });

  it('writes no name that Windows takes for something else, and says which', async () => {
    const bad = ['con', 'NUL.txt', 'a:b', 'x.', 'y ', 'com1.log', 'q?'];
    mkdirSync(join(remote, 'out', 'aux'), { recursive: true });
    writeFileSync(join(remote, 'out', 'aux', 'in.txt'), 'x');
    for (const name of [...bad, 'contents', 'a.con']) {
      writeFileSync(join(remote, 'out', name), name);
    }
    const local = join(home.root, 'here');
    mkdirSync(local);
    await assert.rejects(
      download(deps('win32'), 'gpu-7', join(remote, 'out'), local, { resume: false }),
      (error) => error instanceof LeftOutError && bad.every((name) => error.message.includes(`/${name}"`)),
    );
    assert.deepEqual(readdirSync(join(local, 'out')).sort(), ['a.con', 'contents']);
  });

  it('tells the bytes of a large file while they come and go, and takes up what was cancelled', async () => {
    const size = 12_000_000;
    const big = join(home.root, 'big.bin');
    writeFileSync(big, Buffer.alloc(size, 7));
    // So slow that it takes some seconds, and no faster on a quick computer.
    const slow = { ...ssh, exec: ssh.exec.bind(ssh), sftpCommand: slowly(ssh, 4_000) };
    const down = join(home.root, 'down');
    mkdirSync(down);
    const far = join(remote, 'big.bin');
    const near = join(down, 'big.bin');
    const both = {
      up: {
        file: far,
        go: (resume: boolean, more: object) =>
          upload({ ...deps(), ssh: resume ? ssh : slow }, 'gpu-7', [big], remote, { resume, ...more }),
      },
      down: {
        file: near,
        go: (resume: boolean, more: object) =>
          download({ ...deps(), ssh: resume ? ssh : slow }, 'gpu-7', far, down, { resume, ...more }),
      },
    };
    for (const { file, go } of [both.up, both.down]) {
      const seen: number[] = [];
      const stop = new AbortController();
      const onProgress = ({ bytes, totalBytes }: TransferProgress) => {
        assert.equal(totalBytes, size);
        seen.push(bytes);
        if (bytes > 0) {
          stop.abort();
        }
      };
      await assert.rejects(go(false, { signal: stop.signal, onProgress }), { name: 'CancelledError' });
      const middle = statSync(file).size;
      assert.ok(middle > 0 && middle < size, String(middle));
      assert.ok(
        seen.some((bytes) => bytes > 0 && bytes < size),
        seen.join(),
      );
      // What is there stays: it is marked, and the mark must survive.
      const handle = openSync(file, 'r+');
      writeSync(handle, 'MARK', 0);
      closeSync(handle);
      await go(true, {});
      const content = readFileSync(file);
      assert.equal(content.length, size);
      assert.equal(content.subarray(0, 4).toString(), 'MARK');
      assert.ok(content.subarray(4).every((byte) => byte === 7));
    }
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

  it('is not taken in by another program that comes first at the port', async () => {
    const thief = createServer((_, response) => response.end('not the machine'));
    const run: Run = async (program, args, options) => {
      const port = /^127\.0\.0\.1:(\d+):/.exec(args[args.indexOf('-L') + 1] ?? '')?.[1];
      if (args.includes('-L')) {
        thief.listen(Number(port), '127.0.0.1');
        await new Promise((resolve) => thief.once('listening', resolve));
      }
      return home.run(program, args, options);
    };
    try {
      await assert.rejects(home.service({ run }).forward('gpu-7', 18_888), /in use|could not be forwarded/i);
    } finally {
      thief.close();
    }
  });

  it('says why a port could not be forwarded', async () => {
    machine.authorize();
    await assert.rejects(ssh.forward('gpu-7', 8888), /Permission denied/);
  });
});
