import assert from 'node:assert/strict';
import { onSeveral } from '../../../src/editor/onSeveral';
import { setWindowParts } from '../../../src/editor/windowParts';
import { logsOfSeveral, runOnSeveral } from '../../../src/several/ui/severalCommands';
import { CancelledError, UserError } from '../../../src/util/errors';
import { text } from '../../../src/util/text';
import { anInstance } from '../../support/builders';
import { FakeClock } from '../../support/fakeClock';
import { OnQuick } from '../../support/onQuick';
import { textsOn, useCommands, useScreen } from '../../support/onScreen';
import { only } from '../../support/only';

const answered = { code: 0, stdout: '', stderr: '', timedOut: false };

describe('Work on several instances', () => {
  const screen = useScreen();
  const clock = new FakeClock();
  beforeEach(() => {
    setWindowParts({ clock });
  });
  const quick = new OnQuick(screen);
  const instances = [
    anInstance({ id: 1, label: 'one' }),
    anInstance({ id: 2, label: 'two' }),
    anInstance({ id: 3, label: 'three' }),
  ];
  const shown: unknown[] = [];
  const asked: string[] = [];
  let entry: unknown;
  const run = (id: string, [first]: readonly unknown[]) => {
    if (id === 'gpuRental.showText') {
      shown.push(first);
    } else {
      asked.push(id);
    }
    return Promise.resolve(id === 'gpuRental.showText' ? undefined : entry);
  };
  useCommands(run);

  let answer: object;
  let log: string;
  let active: { readonly key: string; readonly client: object };
  const commands: unknown[] = [];
  const deps = only<Parameters<typeof runOnSeveral>[0]>({
    accounts: {
      get active() {
        return active;
      },
    },
    clock,
    fleet: { state: { kind: 'ready', value: { instances } }, facts: () => ({}) },
    presence: { during: (_alias: string, work: () => Promise<unknown>) => work() },
    ssh: {
      exec: (alias: string, command: string, { timeoutMs }: { readonly timeoutMs: number }) => {
        commands.push([alias, command, timeoutMs]);
        return Promise.resolve({ ...answered, ...answer });
      },
    },
  });
  const targets = (...ids: readonly number[]) => ids.map((instanceId) => ({ instanceId }));

  beforeEach(() => {
    const client = { instances: { logs: () => Promise.resolve(log) } };
    active = { key: 'mine', client };
    [answer, log, entry] = [{}, '', { alias: 'gpu-1' }];
    for (const list of [shown, asked, commands]) {
      list.length = 0;
    }
    textsOn(screen);
  });

  it('ends in one row each, from where failed ones are tried again', async () => {
    let isBroken = true;
    const tried: number[] = [];
    const isOver = onSeveral(instances, {
      ...{ doing: 'Working', done: 'Results', fileName: ({ id }) => `${id}.txt` },
      work: ({ id }) => {
        tried.push(id);
        if (isBroken && id === 2) {
          return Promise.reject(new UserError(text('It is full.')));
        }
        if (isBroken && id === 3) {
          return Promise.reject(new Error('odd'));
        }
        return Promise.resolve({ isOk: true, summary: 'fine', output: `output of ${id}` });
      },
    });
    assert.deepEqual(await quick.rows(), ['Retry Failed 2', 'one fine', 'two It is full.', 'three failed']);
    assert.equal(quick.message, 'Done on 1 of 3. Select one to see its output.');
    await quick.pick('two');
    assert.deepEqual(shown.splice(0), [{ title: '2.txt', content: 'It is full.' }]);
    assert.equal(quick.active, 'two', 'the rows come back where they were left');
    isBroken = false;
    tried.length = 0;
    await quick.pick('Retry Failed');
    assert.deepEqual(tried, [2, 3]);
    assert.deepEqual(await quick.rows(), ['one fine', 'two fine', 'three fine']);
    assert.equal(quick.message, 'Done on all 3. Select one to see its output.');
    assert.equal(quick.active, 'two');
    await quick.escape();
    await isOver;
  });

  it('ends with the output where there is one instance', async () => {
    const isOver = onSeveral(instances.slice(0, 1), {
      ...{ doing: 'Working', done: 'Results', fileName: () => 'one.txt' },
      work: () => Promise.resolve({ isOk: true, summary: 'fine', output: 'all of it' }),
    });
    await quick.pick('one');
    await isOver;
    assert.deepEqual(shown, [{ title: 'one.txt', content: 'all of it' }]);
  });

  it('can be canceled, and shows its progress', async () => {
    const isOver = onSeveral(instances, {
      ...{ doing: 'Working', done: 'Results', fileName: () => 'one.txt' },
      work: ({ id }, signal) =>
        id === 1
          ? Promise.resolve({ isOk: true, summary: 'fine', output: '' })
          : new Promise((_, reject) =>
              signal.addEventListener('abort', () => {
                reject(new CancelledError());
              }),
            ),
    });
    await clock.advance(700);
    assert.deepEqual(
      screen.messages.shown.map((one) => one.text),
      ['Working: 1 of 3 done'],
    );
    screen.messages.shown[0]?.press('Cancel');
    assert.deepEqual(await quick.rows(), ['Retry Failed 2', 'one fine', 'two canceled', 'three canceled']);
    await quick.escape();
    await isOver;
  });

  it('is a command whose end is shown in a few words', async () => {
    const said: string[] = [];
    for (const one of [
      { stdout: ' first \n\nlast\n' },
      { stdout: 'first\nlast\n', isCut: true },
      {},
      { code: 3 },
      { code: 3, stderr: 'no such file\n' },
      { code: null },
      { code: 255 },
      { code: 255, stderr: 'banner\r\nPermission denied\r\n' },
      { timedOut: true, code: null },
    ]) {
      answer = one;
      const isOver = runOnSeveral(deps, undefined, targets(1));
      await quick.type(' nvidia-smi ');
      await quick.enter();
      said.push((await quick.rows()).at(-1) ?? '');
      await quick.escape();
      await isOver;
    }
    assert.deepEqual(said, [
      'one first',
      'one last',
      'one no output',
      'one exit code 3',
      'one exit code 3: no such file',
      'one ended by a signal',
      'one could not log in',
      'one Permission denied',
      'one not finished after 10 minutes',
    ]);
    assert.deepEqual(commands[0], ['gpu-1', ' nvidia-smi ', 600_000]);
  });

  it('has the whole output of a command, and states if the beginning is missing', async () => {
    const outputOf = async (one: object) => {
      answer = one;
      const isOver = runOnSeveral(deps, undefined, targets(1));
      await quick.flush();
      assert.equal(await quick.type(' '), 'Enter a value.');
      await quick.type('make');
      await quick.enter();
      await quick.pick('one');
      await isOver;
      return shown.splice(0);
    };
    const title = 'one.txt';
    assert.deepEqual(await outputOf({ stdout: 'out\n', stderr: 'err\n' }), [
      { title, content: '$ make\nout\nerr\n' },
    ]);
    assert.deepEqual(await outputOf({ stdout: 'out\n', isCut: true }), [
      { title, content: '$ make\n[The beginning is omitted.]\nout\n' },
    ]);
  });

  it('is not begun without a command, nor without an instance', async () => {
    const isOver = runOnSeveral(deps, undefined, targets(1));
    await quick.escape();
    await isOver;
    await runOnSeveral(deps, undefined, targets(9));
    await logsOfSeveral(deps, undefined, targets(9));
    assert.deepEqual(commands, []);
    assert.equal(quick.title, undefined);
  });

  it('explains why an instance can’t be reached, and runs nothing in another account', async () => {
    entry = { problem: 'It has no SSH.' };
    const unreached = runOnSeveral(deps, undefined, targets(1));
    await quick.type('make');
    await quick.enter();
    assert.deepEqual(await quick.rows(), ['Retry Failed 1', 'one It has no SSH.']);
    entry = { alias: 'gpu-1' };
    active = { ...active, key: 'theirs' };
    await quick.pick('Retry Failed');
    assert.match((await quick.rows())[1] ?? '', /^one Nothing was done because the account was switched/);
    await quick.escape();
    await unreached;
    assert.deepEqual(commands, []);
  });

  it('shows the ends of logs', async () => {
    const said: unknown[] = [];
    for (const one of ['loss 1\nloss 2\n', '']) {
      log = one;
      const isOver = logsOfSeveral(deps, undefined, targets(1));
      said.push(...(await quick.rows()));
      await quick.pick('one');
      await isOver;
      said.push(...shown.splice(0));
    }
    assert.deepEqual(said, [
      'one loss 2',
      { title: 'one.log', content: 'loss 1\nloss 2\n' },
      'one The log is empty.',
      { title: 'one.log', content: '' },
    ]);
  });
});
