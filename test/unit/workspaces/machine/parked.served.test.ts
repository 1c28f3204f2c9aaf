import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { OpenDaemon } from '../../../../src/ssh/rsync/daemonCopy';
import { runProgram } from '../../../../src/ssh/run';
import { TransferError } from '../../../../src/ssh/transfer';
import { UserError } from '../../../../src/util/errors';
import { formatText } from '../../../../src/util/text';
import {
  changedServed,
  listServed,
  lookAtServed,
  saveServed,
  type ServedFolder,
} from '../../../../src/workspaces/machine/parked/servedFolder';
import { factsOf, oddities, ParkedScene } from '../../../support/parkedScene';

/** What a host lists, whatever it is asked, and no file. */
function rsyncList(files: readonly { readonly name: string; readonly mode: number }[]): Buffer {
  const ints = (...values: readonly number[]) => {
    const bytes = Buffer.alloc(4 * values.length);
    values.forEach((value, at) => bytes.writeInt32LE(value, 4 * at));
    return bytes;
  };
  const list = files.map(({ name, mode }) =>
    // The first byte, with one more of flags, is never zero.
    Buffer.concat([
      Buffer.from([0x44, 0]),
      ints(name.length),
      Buffer.from(name),
      ints(1, 1_700_000_000, mode),
    ]),
  );
  const data = Buffer.concat([...list, Buffer.from([0]), ints(0, -1, -1, -1)]);
  const header = Buffer.alloc(4);
  header.writeUInt32LE(((7 << 24) | data.length) >>> 0);
  return Buffer.concat([Buffer.from('@RSYNCD: 31.0\n@RSYNCD: OK\n'), ints(7), header, data]);
}

