import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createStoppedMachine } from '../../../../../src/jobs/machine/stoppedMachine';
import { downloadServed } from '../../../../../src/ssh/hostDownload';
import type { OpenDaemon } from '../../../../../src/ssh/rsync/daemonCopy';
import { TransferError } from '../../../../../src/ssh/transfer';
import { formatText } from '../../../../../src/util/text';
import { FakeClock } from '../../../../support/fakeClock';
import { openedFolder } from '../../../../support/openedFolder';
import { useFolder } from '../../../../support/useFolder';

interface Sent {
  readonly name: string;
  readonly content: string;
  /** Where it differs from what is sent. */
  readonly listedSize?: number;
  readonly index?: number;
  readonly mode?: number;
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function framed(data: Buffer, kind = 0): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32LE((((kind + 7) << 24) | data.length) >>> 0);
  return Buffer.concat([header, data]);
}

/** What a host may answer, whatever it is asked. The files come in the order in which they are counted. */
function hostOf(files: readonly Sent[], wanted: (file: Sent) => boolean, problems = 0): Buffer {
  const list = files.map(({ name, content, listedSize, mode = 0o100_644 }) => {
    const path = Buffer.from(name);
    return Buffer.concat([
      // The first byte, with one more of flags, is never zero.
      Buffer.from([0x44, 0]),
      int(path.length),
      path,
      int(listedSize ?? content.length),
      int(1_700_000_000),
      int(mode),
    ]);
  });
  const sent = files.flatMap((file, at) =>
    wanted(file)
      ? [
          int(file.index ?? at),
          Buffer.from([0, 0x80]),
          Buffer.alloc(16),
          ...(file.content === '' ? [] : [int(file.content.length), Buffer.from(file.content)]),
          int(0),
          Buffer.alloc(16),
        ]
      : [],
  );
  const data = Buffer.concat([...list, Buffer.from([0]), int(problems), ...sent, int(-1), int(-1), int(-1)]);
  return Buffer.concat([Buffer.from('Welcome.\n@RSYNCD: 31.0\n@RSYNCD: OK\n'), int(7), framed(data)]);
}

