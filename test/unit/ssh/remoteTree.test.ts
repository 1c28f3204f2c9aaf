import assert from 'node:assert/strict';
import { remoteTree, treeOf } from '../../../src/ssh/remoteTree';
import type { RunResult } from '../../../src/ssh/run';
import { beginMark } from '../../../src/ssh/transfer';
import { systemClock } from '../../../src/util/clock';
import { formatText } from '../../../src/util/text';

/** What a machine answers, in pieces of an odd length. */
async function tree(records: readonly string[], result: Partial<RunResult> = {}) {
  const bytes = Buffer.from(`motd\n${beginMark}${records.map((one) => `//${one}\n`).join('')}`);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 7) {
      yield await Promise.resolve(bytes.subarray(at, at + 7));
    }
  }
  const answer: RunResult = { code: 0, stdout: '', stderr: '', timedOut: false, ...result };
  const { entries, leftOut } = await remoteTree(
    {
      ssh: {
        exec: async (_alias, _script, options) => {
          await options?.output?.(pieces());
          return answer;
        },
      },
      clock: systemClock,
      platform: 'linux',
    },
    'gpu-1',
    '/workspace',
    'out',
    undefined,
  );
  return {
    names: entries.map(({ name, kind, size }) => `${kind} ${name} ${size}`),
    leftOut: leftOut.map(({ name, why }) => [name, formatText(why)]),
  };
}

const folder = '41ed 4096 1700000000 ./out';
const file = '81a4 12 1700000000 ./out/a b';

describe('what lies on a machine', () => {
  it('is named with its kind and size, for any name', async () => {
    const { names, leftOut } = await tree([
      folder,
      file,
      '81a4 3 1700000000 ./out/line\nbreak',
      '81a4 3 1700000000 ./out/José 机',
      'a1ff 4 -1 ./out/link',
    ]);
    assert.deepEqual(names, [
      'folder out 4096',
      'file out/a b 12',
      'file out/line\nbreak 3',
      'file out/José 机 3',
      'link out/link 4',
    ]);
    assert.deepEqual(leftOut, []);
  });

  it('is left out with its reason where its name leads elsewhere or it is no file', async () => {
    const { names, leftOut } = await tree([
      folder,
      '81a4 1 1700000000 ./out/../../etc/passwd',
      '81a4 1 1700000000 ./other',
      '11a4 0 1700000000 ./out/pipe',
    ]);
    assert.deepEqual(names, ['folder out 4096']);
    assert.deepEqual(
      leftOut.map(([name]) => name),
      ['out/../../etc/passwd', 'other', 'out/pipe'],
    );
    assert.equal(new Set(leftOut.map(([, why]) => why)).size, 2);
  });

  it('names a folder that could not be read, and nothing that was removed since it was named', async () => {
    const gone = "find: './out/gone': No such file or directory";
    const closed = "find: './out/private': Permission denied";
    assert.deepEqual((await tree([folder, file], { code: 1, stderr: gone })).leftOut, []);
    const { names, leftOut } = await tree([folder, file], { code: 1, stderr: `${gone}\n${closed}\n` });
    assert.deepEqual(names, ['folder out 4096', 'file out/a b 12']);
    assert.deepEqual(
      leftOut.map(([name]) => name),
      ['out/private'],
    );
    assert.match(leftOut[0]?.[1] ?? '', /Permission denied/);
  });

  it('is not whole where the machine ends without a reason', async () => {
    const { leftOut } = await tree([folder, file], { code: 137 });
    assert.equal(leftOut.length, 1);
  });

  it('is none if a record is none, or nothing arrived', async () => {
    await assert.rejects(tree([folder, 'not a record']));
    await assert.rejects(tree([], { code: 4, stderr: 'stat: no' }), /stat: no/);
  });
});

describe('names that a machine listed alone', () => {
  it('are after the folders they need, each once', () => {
    const kind = 'file' as const;
    const files = ['a/b/c', 'a/b/d', 'e'].map((name) => ({ name, kind, size: 1, modified: 0 }));
    assert.deepEqual(
      treeOf(files).entries.map((one) => `${one.kind} ${one.name}`),
      ['folder a', 'folder a/b', 'file a/b/c', 'file a/b/d', 'file e'],
    );
  });
});
