import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { downloadServed } from '../../../src/ssh/hostDownload';
import type { OpenDaemon } from '../../../src/ssh/rsync/daemonCopy';
import { runProgram } from '../../../src/ssh/run';
import { FilesKeptError } from '../../../src/ssh/transfer';
import { formatText } from '../../../src/util/text';
import { FakeClock } from '../../support/fakeClock';
import { useFolder } from '../../support/useFolder';

describe('A download from a stopped instance', () => {
  let base = '';
  let config = '';
  useFolder((made) => void (base = made));
  beforeEach(() => {
    config = join(base, 'rsyncd.conf');
    const asRoot = process.getuid?.() === 0 ? ['uid = 0', 'gid = 0'] : [];
    const lines = ['use chroot = no', 'log file = /dev/null', ...asRoot, '[C.1]', `path = ${base}/disk`, ''];
    writeFileSync(config, lines.join('\n'));
    mkdirSync(join(base, 'disk'));
    mkdirSync(join(base, 'here'));
  });

  const serve: OpenDaemon = (options) =>
    runProgram('rsync', ['--server', '--daemon', `--config=${config}`, '.'], options);
  const put = (name: string, content = name) => {
    const file = join(base, 'disk', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    utimesSync(file, 1_700_000_000, 1_700_000_000);
  };
  const here = (name: string) => join(base, 'here', name);
  const fetch = (remote: string, options: Parameters<typeof downloadServed>[3] = {}, open = serve) =>
    downloadServed(
      { clock: new FakeClock(), platform: 'linux', module: 'C.1', open },
      remote,
      { path: join(base, 'here'), root: { chosen: join(base, 'here') } },
      options,
    );

  it('brings a folder with its links and times, and nothing beside it', async () => {
    put('root/project/a.txt');
    put('root/project/José/b 1.txt');
    put('root/other.txt');
    mkdirSync(join(base, 'disk/root/project/empty'));
    symlinkSync('a.txt', join(base, 'disk/root/project/inside'));
    symlinkSync('/etc/passwd', join(base, 'disk/root/project/outside'));
    const { files, bytes, leftOut } = await fetch('/root/project/');
    assert.deepEqual(
      [files, bytes],
      [2, 'root/project/a.txt'.length + Buffer.byteLength('root/project/José/b 1.txt')],
    );
    assert.deepEqual(
      leftOut.map(({ name }) => name),
      ['project/outside'],
    );
    assert.equal(readFileSync(here('project/José/b 1.txt'), 'utf8'), 'root/project/José/b 1.txt');
    assert.equal(readlinkSync(here('project/inside')), 'a.txt');
    assert.equal(statSync(here('project/a.txt')).mtimeMs, 1_700_000_000_000);
    assert.ok(statSync(here('project/empty')).isDirectory());
    assert.ok(!existsSync(here('other.txt')));
  });

  it('skips what is here, and asks before it replaces something else', async () => {
    put('root/project/a.txt');
    put('root/project/b.txt');
    await fetch('/root/project');
    let opened = 0;
    const counted: OpenDaemon = (options) => {
      opened += 1;
      return serve(options);
    };
    assert.equal((await fetch('/root/project', {}, counted)).files, 2);
    assert.equal(opened, 1, 'its list alone');
    writeFileSync(here('project/b.txt'), 'mine');
    let asked: readonly string[] = [];
    const mayReplace = (names: readonly string[]) => {
      asked = names;
      return Promise.resolve(false);
    };
    await assert.rejects(fetch('/root/project', { mayReplace }), FilesKeptError);
    assert.deepEqual(asked, ['project/b.txt']);
    assert.equal(readFileSync(here('project/b.txt'), 'utf8'), 'mine');
  });

  it('leaves out what a program acts on, until it is wanted', async () => {
    put('root/project/.git/config', '[core]');
    put('root/project/a.txt');
    assert.deepEqual(
      (await fetch('/root/project')).leftOut.map(({ name }) => name),
      ['project/.git'],
    );
    assert.ok(!existsSync(here('project/.git')));
    assert.deepEqual((await fetch('/root/project', { withActing: true })).leftOut, []);
    assert.ok(existsSync(here('project/.git/config')));
  });

  it('shows what the host answers where there is no such folder', async () => {
    await assert.rejects(fetch('/root/missing'), (error: { text: Parameters<typeof formatText>[0] }) =>
      /The host of the instance gave no files away: .*missing/.test(formatText(error.text)),
    );
  });
});
