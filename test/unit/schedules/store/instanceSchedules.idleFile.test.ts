import assert from 'node:assert/strict';
import { FileUnreadableError } from '../../../../src/store/disk/jsonFile';
import type { FleetSnapshot } from '../../../../src/store/instances/fleetStore';
import {
  IdleWatch,
  longestGapMs,
  type IdleFacts,
  type IdleWatchDeps,
} from '../../../../src/store/instances/idleWatch';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog as log } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { FakeClock, settle } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';

const minute = 60_000;
const id = 5001;

/** What a window makes of a file that it could not read at its first look, and five minutes later can. */
async function joinedTo(kept: Partial<IdleFacts>, { apartMs = 0, isUsed = false, gpu = -1 }) {
  const clock = new FakeClock();
  const polled = new Emitter<FleetSnapshot>();
  const now = clock.now();
  const entry = {
    lastUsedAt: now - 30 * minute,
    watchedSince: now - 60 * minute,
    seenAt: now,
    knowsGpu: true,
  };
  const value = { version: 1, entries: [[id, { ...entry, ...kept }]] };
  let isRefused = true;
  const file = {
    read: () =>
      isRefused
        ? Promise.reject(new FileUnreadableError('/storage/usage/a.json', new Error('EIO')))
        : Promise.resolve({ kind: 'present', value }),
    write: () => Promise.resolve(),
  };
  const onDidChange = new Emitter<never>().event;
  const watch = new IdleWatch({
    accounts: { active: { key: 'a' }, onDidChange },
    fleet: { onDidPoll: polled.event },
    hub: new FakeHubs().open(),
    presence: { isComplete: true, isAnyUsed: isUsed, isUsed: () => isUsed, onDidChange },
    aliasOf: () => 'gpu-5001',
    clock,
    log,
    file: () => file,
  } as unknown as IdleWatchDeps); // nothing else of them is used here
  const see = async () => {
    polled.fire({ instances: [anInstance({ id, ...(gpu < 0 ? {} : { gpuUtilPercent: gpu }) })], skipped: 0 });
    await settle();
  };
  clock.jump(apartMs);
  await see();
  await clock.advance(5 * minute);
  isRefused = false;
  await see();
  const since = watch.idleSince(id);
  watch.dispose();
  const minutes = since === undefined ? undefined : Math.floor((clock.now() - since) / minute);
  return { minutes, knowsGpu: watch.facts(id)?.knowsGpu };
}

describe('A file of idle times that could not be read at first', () => {
  for (const [apartMs, minutes] of [
    [longestGapMs, 12 + 35],
    [longestGapMs + 1, 5],
    [0, 35],
    [-1, 5],
  ] as const) {
    it(`continues only if the first reading was within the longest gap: ${apartMs} ms`, async () => {
      assert.equal((await joinedTo({}, { apartMs })).minutes, minutes);
    });
  }

  for (const [knowsGpu, isUsed, gpu, expected] of [
    [true, false, -1, true],
    [true, true, -1, false],
    [false, false, -1, false],
    [false, false, 0, true],
    [false, true, 0, true],
  ] as const) {
    const words = `${knowsGpu ? 'with' : 'without'} a figure, ${isUsed ? 'used' : 'unused'} since, now ${gpu}`;
    it(`knows whether the GPU was reported since the last use: ${words}`, async () => {
      assert.equal((await joinedTo({ knowsGpu }, { isUsed, gpu })).knowsGpu, expected);
    });
  }
});
