import assert from 'node:assert/strict';
import { isAllSaved } from '../../../src/schedules/savedWork';
import { CancelledError } from '../../../src/util/errors';
import { silentLog } from '../../../src/util/log';
import { only } from '../../support/only';

type Deps = Parameters<typeof isAllSaved>[0];

describe('All work on a machine that is about to be stopped', () => {
  const whole = ['gpu-rental unsaved work', 'no loose files', 'all', ''];
  const look = (
    lines: readonly string[] | Error,
    { isKnown = true, isWhole = true, atRisk = 0, probed = 0 } = {},
  ) => {
    const some = (count: number) => Array.from({ length: count }, () => ({ template: 'a job', args: [] }));
    const deps = {
      ssh: {
        entry: () => Promise.resolve(isKnown ? {} : undefined),
        exec: () =>
          lines instanceof Error
            ? Promise.reject(lines)
            : Promise.resolve({ code: 0, stdout: lines.join('\n'), stderr: '', timedOut: false }),
      },
      work: {
        whole: () => Promise.resolve(isWhole),
        atRisk: () => some(atRisk),
        probes: [{ script: '', read: () => some(probed) }],
      },
      log: silentLog,
    };
    return isAllSaved(only<Deps>(deps), 'gpu-7', 7, new AbortController().signal);
  };

  it('is saved where all of it was looked at, and nothing is anywhere else', async () => {
    assert.equal(await look(whole), true);
    assert.equal(await look([...whole.slice(0, 2), 'repo 0 0 /root/model', 'all']), true);
  });

  for (const [what, found] of [
    ['no login has reached it before', () => look(whole, { isKnown: false })],
    ['it does not answer', () => look(new Error('unreachable'))],
    ['its answer is another one', () => look(['welcome'])],
    ['its answer is cut off', () => look(whole.slice(0, 2))],
    ['a file is in no repository', () => look(whole.filter((line) => line !== 'no loose files'))],
    ['a commit is not pushed', () => look([...whole.slice(0, 2), 'repo 0 1 /root/model', 'all'])],
    ['a repository can’t be read', () => look([...whole.slice(0, 2), 'repo ? 0 /root/model', 'all'])],
    ['a job of this computer has outputs there', () => look(whole, { atRisk: 1 })],
    ['a job of another computer has outputs there', () => look(whole, { probed: 1 })],
    ['what is on disk of it can’t be read', () => look(whole, { isWhole: false })],
  ] as const) {
    it(`is not proved saved where ${what}`, async () => {
      assert.equal(await found(), false);
    });
  }

  it('is no answer where the window closes', async () => {
    await assert.rejects(look(new CancelledError()), CancelledError);
  });
});
