import assert from 'node:assert/strict';
import { createJobMachine } from '../../../../src/jobs/machine/createJobMachine';
import { readCheck } from '../../../../src/jobs/machine/jobCheck';
import { answerOf, checkHex } from '../../../../src/jobs/machine/machineCall';
import { parseJobs, wholeList } from '../../../../src/jobs/machine/otherJobs';
import type { JobMachine } from '../../../../src/jobs/model/jobMachine';
import { JobMachineError, UnfitMachineError } from '../../../../src/jobs/model/jobMachineError';
import { TransferError } from '../../../../src/ssh/transfer';
import { jobId, jobOrder } from '../../../support/jobScene';
import { printingMachine } from '../../../support/printingMachine';

const mark = '//gpu-rental\n';
const order = jobOrder('true');

/** What comes of an answer: a value, or the kind and words of an error. */
async function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: unknown) =>
    error instanceof UnfitMachineError
      ? `unfit: ${error.message}`
      : error instanceof JobMachineError
        ? `refused: ${error.message}`
        : error instanceof TransferError
          ? `broken: ${error.message}`
          : assert.fail(String(error)),
  );
}

describe('The answer of a machine', () => {
  for (const [what, answer, end, expected] of [
    ['is what follows the noise of a login', `Welcome\n${mark}a\nb\n`, {}, 'a\nb\n'],
    ['may follow much noise', `${'x'.repeat(65_536)}${mark}a`, {}, 'a'],
    ['has none without its mark', 'a\n', {}, /^broken: .*ended early/],
    ['counts for nothing after its time', mark, { timedOut: true }, /^broken: .*time-out/],
    [
      'is a refusal if its program fails',
      mark,
      { code: 4, stderr: 'a\ndisk full\n' },
      /^refused: .*: a disk full$/,
    ],
    ['is a refusal without words', mark, { code: 1 }, /^refused: .*: –$/],
    [
      'is none of a broken connection',
      mark,
      { code: 255, stderr: 'reset by peer' },
      /^broken: .*: reset by peer$/,
    ],
    ['is none of a killed connection', mark, { code: null }, /^broken: /],
  ] as const) {
    it(what, async () => {
      const found = await outcome(answerOf(printingMachine(answer, end).call, ['true']));
      const said = String(found);
      if (typeof expected === 'string') {
        assert.equal(said, expected);
      } else {
        assert.match(said, expected);
      }
    });
  }

  it('is asked for by names alone that are safe in a script', () => {
    assert.equal(checkHex('0af'), '0af');
    for (const value of ['', 'g', '0 1', 'a;b', 'a'.repeat(65)]) {
      assert.throws(() => checkHex(value), value);
    }
    assert.equal(checkHex('a'.repeat(64)).length, 64);
  });
});

describe('A step of a job', () => {
  const { id } = order;
  const machineOf = (answer: string) => createJobMachine(printingMachine(`${mark}${answer}`).call);
  for (const [what, answer, step, expected] of [
    ['is begun', 'begun\n', (one) => one.begin(order), undefined],
    [
      'is not begun where a program is missing',
      'missing tar\n',
      (one) => one.begin(order),
      /^unfit: .*: tar\./,
    ],
    [
      'is not begun where programs are missing',
      'missing tar head\n',
      (one) => one.begin(order),
      /^unfit: .*: tar, head\./,
    ],
    ['is not begun without a word', '\n', (one) => one.begin(order), /^broken: .*ended early/],
    ['is started', 'started\n', (one) => one.start(order), 'started'],
    ['was started before', 'already\n', (one) => one.start(order), 'already'],
    ['has lost its folder', 'no-folder\n', (one) => one.start(order), /^refused: .*folder.* gone/],
    ['lacks its files', 'not-synced\n', (one) => one.start(order), /^refused: .*not on the instance/],
    ['has to wait for another', 'busy\n', (one) => one.start(order), /^refused: Another job/],
    ['did not start', 'not-started\n', (one) => one.start(order), /^refused: .*did not start/],
    ['said anything else', 'oh\n', (one) => one.start(order), /^broken: .*: oh$/],
    ['gets more time', 'extended\n', (one) => one.extend(id, 90), true],
    ['ends already', '', (one) => one.extend(id, 90), false],
    ['is removed', '', (one) => one.remove(id), undefined],
    ['is kept while it runs', 'runs\n', (one) => one.remove(id), /^refused: .*still runs/],
  ] as readonly [
    string,
    string,
    (one: JobMachine) => Promise<unknown>,
    RegExp | string | boolean | undefined,
  ][]) {
    it(what, async () => {
      const found = await outcome(step(machineOf(answer)));
      if (expected instanceof RegExp) {
        assert.match(String(found), expected);
      } else {
        assert.equal(found, expected);
      }
    });
  }

  it('sends whole seconds, limits and choices as words of its script', async () => {
    const scriptOf = async (more: Parameters<typeof jobOrder>[1], limits = {}) => {
      const machine = printingMachine(`${mark}started\n`);
      await createJobMachine({ ...machine.call, ...limits }).start(jobOrder('true', { id: 'ab', ...more }));
      return /^set -- .*$/m.exec(machine.asked[0]?.script ?? '')?.[0].replace(/ ab [0-9a-f]{16} /, ' ab … ');
    };
    const folder = '"$HOME"/.gpu-rental/jobs/ab';
    assert.equal(await scriptOf({}), `set -- ${folder} ab … 60 60 2 100000000 0 no`);
    assert.equal(
      await scriptOf(
        { setupSeconds: -1, limitSeconds: 1.2, idleSeconds: 9.1, endsIfIdle: true },
        { logBytes: 5 },
      ),
      `set -- ${folder} ab … 0 2 2 5 10 yes`,
    );
  });

  it('marks all attempts as fetched, with nothing but a hash', async () => {
    const scriptOf = async (hash: string) => {
      const machine = printingMachine(mark);
      await createJobMachine(machine.call).markFetched(`${jobId}01`, hash);
      return machine.asked[0]?.script ?? '';
    };
    assert.match(await scriptOf('a'.repeat(64)), new RegExp(`for one in ../${jobId}\\?\\?; do echo a{64} >`));
    assert.match(await scriptOf('a; reboot'), / do echo {2}>/);
  });
});

