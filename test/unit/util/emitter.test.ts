import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Emitter } from '../../../src/util/emitter';

describe('An event', () => {
  const broken = new Error('a row could not be drawn');
  const fail = () => {
    throw broken;
  };

  it('reaches the other listeners when one throws, and reports the error to its owner', () => {
    const errors: unknown[] = [];
    const emitter = new Emitter<number>((error) => errors.push(error));
    const heard: number[] = [];
    emitter.event(fail);
    emitter.event((value) => heard.push(value));
    emitter.fire(7);
    assert.deepEqual([heard, errors], [[7], [broken]]);
  });

  it('hands the error of a listener to the host of the process when no owner handles it', async () => {
    const emitter = new Emitter<number>();
    const heard: number[] = [];
    emitter.event(fail);
    emitter.event((value) => heard.push(value));
    const ofMocha = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    try {
      const reported = once(process, 'uncaughtException');
      emitter.fire(7);
      assert.deepEqual(heard, [7]);
      assert.equal((await reported)[0], broken);
    } finally {
      for (const listener of ofMocha) {
        process.on('uncaughtException', listener);
      }
    }
  });
});
