import assert from 'node:assert/strict';
import { InstanceTree } from '../../../../src/features/instances/instanceTree';
import { anInstance } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { only } from '../../../support/only';

describe('The rows of instances', () => {
  const quiet = () => ({ dispose: () => undefined });

  /** How the rows of instances with these GPUs begin, or with these names. */
  async function rowsOf(gpus: readonly string[], names: readonly string[] = []): Promise<readonly unknown[]> {
    const instances = gpus.map((gpuName, index) =>
      anInstance({ id: index + 7, label: names[index] ?? '', gpuName }),
    );
    const value = { instances, skipped: 0, missing: undefined };
    const tree = new InstanceTree(
      only({
        accounts: { active: { key: 'mine', user: {} }, state: { kind: 'signedIn' }, onDidChange: quiet },
        fleet: {
          ...{ state: { kind: 'ready', value, fetchedAt: 0 }, onDidChange: quiet, facts: () => ({}) },
          find: (id: number) => instances.find((one) => one.id === id),
        },
        volumes: { onDidChange: quiet, state: { kind: 'ready', value: [] } },
        instanceGroups: { onDidChange: quiet, groups: [], hasRows: () => false, notesOf: () => [] },
        trees: { 'gpuRental.instances': { view: { visible: true, onDidChangeVisibility: quiet } } },
        ...{
          otherAccounts: () => Promise.resolve([]),
          contextKeys: { set: () => undefined },
          clock: new FakeClock(),
        },
      }),
    );
    return (await tree.getChildren()).map((node) => tree.getTreeItem(node).label);
  }

  it('have their number where another begins the same, and no others', async () => {
    assert.deepEqual(await rowsOf(['A', 'B', 'A', 'A']), ['1× A #7', '1× B', '1× A #9', '1× A #10']);
    assert.deepEqual(await rowsOf(['A', 'B']), ['1× A', '1× B']);
    // As after a move, which gives the next instance the name of the old one.
    const moved = await rowsOf(['A', 'A', 'A'], ['trainer [gr-0123abcd]', 'trainer', 'helper']);
    assert.deepEqual(moved, ['trainer #7', 'trainer #8', 'helper']);
  });
});
