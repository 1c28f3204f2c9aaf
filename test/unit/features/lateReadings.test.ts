import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { InstanceTree } from '../../../src/features/instances/instanceTree';
import { SshKeyTree } from '../../../src/features/sshKeys/sshKeyTree';
import { parsePublicKey } from '../../../src/ssh/publicKey';
import { FakeEventEmitter } from '../../support/fakeEditor/events';
import { only } from '../../support/only';

/** What is read, and answered in the reverse order where several readings are under way. */
class Backwards<T> {
  private readonly open: (() => void)[] = [];

  constructor(public value: T) {}

  read = (): Promise<T> => {
    const { value } = this;
    return new Promise((resolve) => {
      this.open.push(() => {
        resolve(value);
      });
    });
  };

  async answer(): Promise<void> {
    await setImmediate();
    while (this.open.length > 0) {
      this.open.pop()?.();
      await setImmediate();
    }
  }
}

describe('A view whose readings end in another order than they began', () => {
  it('marks the SSH keys that are on this computer now', async () => {
    const line = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDfpDLkpYnmQcaPDZp3lJ3n3Bv1xUWYPg8QFGpBmDmnE me';
    const here = { publicKey: parsePublicKey(line), line, inAgent: true };
    const changed = new FakeEventEmitter<unknown>();
    const keys = new Backwards<readonly object[]>([]);
    const tree = new SshKeyTree(
      only({
        sshKeys: {
          state: { kind: 'ready', value: [{ id: 7, publicKey: line }] },
          onDidChange: changed.event,
        },
        accounts: { active: { key: 'mine', user: {} }, onDidChange: () => undefined },
        ssh: { localKeys: keys.read },
        log: { warn: (line: string) => assert.equal(line, '') },
      }),
    );
    changed.fire(undefined);
    keys.value = [here];
    changed.fire(undefined);
    await keys.answer();
    const [node] = await tree.getChildren();
    assert.ok(node);
    assert.match(String(tree.getTreeItem(node).description), /in the SSH agent/);
    tree.dispose();
  });

  it('names the account of the instances once there are several', async () => {
    const changed = new FakeEventEmitter<unknown>();
    const known = new Backwards<readonly object[]>([{}]);
    const accounts = {
      ...{ active: { key: 'mine', name: 'Work' }, state: { kind: 'signedIn' }, known: known.read },
      onDidChange: changed.event,
    };
    const view = { visible: true, onDidChangeVisibility: () => undefined, description: '', message: '' };
    const tree = new InstanceTree(
      only({
        accounts,
        fleet: { state: { kind: 'loading' }, onDidChange: () => undefined },
        volumes: { onDidChange: () => undefined },
        instanceGroups: { groups: [], onDidChange: () => undefined },
        trees: { 'gpuRental.instances': { view } },
      }),
    );
    accounts.active = { key: 'theirs', name: 'Lab' };
    changed.fire(undefined);
    known.value = [{}, {}];
    accounts.active = { key: 'mine', name: 'Work' };
    changed.fire(undefined);
    await known.answer();
    assert.equal(view.description, 'Work');
    tree.dispose();
  });
});
