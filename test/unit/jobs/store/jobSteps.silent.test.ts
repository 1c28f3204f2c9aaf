import assert from 'node:assert/strict';
import { formatText } from '../../../../src/util/text';
import { beginJob, jobWindowScene, type JobWindowScene } from '../../../support/jobWindowScene';
import { FakeMachine } from '../../../support/jobWindows';

const minute = 60_000;

describe('Jobs that hang while their machine costs money', () => {
  let { computer, disk, machine, window, pass } = {} as JobWindowScene;
  beforeEach(async () => {
    ({ computer, disk, machine, window, pass } = await jobWindowScene(new FakeMachine()));
  });
  afterEach(() => computer.dispose());

  const order = (fields?: Readonly<Record<string, unknown>>) => beginJob(computer, window, fields);
  /** The disk of this computer refuses from now on. */
  function refuse(call: 'putState' | 'writeLog' | 'read', code: string): () => void {
    const own = disk.storage[call];
    const refused = () =>
      Promise.reject(Object.assign(new Error(code), { code, syscall: 'open', path: '/jobs' }));
    Object.assign(disk.storage, { [call]: refused });
    return () => {
      Object.assign(disk.storage, { [call]: own });
    };
  }

  for (const call of ['begin', 'sync', 'start'] as const) {
    it(`are reported once if ${call} fails for hours`, async () => {
      machine.cut((one) => one === call);
      await order();
      await pass(minute);
      assert.deepEqual(window.noticeKinds(), []);
      await pass(3 * 60 * minute);
      assert.deepEqual(window.noticeKinds(), [call === 'sync' ? 'notSent' : 'noAnswer']);
    });
  }

  it('are reported once if the set-up is not ended by its limit', async () => {
    await order({
      setup: 'pip install -r requirements.txt',
      limits: { hours: 2, costDollars: 9, setupMinutes: 20 },
    });
    await pass(30 * minute);
    assert.deepEqual(window.noticeKinds(), []);
    await pass(5 * 60 * minute);
    assert.deepEqual(window.noticeKinds(), ['overdue']);
  });

  it('are reported once if the command is not ended by its limit', async () => {
    await order({ limits: { hours: 0.2, costDollars: 9 } });
    await pass(20 * minute);
    assert.deepEqual(window.noticeKinds(), []);
    await pass(5 * 60 * minute);
    assert.deepEqual(window.noticeKinds(), ['overdue']);
  });

  it('are reported once if the machine never lists their outputs', async () => {
    const job = await order();
    const check = machine.check.bind(machine);
    machine.check = async (...args) => ({ ...(await check(...args)), hasOutputsList: false, pidAlive: true });
    machine.ends({ code: 0, why: 'itself' });
    await pass(40 * minute);
    assert.deepEqual([window.row(job).state.phase, window.noticeKinds()], ['fetching', []]);
    await pass(5 * 60 * minute);
    assert.deepEqual(window.noticeKinds(), ['overdue']);
  });

  for (const [call, code, why] of [
    ['putState', 'ENOSPC', 'The disk of this computer is full. Free some space on it.'],
    ['putState', 'EROFS', 'The disk of this computer is read-only. Make it writable.'],
    ['writeLog', 'EDQUOT', 'The disk of this computer is full. Free some space on it.'],
    ['writeLog', 'EACCES', 'This computer denies access to /jobs. Check its permissions.'],
    ['read', 'EACCES', 'This computer denies access to /jobs. Check its permissions.'],
  ] as const) {
    it(`are reported once, with the cause, if ${call} meets ${code}, and continue once it is mended`, async () => {
      const job = await order();
      const heal = refuse(call, code);
      machine.log = 'epoch 1\n';
      await pass(60 * minute);
      const { phase, trouble } = window.row(job).state;
      assert.deepEqual([phase, trouble?.kind], ['running', 'notSaved']);
      assert.equal(trouble?.why && formatText(trouble.why), why);
      assert.deepEqual(window.noticeKinds(), ['notSaved']);
      heal();
      await pass(6 * minute);
      assert.deepEqual([window.row(job).state.phase, window.row(job).state.trouble], ['running', undefined]);
      machine.ends({ code: 0, why: 'itself' });
      await pass(5 * minute);
      assert.equal(window.row(job).state.outcome, 'kept');
    });
  }

  it('show what they wait for again once their file can be read', async () => {
    const job = await order();
    machine.isTransferHeld = true;
    machine.ends({ code: 0, why: 'itself' });
    await pass(minute);
    await window.jobs.pauseFetch(job);
    await pass(minute);
    const heal = refuse('read', 'EACCES');
    await pass(65 * minute);
    assert.equal(window.row(job).state.trouble?.kind, 'notSaved');
    heal();
    await pass(2 * minute);
    assert.equal(window.row(job).state.trouble?.kind, 'fetchPaused');
  });
});