describe('A host that gives away what it likes', () => {
  const patterns = ['out/**'];
  let base = '';
  let into = '';
  useFolder((made) => void (base = made));
  beforeEach(() => {
    into = join(base, 'a', 'outputs');
    mkdirSync(into, { recursive: true });
  });

  /** Each answer is for one question, the last one for all that follow. */
  function machineOf(...answers: readonly Buffer[]) {
    return machineHere('linux', ...answers);
  }

  function machineHere(platform: NodeJS.Platform, ...answers: readonly Buffer[]) {
    let asked = 0;
    const open: OpenDaemon = async ({ output }) => {
      const answer = answers[Math.min(asked, answers.length - 1)] ?? Buffer.alloc(0);
      asked += 1;
      await output?.(Readable.from([answer]));
      return { code: 0, stdout: '', stderr: '', timedOut: false };
    };
    return createStoppedMachine({
      clock: new FakeClock(),
      platform,
      module: 'C.1',
      open,
      onFetched: () => undefined,
    });
  }

  const hostile: readonly Sent[] = [
    { name: 'src/out/../../../up', content: 'up' },
    { name: 'src/out//b', content: 'b' },
    { name: 'src/out/line\nend', content: 'l' },
    { name: 'src/out/good', content: 'good' },
  ];

  it('puts nothing beside the folder, for any names it sends, and each is reported', async () => {
    const machine = machineOf(hostOf(hostile, () => false));
    const list = await machine.outputs('ab', patterns);
    assert.deepEqual(
      list.files.map(({ path }) => path),
      ['out/good'],
    );
    assert.deepEqual(list.leftOut.map(({ name, why }) => [name, formatText(why)]).sort(), [
      ['out/../../../up', 'a name that leads out of the folder'],
      ['out//b', 'a name that leads out of the folder'],
      ['out/line\nend', 'a name with control characters'],
    ]);
    assert.equal(list.areHashed, false);
  });

  it('brings no file that the job does not name or that runs here, with and without a list', async () => {
    const files = [
      { name: 'src/out/good', content: 'good' },
      { name: 'src/out/.git/config', content: 'evil' },
      { name: 'src/.git/config', content: 'evil' },
      { name: 'src/train.py', content: 'evil' },
    ];
    const records = files.map(({ name }) => `//81a4 4 1700000000 ./${name.slice('src/'.length)}\n`);
    const list = { name: 'outputs.list', content: `${records.join('')}//unhashed\n//end\n` };
    for (const [there, leftOut] of [
      [files, ['out/.git']],
      [
        [list, ...files],
        ['out/.git', '.git', 'train.py'],
      ],
    ] as const) {
      const machine = machineOf(
        hostOf(there, ({ name }) => name === 'outputs.list'),
        hostOf([{ name: 'out/good', content: 'good' }], () => true),
      );
      const outcome = await machine.fetch('ab', await machine.outputs('ab', patterns), openedFolder(into));
      assert.deepEqual(
        outcome.leftOut.map(({ name }) => name),
        leftOut,
      );
      assert.deepEqual(readdirSync(into), ['out']);
      assert.deepEqual(readdirSync(join(into, 'out')), ['good']);
    }
  });

  it('is not believed where it sends more than it listed, or what was not asked for', async () => {
    const listed = hostOf([{ name: 'src/out/good', content: 'good' }], () => false);
    for (const answer of [
      { name: 'out/good', content: 'good and more', listedSize: 4 },
      { name: 'out/good', content: 'good', index: 5 },
    ]) {
      const machine = machineOf(
        listed,
        hostOf([answer], () => true),
      );
      const list = await machine.outputs('ab', patterns);
      await assert.rejects(machine.fetch('ab', list, openedFolder(into)), /sent what was not asked for/);
      assert.ok(!existsSync(join(into, 'out', 'good')));
    }
  });

  it('gets no file asked for that it lists as larger than the list that counts', async () => {
    const listed = hostOf([{ name: 'src/out/good', content: 'good' }], () => false);
    const machine = machineOf(
      listed,
      hostOf([{ name: 'out/good', content: 'good and more' }], () => false),
    );
    const list = await machine.outputs('ab', patterns);
    const { files, leftOut } = await machine.fetch('ab', list, openedFolder(into));
    assert.deepEqual([files, leftOut.map(({ name }) => name)], [0, ['out/good']]);
    assert.deepEqual(readdirSync(join(into, 'out')), []);
  });

  it('has the log from where it still is, and shows where it begins', async () => {
    const notes = [
      { name: 'log', content: 'new lines\n' },
      { name: 'log.1', content: 'old lines\n' },
      { name: 'log.base', content: '30' },
      { name: 'phase', content: 'running\n' },
    ];
    const check = async (offset: number, ...files: readonly Sent[]) => {
      const { log, phase } = await machineOf(hostOf(files, ({ name }) => name !== 'src')).check(
        'ab',
        offset,
        0,
      );
      return [phase, log.piece.toString(), log.offset];
    };
    // `log.base` counts the bytes before `log`.
    assert.deepEqual(await check(0, ...notes), ['running', 'old lines\nnew lines\n', 40]);
    assert.deepEqual(await check(20, ...notes), ['running', 'old lines\nnew lines\n', 40]);
    assert.deepEqual(await check(35, ...notes), ['running', 'ines\n', 40]);
    assert.deepEqual(await check(99, ...notes), ['running', '', 40]);
    const without = notes.filter(({ name }) => name !== 'log.1');
    assert.deepEqual(await check(0, ...without), ['running', 'new lines\n', 40]);
    assert.deepEqual(await check(0, { name: 'log', content: 'all\n' }), ['none', 'all\n', 4]);
    assert.deepEqual(await check(0, { name: 'src', content: '' }), ['synced', '', 0]);
    const reserved = { name: 'phase', content: 'reserved 1' };
    assert.deepEqual((await check(0, reserved))[0], 'none');
  });

  it('brings a file whole or not at all', async () => {
    const listed = hostOf([{ name: 'src/out/good', content: 'good' }], () => false);
    const less = hostOf([{ name: 'out/good', content: 'go', listedSize: 4 }], () => true);
    const machine = machineOf(listed, less);
    const { leftOut } = await machine.fetch('ab', await machine.outputs('ab', patterns), openedFolder(into));
    assert.deepEqual(
      leftOut.map(({ name, why }) => [name, formatText(why)]),
      [['out/good', 'did not arrive']],
    );
    assert.deepEqual(readdirSync(join(into, 'out')), []);
    const whole = machineOf(
      listed,
      hostOf([{ name: 'out/good', content: 'good' }], () => true),
    );
    const outcome = await whole.fetch('ab', await whole.outputs('ab', patterns), openedFolder(into));
    assert.deepEqual([outcome.files, outcome.bytes, outcome.leftOut], [1, 4, []]);
    assert.equal(readFileSync(join(into, 'out', 'good'), 'utf8'), 'good');
  });

  it('brings a file that only its owner can read as one that only you can read', async () => {
    const files = (folder: string) => [
      { name: `${folder}out/public`, content: 'x' },
      { name: `${folder}out/token`, content: 'x', mode: 0o100_600 },
    ];
    const machine = machineOf(
      hostOf(files('src/'), () => false),
      hostOf(files(''), () => true),
    );
    await machine.fetch('ab', await machine.outputs('ab', patterns), openedFolder(into));
    const forOthers = (name: string) => statSync(join(into, 'out', name)).mode & 0o077;
    assert.equal(forOthers('token'), 0);
    assert.notEqual(forOthers('public'), 0);
  });

  it('is not taken at its word where it could not read all that is there', async () => {
    const files = [{ name: 'src/out/good', content: 'good' }];
    await assert.rejects(machineOf(hostOf(files, () => false, 1)).outputs('ab', patterns), TransferError);
    const unsent = [{ name: 'outputs.list', content: 'list' }, ...files];
    await assert.rejects(machineOf(hostOf(unsent, () => false)).outputs('ab', patterns), /can’t be read/);
  });

  for (const [platform, names, said] of [
    ['darwin', ['out/GOOD', 'out/good'], 'has the same name as out/GOOD on this computer'],
    ['win32', ['out/good', 'out/good:stream'], 'a name that Windows does not allow'],
  ] as const) {
    it(`writes no file over another where ${platform} has one name for both`, async () => {
      const sent = (prefix: string) => names.map((name) => ({ name: `${prefix}${name}`, content: name }));
      const machine = machineHere(
        platform,
        hostOf(sent('src/'), () => false),
        hostOf(sent(''), ({ name }) => name === names[0]),
      );
      const { files, leftOut } = await machine.fetch(
        'ab',
        await machine.outputs('ab', patterns),
        openedFolder(into),
      );
      assert.deepEqual(
        [files, ...leftOut.map(({ name, why }) => [name, formatText(why)])],
        [1, [names[1], said]],
      );
      assert.equal(readFileSync(join(into, names[0]), 'utf8'), names[0]);
    });
  }

  it('gives no file its name that has another hash than the job listed', async () => {
    const listed = hostOf([{ name: 'src/out/good', content: 'good' }], () => false);
    const machine = machineOf(
      listed,
      hostOf([{ name: 'out/good', content: 'evil' }], () => true),
    );
    const list = await machine.outputs('ab', patterns);
    const sha256 = createHash('sha256').update('good').digest('hex');
    const hashed = { ...list, files: list.files.map((file) => ({ ...file, sha256 })) };
    const { leftOut } = await machine.fetch('ab', hashed, openedFolder(into));
    assert.deepEqual(
      leftOut.map(({ why }) => formatText(why)),
      ['arrived with other content than the instance listed'],
    );
    assert.deepEqual(readdirSync(join(into, 'out')), []);
  });

  it('gets no more than a sentence shown if its bytes are no copy', async () => {
    for (const bytes of [
      Buffer.from('HTTP/1.1 200 OK\r\n\r\n'),
      Buffer.from('@RSYNCD: 31.0\n@ERROR: max connections (2) reached\n'),
      Buffer.concat([Buffer.from('@RSYNCD: 31.0\n@RSYNCD: OK\n'), Buffer.alloc(64)]),
      Buffer.concat([
        Buffer.from('@RSYNCD: 31.0\n@RSYNCD: OK\n'),
        int(7),
        framed(Buffer.concat([Buffer.from([0x44, 0]), int(-5)])),
      ]),
    ]) {
      await assert.rejects(machineOf(bytes).outputs('ab', patterns), TransferError);
    }
  });

  it('puts nothing beside the folder of a download either, for any names it sends', async () => {
    // In the order in which both sides count them.
    const inOrder = [3, 2, 0, 1].flatMap((at) => hostile[at] ?? []);
    const folders = ['src', 'src/out'].map((name) => ({ name, content: '', mode: 0o040_755 }));
    const files = [{ name: 'link/../../up', content: 'up' }, ...folders, ...inOrder];
    const answers = ['nothing', 'good'].map((sent) => hostOf(files, ({ name }) => name.endsWith(sent)));
    const open: OpenDaemon = async ({ output }) => {
      await output?.(Readable.from([answers.shift() ?? Buffer.alloc(0)]));
      return { code: 0, stdout: '', stderr: '', timedOut: false };
    };
    const machine = { clock: new FakeClock(), platform: 'linux', module: 'C.1', open } as const;
    const { files: count, leftOut } = await downloadServed(machine, '/root/work', openedFolder(into));
    assert.equal(count, 1);
    assert.deepEqual(leftOut.map(({ name }) => name).sort(), [
      'work/link/../../up',
      'work/src/out/../../../up',
      'work/src/out//b',
      'work/src/out/line\nend',
    ]);
    assert.deepEqual(readdirSync(base), ['a']);
    assert.deepEqual(readdirSync(join(base, 'a')), ['outputs']);
    assert.deepEqual(readdirSync(join(into, 'work', 'src', 'out')), ['good']);
  });
});
