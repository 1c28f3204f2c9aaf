import assert from 'node:assert/strict';
import { EntryFollower } from '../../../../src/features/connect/entryFollower';
import type { Instance } from '../../../../src/model/instances/instance';
import type { Loaded } from '../../../../src/shared/reading';
import { UnsafeValueError } from '../../../../src/ssh/validate';
import type { FleetSnapshot } from '../../../../src/store/instances/fleetStore';
import { Emitter } from '../../../../src/util/emitter';
import { text } from '../../../../src/util/text';
import { FakeClock, settle } from '../../../support/fakeClock';
import { MemoryLog } from '../../../support/fakeTransport';
import { only } from '../../../support/only';
import { sshAccount, sshInstance } from '../../../support/sshInstance';

/** A follower with a list that can be changed, and what it asked of each instance. */
function follower(
  fails: (instance: Instance) => Error | undefined = () => undefined,
  entries: readonly string[] = ['gpu-7', 'gpu-8'],
) {
  const changed = new Emitter<Loaded<FleetSnapshot>>();
  const followed: number[] = [];
  const log = new MemoryLog();
  const fleet = { state: { kind: 'idle' }, onDidChange: changed.event, facts: () => ({}) };
  const ssh = {
    entries: () => Promise.resolve(entries),
    aliasOf: (_: unknown, id: number) => `gpu-${id}`,
    follow: (_: unknown, instance: Instance) => {
      followed.push(instance.id);
      const error = fails(instance);
      return error ? Promise.reject(error) : Promise.resolve(undefined);
    },
  };
  // The follower needs who is signed in, the list, and these parts of `ssh`.
  const deps = { accounts: { active: sshAccount }, fleet, ssh, clock: new FakeClock(), log };
  new EntryFollower(only(deps), { forget: () => Promise.resolve() });
  const list = async (...instances: readonly Instance[]) => {
    const state = { kind: 'ready', value: { instances, skipped: 0 }, fetchedAt: 0 } as const;
    Object.assign(fleet, { state });
    changed.fire(state);
    await settle();
  };
  return { followed, list, log };
}

describe('The entries of instances that moved', () => {
  it('are looked at once for each address', async () => {
    const { followed, list } = follower();
    await list(sshInstance(2222), sshInstance(3333, { id: 8 }));
    await list(sshInstance(2222), sshInstance(3333, { id: 8 }));
    assert.deepEqual(followed, [7, 8]);
    await list(sshInstance(2223), sshInstance(3333, { id: 8 }));
    assert.deepEqual(followed, [7, 8, 7]);
  });

  it('are the only ones that are looked at', async () => {
    const { followed, list } = follower(undefined, ['gpu-8', 'gpu-9']);
    await list(sshInstance(2222), sshInstance(3333, { id: 8 }));
    assert.deepEqual(followed, [8]);
  });

  it('follow although another instance has addresses that can not be used', async () => {
    const { followed, list, log } = follower(({ id }) =>
      id === 7 ? new UnsafeValueError(text('an address')) : undefined,
    );
    await list(sshInstance(2222), sshInstance(3333, { id: 8 }));
    await list(sshInstance(2222), sshInstance(3333, { id: 8 }));
    assert.deepEqual(followed, [7, 8]);
    assert.equal(log.lines.filter((line) => line.includes('instance 7')).length, 1);
  });

  it('are tried again after a failure of this computer', async () => {
    let isFull = true;
    const { followed, list } = follower(() => (isFull ? new Error('no space') : undefined));
    await list(sshInstance(2222));
    isFull = false;
    await list(sshInstance(2222));
    await list(sshInstance(2222));
    assert.deepEqual(followed, [7, 7]);
  });
});
