import assert from 'node:assert/strict';
import { nextServers, signedOutServers } from '../../../../src/notebooks/model/notebookServers';

const row = (instanceId: number, accountKey: string, isUsed: boolean) => ({
  alias: `gpu-${instanceId}`,
  accountKey,
  instanceId,
  label: `secret project ${instanceId}`,
  isUsed,
});

describe('The servers of the kernel picker', () => {
  it('stay as they are where their instances could not be read', () => {
    const before = [row(7, 'a', true), row(8, 'a', false)];
    assert.equal(
      nextServers(before, 'a', undefined, () => true),
      before,
    );
    assert.equal(
      nextServers(before, undefined, [], () => true),
      before,
    );
  });

  it('go once their instance has ended, and not before', () => {
    const before = [row(7, 'a', true), row(8, 'a', true), row(9, 'b', true)];
    const left = nextServers(before, 'a', [], (id) => id === 7);
    assert.deepEqual(
      left.map(({ instanceId }) => instanceId),
      [8, 9],
    );
  });

  it('keep nothing of an account that signed out but what a notebook finds its kernel by', () => {
    const before = [row(7, 'a', true), row(8, 'a', false), row(9, 'b', false)];
    assert.deepEqual(signedOutServers(before, ['a']), [
      { ...row(7, 'a', true), label: 'gpu-7' },
      row(9, 'b', false),
    ]);
  });
});