describe('A folder of a stopped instance that its host serves', function () {
  this.timeout(60_000);
  let scene: ParkedScene;
  let logins = 0;

  beforeEach(() => {
    scene = new ParkedScene();
    logins = 0;
    const asRoot = process.getuid?.() === 0 ? ['uid = 0', 'gid = 0'] : [];
    const lines = ['use chroot = no', 'log file = /dev/null', ...asRoot, '[C.1]', 'path = /', ''];
    writeFileSync(join(scene.dir, 'rsyncd.conf'), lines.join('\n'));
  });
  afterEach(() => scene.dispose());

  const serve: OpenDaemon = (options) => {
    logins += 1;
    return runProgram(
      'rsync',
      ['--server', '--daemon', `--config=${join(scene.dir, 'rsyncd.conf')}`, '.'],
      options,
    );
  };
  /** The line is cut after so many bytes of an answer. */
  const cut =
    (after: number): OpenDaemon =>
    (options) => {
      const { output } = options;
      async function* some(bytes: AsyncIterable<Buffer>) {
        let left = after;
        for await (const piece of bytes) {
          yield piece.subarray(0, left);
          left -= piece.length;
          if (left <= 0) {
            return;
          }
        }
      }
      return serve(output ? { ...options, output: (bytes) => output(some(bytes)) } : options);
    };
  const folder = (open = serve, leftOut: readonly string[] = []): ServedFolder => ({
    served: { module: 'C.1', open },
    root: scene.root,
    leftOut,
  });
  const save = (from = folder(), more: Parameters<typeof saveServed>[2] = {}) =>
    saveServed(from, scene.folder, more);
  const proved = async () => {
    const manifest = await scene.pieces().saved();
    assert.ok(manifest);
    assert.deepEqual(await scene.pieces().proveHere(manifest), []);
    return manifest;
  };
  /** A host knows whole seconds, and neither holes nor that two names are one file. */
  const asServed = (facts: readonly string[]) =>
    facts
      .filter((line) => line !== '' && !/^\S+ \.\/\S* *\.\/|^\.\//.test(line))
      .map((line) => line.replace(/^(\w \d+) \d+ (\d+)\.\d+/, '$1 n $2'))
      .sort();

  it('is saved as a set, proved here, and placed whole on another instance', async () => {
    scene.make(oddities);
    scene.make('chmod 700 "em pty"; rm -f random; head -c 40000000 /dev/urandom >random');
    const before = asServed(factsOf(scene.there));
    const seen: number[] = [];
    assert.deepEqual(
      await save(folder(), { onProgress: ({ bytes, totalBytes }) => seen.push(bytes / totalBytes) }),
      [],
    );
    assert.ok(seen.length > 0 && Math.max(...seen) === 1);
    const manifest = await proved();
    assert.ok(!existsSync(join(scene.folder, 'arrived')));
    assert.deepEqual(await changedServed(folder(), manifest), []);
    renameSync(scene.there, `${scene.there}.old`);
    assert.deepEqual(await scene.pieces().place(manifest), { root: scene.root });
    assert.deepEqual(asServed(factsOf(scene.there)), before);
  });

  it('can be unpacked by tar alone', async () => {
    scene.make('mkdir d; echo one >d/a; ln -s a d/link; : >empty; touch -d @1700000000 d/a d empty .');
    await save();
    assert.deepEqual(asServed(factsOf(scene.unpack())), asServed(factsOf(scene.there)));
  });

  it('leaves out what the user leaves out, and tokens', async () => {
    scene.make('mkdir -p .venv/lib .hf_home; echo x >.venv/lib/a; echo t >.hf_home/token; echo one >.venvs');
    const look = await lookAtServed(folder());
    assert.deepEqual([look.secrets, look.unreadable], [['.hf_home/token'], []]);
    await save(folder(serve, ['.venv']));
    const { entries, leftOut } = await proved();
    assert.deepEqual(
      entries.map(({ name }) => name),
      ['', '.hf_home', '.venvs'],
    );
    assert.deepEqual(leftOut, ['.venv']);
  });

  it('continues after each cut with what has arrived', async () => {
    scene.make('for i in 1 2 3 4 5 6 7 8; do head -c 300000 /dev/urandom >f$i; done');
    for (let after = 100; ; after += 400_000) {
      const result = await save(folder(cut(after))).catch((error: unknown) => error);
      if (Array.isArray(result)) {
        assert.ok(after > 400_000);
        break;
      }
      assert.ok(result instanceof TransferError, String(result));
    }
    await proved();
  });

  it('fetches nothing twice, and an archive that was damaged here again', async () => {
    scene.make('echo one >a; head -c 40000000 /dev/urandom >large');
    await save();
    const manifest = await proved();
    logins = 0;
    assert.deepEqual(await save(), []);
    assert.equal(logins, 1, 'its list alone');
    const [damaged = ''] = readdirSync(scene.folder).filter(
      (name) => name.startsWith('files-') && statSync(join(scene.folder, name)).size > 1_000_000,
    );
    writeFileSync(join(scene.folder, damaged), 'x');
    assert.deepEqual(await scene.pieces().proveHere(manifest, undefined, true), ['large']);
    assert.deepEqual(await save(), []);
    await proved();
    assert.deepEqual(
      readdirSync(scene.folder).filter((name) => name.endsWith('.part')),
      [],
    );
  });

  it('is saved again where the host lists something else, and shows what that is', async () => {
    scene.make('echo one >a; echo two >b');
    await save();
    const manifest = await proved();
    scene.make('echo three >>b; rm a; echo four >c');
    const changed = (await changedServed(folder(), manifest)).filter((name) => name !== '');
    assert.deepEqual(changed.sort(), ['a', 'b', 'c']);
    assert.deepEqual(await save(), []);
    assert.deepEqual(
      (await proved()).entries.map(({ name }) => name),
      ['', 'b', 'c'],
    );
    assert.equal(readdirSync(scene.folder).filter((name) => name.startsWith('files-')).length, 1);
  });

  it('names a file that the host lists and does not give', async () => {
    scene.make('echo one >a; echo two >b');
    const there = (await listServed(folder())).map(({ name }) => name);
    assert.deepEqual(there, ['', 'a', 'b']);
    const open: OpenDaemon = (options) => {
      if (logins > 0) {
        rmSync(join(scene.there, 'b'), { force: true });
      }
      return serve(options);
    };
    logins = 0;
    assert.deepEqual(await save(folder(open)), ['b']);
  });

  it('is refused where the host lists names that lead out, twice, or below links', async () => {
    for (const names of [['../x'], ['/etc/x'], ['a/../x'], ['a', 'a'], ['d/x'], ['a', 'a/x']]) {
      const list = [{ name: '.', mode: 0o040_755 }, ...names.map((name) => ({ name, mode: 0o100_644 }))];
      const open: OpenDaemon = async ({ output }) => {
        await output?.(Readable.from([rsyncList(list)]));
        return { code: 0, stdout: '', stderr: '', timedOut: false };
      };
      await assert.rejects(save(folder(open)), UserError, names.join());
      assert.deepEqual(readdirSync(join(scene.folder, 'arrived')), []);
    }
  });

  it('is refused before this disk is full', async () => {
    scene.make('head -c 1000000 /dev/urandom >a');
    mkdirSync(scene.folder, { recursive: true });
    await assert.rejects(
      save(folder(), { free: () => Promise.resolve(201_000_000) }),
      (error) => error instanceof UserError && /2\.0 MB needed, 1\.0 MB free/.test(formatText(error.text)),
    );
  });
});
