import assert from 'node:assert/strict';
import { WindowOwners } from '../../../../src/features/connectedWindow/windowOwners';

function owners(initial?: unknown) {
  let stored = initial;
  return new WindowOwners({
    get: () => stored,
    update: (_key: string, value: unknown) => {
      stored = value;
      return Promise.resolve();
    },
  });
}

describe('The accounts of aliases', () => {
  it('are kept, the newest hundred', async () => {
    const known = owners();
    await known.remember('gpu-7', 'one');
    assert.equal(known.of('gpu-7'), 'one');
    await known.remember('gpu-7', 'two');
    assert.equal(known.of('gpu-7'), 'two');
    for (let id = 1000; id < 1100; id += 1) {
      await known.remember(`gpu-${id}`, 'one');
    }
    assert.equal(known.of('gpu-7'), undefined);
    assert.equal(known.of('gpu-1099'), 'one');
  });

  it('go with the account that is signed out, and no other', async () => {
    const known = owners();
    await known.remember('gpu-7', 'one');
    await known.remember('gpu-8', 'two');
    await known.forget('one');
    assert.deepEqual([known.of('gpu-7'), known.of('gpu-8')], [undefined, 'two']);
  });

  it('are none where what is stored is broken', () => {
    for (const broken of [null, 7, 'x', { 'gpu-7': 3 }, { '-o': 'one' }]) {
      assert.equal(owners(broken).of('gpu-7'), undefined);
    }
  });
});
