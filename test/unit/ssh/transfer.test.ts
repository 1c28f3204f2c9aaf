import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { chosenFiles } from '../../../src/ssh/fileTree';
import { FilesKeptError, partName, TransferError, type TransferProgress } from '../../../src/ssh/transfer';
import { upload } from '../../../src/ssh/upload';
import { systemClock } from '../../../src/util/clock';
import { sized } from '../../support/seeded';
import type { SshHome } from '../../support/sshHome';
import type { SshMachine } from '../../support/sshMachine';
import { fill, named, useTransfers, type TransferScene } from '../../support/transfers';

/** What a name can be on the machine and here. */
const oddNames = [
  'plain.txt',
  "it's.txt",
  'a b.txt',
  'star*.txt',
  '[x].txt',
  'q"uote.txt',
  '-dash',
  '--help',
  'ä.txt',
  '日本.txt',
  '$(touch x)',
  'a:b',
  'tab\there',
  'back\\slash',
  'back\\nslash',
  'line\nend',
  'end\n',
  ' blank ',
  'n'.repeat(255),
  `${'long/'.repeat(30)}deep.txt`,
  `${'ü'.repeat(60)}/ö.txt`,
];

describe('Moving files over SSH', () => {
  const scene = useTransfers();
  const up: TransferScene['up'] = (...parts) => scene().up(...parts);
  const down: TransferScene['down'] = (...parts) => scene().down(...parts);
  let home: SshHome;
  let machine: SshMachine;
  let remote: string;
  let local: string;

  beforeEach(() => {
    ({ home, machine, remote, local } = scene());
  });

  /** Both ways with what differs between them. */
  const ways = {
    up: { from: () => local, to: () => remote, go: up },
    down: { from: () => remote, to: () => local, go: down },
  };
  for (const [way, { from, to, go }] of Object.entries(ways)) {
    it(`moves files of any name (${way})`, async () => {
      const data = join(from(), 'my data');
      fill(data, oddNames);
      mkdirSync(join(data, 'empty folder'));
      writeFileSync(join(data, 'empty'), '');
      const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256));
      writeFileSync(join(data, 'binary'), bytes);
      utimesSync(join(data, 'binary'), 1_700_000_000, 1_700_000_000);
      const outcome = await go(data);
      assert.deepEqual(outcome.leftOut, []);
      assert.equal(outcome.files, oddNames.length + 2);
      const there = join(to(), 'my data');
      for (const name of oddNames) {
        assert.equal(readFileSync(join(there, name), 'utf8'), name);
      }
      assert.ok(statSync(join(there, 'empty folder')).isDirectory());
      assert.equal(statSync(join(there, 'empty')).size, 0);
      assert.deepEqual(readFileSync(join(there, 'binary')), bytes);
      assert.equal(statSync(join(there, 'binary')).mtimeMs, 1_700_000_000_000);
      assert.deepEqual(
        readdirSync(there).filter((name) => name.endsWith('.part')),
        [],
      );
    });

    it(`loses none of many small files (${way})`, async () => {
      const data = join(from(), 'many');
      // Their list is longer than a million characters, which is what is kept of a program's output elsewhere.
      const count = sized(1_100, 25_000);
      const deep = `${'x'.repeat(230)}/`.repeat(4);
      const name = (index: number) => `${deep}folder ${index % 40}/${index}.txt`;
      fill(
        data,
        Array.from({ length: count }, (_, index) => name(index)),
      );
      const outcome = await go(data);
      assert.deepEqual([outcome.files, outcome.leftOut], [count, []]);
      const found = readdirSync(join(to(), 'many'), { recursive: true, encoding: 'utf8' });
      assert.equal(found.filter((path) => path.endsWith('.txt')).length, count);
      const { leftOut, files } = await go(data);
      assert.deepEqual([files, leftOut], [count, []]);
    });

    it(`keeps links that lead to what is moved as well, and names the others (${way})`, async () => {
      const data = join(from(), 'data');
      fill(data, ['blobs/one', 'top']);
      mkdirSync(join(data, 'models', 'a'), { recursive: true });
      const good = { 'models/a/link': '../../blobs/one', self: 'top', folder: './blobs', chain: 'self' };
      const bad = {
        absolute: '/etc/passwd',
        above: '../../x',
        nothing: 'missing',
        through: 'folder/../../x',
      };
      for (const [name, target] of Object.entries({ ...good, ...bad })) {
        symlinkSync(target, join(data, name));
      }
      execFileSync('mkfifo', [join(data, 'pipe')]);
      const outcome = await go(data);
      assert.deepEqual(
        Object.keys(named(outcome)).sort(),
        [...Object.keys(bad), 'pipe'].map((name) => `data/${name}`).sort(),
      );
      assert.match(named(outcome)['data/absolute'] ?? '', /link that leads out/);
      assert.match(named(outcome)['data/pipe'] ?? '', /neither a file nor a folder/);
      for (const [name, target] of Object.entries(good)) {
        assert.equal(readlinkSync(join(to(), 'data', name)), target);
      }
      assert.equal(readFileSync(join(to(), 'data', 'models/a/link'), 'utf8'), 'blobs/one');
      for (const name of [...Object.keys(bad), 'pipe']) {
        assert.ok(!readdirSync(join(to(), 'data')).includes(name), name);
      }
    });

    it(`leaves what is there in the same version, and moves what changed (${way})`, async () => {
      const data = join(from(), 'data');
      fill(data, ['same', 'changed', 'longer', 'new']);
      await go(data);
      const there = (name: string) => join(to(), 'data', name);
      // Content alone does not show, so that what was left can be told from what came again.
      const { atimeMs, mtimeMs } = statSync(there('same'));
      writeFileSync(there('same'), 'SAME');
      utimesSync(there('same'), atimeMs / 1000, mtimeMs / 1000);
      writeFileSync(join(data, 'changed'), 'CHANGED');
      utimesSync(join(data, 'changed'), 1_700_000_000, 1_700_000_000);
      appendFileSync(join(data, 'longer'), ' more');
      const counts: string[] = [];
      const outcome = await go(data, {
        onProgress: ({ file, totalFiles }) => counts.push(`${file} of ${totalFiles}`),
      });
      assert.deepEqual(outcome.leftOut, []);
      assert.deepEqual(
        ['same', 'changed', 'longer', 'new'].map((name) => readFileSync(there(name), 'utf8')),
        ['SAME', 'CHANGED', 'longer more', 'new'],
      );
      assert.deepEqual([counts[0], counts.at(-1)], ['1 of 2', '2 of 2']);
    });

    it(`continues in the middle of a large file, and never with the part of another version (${way})`, async () => {
      const data = join(from(), 'data');
      fill(data, ['part', 'old', 'small']);
      const version = (name: string) => {
        const { size, mtimeMs } = statSync(join(data, name));
        return { size, modified: Math.floor(mtimeMs / 1000) };
      };
      mkdirSync(join(to(), 'data'));
      writeFileSync(join(to(), partName('data/part', version('part'))), 'PA');
      writeFileSync(join(to(), partName('data/old', { size: 9, modified: 1 })), 'OL');
      const outcome = await go(data, {}, { singleBytes: 3 });
      assert.deepEqual(outcome.leftOut, []);
      const content = (name: string) => readFileSync(join(to(), 'data', name), 'utf8');
      assert.deepEqual(['part', 'old', 'small'].map(content), ['PArt', 'old', 'small']);
    });

    it(`continues after the connection broke (${way})`, async () => {
      const data = join(from(), 'data');
      const names = Array.from({ length: sized(300, 3_000) }, (_, index) => `small ${index}`);
      fill(data, names);
      writeFileSync(join(data, 'large'), Buffer.alloc(8_000_000, 7));
      const stop = new AbortController();
      let seen = 0;
      const onProgress = ({ bytes, totalBytes }: TransferProgress) => {
        assert.ok(bytes >= seen && totalBytes > 8_000_000);
        seen = bytes;
        if (bytes > 1_000_000) {
          stop.abort();
        }
      };
      const cut = go(data, { signal: stop.signal, onProgress }, { singleBytes: 4_000_000 });
      await assert.rejects(cut, { name: 'CancelledError' });
      const port = machine.port;
      await machine.stop();
      await assert.rejects(go(data), (error) => error instanceof TransferError);
      await machine.start({ port });
      const outcome = await go(data, {}, { singleBytes: 4_000_000 });
      assert.deepEqual([outcome.files, outcome.leftOut], [names.length + 1, []]);
      assert.ok(readFileSync(join(to(), 'data', 'large')).equals(Buffer.alloc(8_000_000, 7)));
      assert.deepEqual(
        readdirSync(join(to(), 'data')).filter((name) => name.endsWith('.part')),
        [],
      );
    });

    it(`names what can’t be written at the target, and moves the rest (${way})`, async () => {
      const data = join(from(), 'data');
      fill(data, ['a', 'taken', 'z']);
      mkdirSync(join(to(), 'data', 'taken', 'full'), { recursive: true });
      const outcome = await go(data);
      assert.deepEqual(Object.keys(named(outcome)), ['data/taken']);
      assert.equal(outcome.files, 2);
      assert.equal(readFileSync(join(to(), 'data', 'z'), 'utf8'), 'z');
    });

    it(`moves a single file, also through a link (${way})`, async () => {
      writeFileSync(join(from(), 'model.bin'), 'weights');
      symlinkSync('model.bin', join(from(), 'link to it'));
      assert.equal((await go(join(from(), 'link to it'))).files, 1);
      assert.equal(readFileSync(join(to(), 'link to it'), 'utf8'), 'weights');
    });
  }

  it('asks before a folder or a link replaces a file there', async () => {
    fill(join(remote, 'data'), ['latest', 'models', 'other']);
    fill(join(local, 'data'), ['run-1', 'models/a']);
    symlinkSync('run-1', join(local, 'data', 'latest'));
    let asked: readonly string[] = [];
    const mayReplace = (names: readonly string[]) => {
      asked = names;
      return Promise.resolve(false);
    };
    await assert.rejects(up(join(local, 'data'), { mayReplace }), FilesKeptError);
    assert.deepEqual([...asked].sort(), ['data/latest', 'data/models']);
    assert.equal(readFileSync(join(remote, 'data', 'latest'), 'utf8'), 'latest');
  });

  it('makes nothing executable here, and keeps programs so there', async () => {
    fill(join(remote, 'out'), ['tool']);
    chmodSync(join(remote, 'out', 'tool'), 0o755);
    await down(join(remote, 'out'));
    assert.equal(statSync(join(local, 'out', 'tool')).mode & 0o111, 0);
    chmodSync(join(local, 'out', 'tool'), 0o755);
    fill(join(local, 'out'), ['data']);
    await up(join(local, 'out'), {}, { singleBytes: 1 });
    assert.equal(statSync(join(remote, 'out', 'data')).mode & 0o111, 0);
  });

  for (const [size, conditions] of Object.entries({ small: {}, large: { singleBytes: 1 } })) {
    it(`keeps from others here what is private on the machine (${size})`, async () => {
      fill(join(remote, 'out'), ['token', 'closed/inner', 'public']);
      chmodSync(join(remote, 'out', 'token'), 0o600);
      chmodSync(join(remote, 'out', 'closed'), 0o700);
      await down(join(remote, 'out'), {}, conditions);
      const forOthers = (...names: readonly string[]) =>
        (statSync(join(local, 'out', ...names)).mode & 0o077).toString(8);
      assert.deepEqual(
        ['token', 'closed'].map((name) => forOthers(name)),
        ['0', '0'],
      );
      assert.notEqual(forOthers('public'), '0');
      chmodSync(join(remote, 'out', 'public'), 0o400);
      await down(join(remote, 'out', 'public'), {}, conditions);
      assert.equal(statSync(join(local, 'public')).mode & 0o777, 0o600);
    });
  }

  it('brings both names of one file', async () => {
    fill(join(remote, 'out'), ['one']);
    linkSync(join(remote, 'out', 'one'), join(remote, 'out', 'two'));
    const outcome = await down(join(remote, 'out'));
    assert.deepEqual([outcome.files, outcome.leftOut], [2, []]);
    assert.equal(readFileSync(join(local, 'out', 'two'), 'utf8'), 'one');
  });

  it('explains why nothing was moved, and stops when its signal is aborted', async () => {
    await assert.rejects(
      down(join(remote, 'nothing')),
      (error) => error instanceof TransferError && /No such file/.test(error.message),
    );
    // The target folder is created where nothing is in its place.
    fill(remote, ['nowhere']);
    await assert.rejects(
      upload(
        { ssh: scene().ssh, clock: systemClock, platform: process.platform },
        'gpu-7',
        await chosenFiles([home.sshDir]),
        join(remote, 'nowhere'),
        {},
      ),
      (error) => error instanceof TransferError && /nowhere/.test(error.message),
    );
    await assert.rejects(up(home.sshDir, { signal: AbortSignal.abort() }), { name: 'CancelledError' });
  });

  it('writes no name that has another meaning on Windows, and names them', async () => {
    const bad = ['con', 'NUL.txt', 'a:b', 'x.', 'y ', 'com1.log', 'q?', 'tab\t', 'back\\slash'];
    fill(join(remote, 'out'), [...bad, 'contents', 'a.con', 'aux/in.txt', 'Case', 'case']);
    const outcome = await down(join(remote, 'out'), {}, { platform: 'win32' as const });
    assert.deepEqual(
      Object.keys(named(outcome))
        .filter((name) => !/case$/i.test(name))
        .sort(),
      [...bad, 'aux', 'aux/in.txt'].map((name) => `out/${name}`).sort(),
    );
    assert.equal(Object.values(named(outcome)).filter((why) => /has the same name as/.test(why)).length, 1);
    assert.deepEqual(
      readdirSync(join(local, 'out'))
        .filter((name) => !/^case$/i.test(name))
        .sort(),
      ['a.con', 'contents'],
    );
  });
});
