import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyFromDaemon, type OpenDaemon } from '../../../../src/ssh/rsync/daemonCopy';
import type { ListedFile } from '../../../../src/ssh/rsync/fileList';
import { runProgram } from '../../../../src/ssh/run';
import { useFolder } from '../../../support/useFolder';

describe('Files of a real rsync daemon', () => {
  let base = '';
  let config = '';
  useFolder((made) => void (base = made));
  beforeEach(() => {
    config = join(base, 'rsyncd.conf');
    const asRoot = process.getuid?.() === 0 ? ['uid = 0', 'gid = 0'] : [];
    const lines = ['use chroot = no', 'log file = /dev/null', ...asRoot, '[C.1]', `path = ${base}/disk`, ''];
    writeFileSync(config, lines.join('\n'));
    mkdirSync(join(base, 'disk'));
  });

  const open: OpenDaemon = (options) =>
    runProgram('rsync', ['--server', '--daemon', `--config=${config}`, '.'], options);
  const put = (name: string, content: string | Buffer = name) => {
    const file = join(base, 'disk', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    utimesSync(file, 1_700_000_000, 1_700_000_000);
  };
  async function fetchAll(folder = '/job', choose = (files: readonly ListedFile[]) => files) {
    const came = new Map<string, string>();
    let listed: readonly ListedFile[] = [];
    await copyFromDaemon(open, {
      module: 'C.1',
      folder,
      choose: (files) => {
        listed = files;
        return choose(files).filter(({ kind }) => kind === 'file');
      },
      write: async (file, content) => {
        const pieces: Buffer[] = [];
        for await (const piece of content) {
          pieces.push(piece);
        }
        came.set(file.path.toString(), Buffer.concat(pieces).toString('latin1'));
      },
    });
    return { came, listed };
  }

  it('have each their own content, in any order of their names', async () => {
    const names = [
      'a',
      'a.b/c',
      'a-b/c',
      'ab',
      'd/a/x',
      'd/a.b',
      'd/a-/y',
      'd.e',
      'd-',
      'José/ß 1.txt',
      '.hidden/.x',
      '..a/b',
      '[glob]*?',
      'it\'s $(x) `y` "z"',
      'line\nend',
      'empty',
      `long/${'n'.repeat(250)}`,
      `${'deep/'.repeat(40)}end`,
    ];
    for (const name of names) {
      put(`job/${name}`, name === 'empty' ? '' : `content of ${name}`);
    }
    const { came, listed } = await fetchAll();
    assert.deepEqual([...came.keys()].sort(), [...names].sort());
    for (const name of names) {
      const content = Buffer.from(name === 'empty' ? '' : `content of ${name}`).toString('latin1');
      assert.equal(came.get(name), content, name);
    }
    const one = listed.find(({ path }) => path.toString() === 'ab');
    assert.deepEqual([one?.kind, one?.size, one?.modified], ['file', 13, 1_700_000_000]);
  });

  it('are copied alone if others are not wanted, and name where links lead', async () => {
    for (let index = 0; index < 300; index += 1) {
      put(`job/${index % 7}/${index}`);
    }
    symlinkSync('0/0', join(base, 'disk', 'job', 'link'));
    const { came, listed } = await fetchAll('/job', (files) =>
      files.filter(({ path }) => path.toString().endsWith('99')),
    );
    assert.deepEqual([...came.values()].sort(), ['job/1/99', 'job/3/199', 'job/5/299']);
    assert.deepEqual(
      listed.filter(({ kind }) => kind === 'link').map(({ path, target }) => [path.toString(), target]),
      [['link', '0/0']],
    );
  });

  it('may be larger than one piece, and larger than four bytes can count', async () => {
    const large = Buffer.alloc(3_000_000, 'abcdefghijk');
    put('job/large', large);
    put('job/huge');
    truncateSync(join(base, 'disk', 'job', 'huge'), 5_000_000_000);
    const { came, listed } = await fetchAll('/job', (files) =>
      files.filter(({ path }) => path.toString() === 'large'),
    );
    assert.ok(came.get('large') === large.toString('latin1'));
    assert.equal(listed.find(({ path }) => path.toString() === 'huge')?.size, 5_000_000_000);
  });

  it('go on after one that was not taken to its end', async () => {
    put('job/a', Buffer.alloc(400_000, 'a'));
    put('job/b', 'b');
    let came = '';
    await copyFromDaemon(open, {
      module: 'C.1',
      folder: '/job',
      choose: (files) => files.filter(({ kind }) => kind === 'file'),
      write: async (file, content) => {
        for await (const piece of content) {
          if (file.path.toString() === 'a') {
            return;
          }
          came += piece.toString();
        }
      },
    });
    assert.equal(came, 'b');
  });

  it('explain in one message why they were not copied', async () => {
    await assert.rejects(fetchAll('/gone'), /gave no files away: .*No such file/);
    await assert.rejects(
      copyFromDaemon(open, {
        module: 'C.2',
        folder: '/job',
        choose: () => [],
        write: () => Promise.resolve(),
      }),
      /gave no files away: @ERROR: Unknown module/,
    );
    const deaf: OpenDaemon = (options) =>
      runProgram('sh', ['-c', 'echo "Permission denied" >&2; exit 255'], options);
    await assert.rejects(
      copyFromDaemon(deaf, {
        module: 'C.1',
        folder: '/job',
        choose: () => [],
        write: () => Promise.resolve(),
      }),
      /gave no files away: Permission denied/,
    );
  });
});