describe('The jobs on a machine', () => {
  const line = (count: number, state = 'unfetched') =>
    `job ${count.toString(16).padStart(16, '0')}01 ${state} train`;

  it('are those that work or hold outputs, by their last attempt', () => {
    assert.deepEqual(
      parseJobs([
        'job 000000000000000101 unfetched first',
        'job 000000000000000102 atWork second',
        'job 000000000000000201 unfetched third',
        'job 000000000000000202 over third',
        'job 000000000000000301 unfetched ',
        'job 0001 atWork short',
        'Welcome',
      ]),
      [
        { id: '000000000000000102', name: 'second', isAtWork: true },
        { id: '000000000000000301', name: '000000000000000301', isAtWork: false },
      ],
    );
  });

  it('are refused as a whole where there are more than 500', () => {
    const lines = Array.from({ length: 501 }, (_, index) => line(index));
    assert.equal(wholeList(lines.slice(1)).length, 500);
    assert.throws(() => wholeList(lines), /more than 500/);
  });
});

describe('The end that a machine reports', () => {
  const check = async (...lines: readonly string[]) =>
    readCheck(Buffer.from(`base 0\n${lines.join('\n')}\nlog 0 0\nbase 0\n`));
  const end = (code: number | undefined, why: string, at?: number) => ({
    code,
    why,
    at,
    isOutOfMemory: false,
  });

  for (const [what, lines, expected] of [
    ['none before its start', ['phase synced'], undefined],
    ['none while it waits and lives', ['phase waiting', 'alive'], undefined],
    ['lost while it waited', ['phase waiting', 'samePid1'], end(undefined, 'killed')],
    ['lost right after it began', ['phase none', 'begun'], end(undefined, 'interrupted')],
    ['no loss once it ended', ['phase ended', 'begun'], undefined],
    ['its own code', ['phase ended', 'exit 3 9 itself'], end(3, 'itself', 9)],
    ['its limit', ['phase ended', 'exit 124 9 limit'], end(124, 'limit', 9)],
    ['no reason that is not known', ['phase ended', 'exit 0 9 magic'], undefined],
  ] as const) {
    it(`is ${what}`, async () => {
      assert.deepEqual((await check(...lines))?.end, expected);
    });
  }

  it('is dated by the clock of the machine', async () => {
    const found = await check('phase ended', 'exit 0 90 itself', 'times 40', 'now 100', 'listed');
    assert.deepEqual(found?.ago, { work: 60, script: undefined, end: 10 });
    assert.equal(found.hasOutputsList, true);
    assert.equal((await check('phase ended', 'exit 0 90 itself', 'times 40', 'now'))?.ago, undefined);
  });

  it('has a beat with the use of the GPUs and the idle time, where the machine knows them', async () => {
    assert.deepEqual((await check('phase running', 'beat 10 20 30'))?.beat, {
      at: 10,
      logSize: 20,
      freeKb: 30,
    });
    assert.deepEqual((await check('phase running', 'beat 10 20 30 99 idle60'))?.beat, {
      at: 10,
      logSize: 20,
      freeKb: 30,
      gpuPercent: 99,
      idleSeconds: 60,
    });
    assert.equal((await check('phase running', 'beat x'))?.beat, undefined);
  });
});
