import assert from 'node:assert/strict';
import { beginJob, jobsScene, type JobsScene } from '../../../support/jobWindowScene';
import { FakeMachine } from '../../../support/jobWindows';

describe('Jobs whose window closes', () => {
  let { computer, machine, disk, open, pass } = {} as JobsScene;
  beforeEach(async () => {
    ({ computer, machine, disk, open, pass } = await jobsScene(new FakeMachine()));
  });
  afterEach(() => computer.dispose());

  for (const [what, close] of [
    ['between two steps', () => undefined],
    ['while the machine is asked', (end: () => void) => (machine.trouble = end)],
    [
      'while the machine is asked in vain',
      (end: () => void) => {
        machine.trouble = () => {
          end();
          throw new Error('cut');
        };
      },
    ],
    [
      'while the disk refuses their progress',
      (end: () => void) => {
        machine.end = { code: 0, why: 'itself', at: undefined, isOutOfMemory: false };
        disk.storage.putState = () => {
          end();
          return Promise.reject(new Error('EIO'));
        };
      },
    ],
  ] as const) {
    it(`wait for nothing more and report nothing: ${what}`, async () => {
      const { pending } = computer.clock;
      const window = await open();
      await beginJob(computer, window);
      let closed = 0;
      const end = () => {
        closed = 1;
        window.close();
      };
      close(end);
      await pass(31_000);
      assert.equal(closed, what === 'between two steps' ? 0 : 1);
      end();
      await pass(0);
      const { calls } = machine;
      const asked = calls.length;
      assert.equal(computer.clock.pending, pending);
      await pass(3_600_000);
      assert.deepEqual([calls.length, window.noticeKinds()], [asked, []]);
    });
  }

  it('show no trouble of their own once another window carries them out', async () => {
    const window = await open();
    const job = await beginJob(computer, window);
    machine.ends({ code: 0, why: 'itself' });
    disk.storage.putState = () => {
      window.hub.leads(false);
      return Promise.reject(new Error('EIO'));
    };
    await pass(31_000);
    assert.equal(window.hub.isLeader, false);
    assert.deepEqual([window.row(job).state.trouble, window.noticeKinds()], [undefined, []]);
  });

  it('report what was stored by one that was killed before it reported that', async () => {
    const window = await open();
    machine.isTransferHeld = true;
    await beginJob(computer, window);
    const waiting = await beginJob(computer, window);
    const attempts = [{ cause: '75', at: 1, machine: 'trainer' }];
    const { state } = window.row(waiting);
    await disk.storage.putState({ ...state, phase: 'connecting', attempt: 2, attempts });
    await pass(3_000);
    assert.deepEqual(window.noticeKinds(), ['triedAgain']);
  });
});
