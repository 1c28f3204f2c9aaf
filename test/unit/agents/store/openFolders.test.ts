import assert from 'node:assert/strict';
import { OpenFolders } from '../../../../src/agents/store/openFolders';
import { FakeHubs } from '../../../support/fakeWindows';

describe('The folders whose jobs agents may ask for', () => {
  let hubs: FakeHubs;
  let opened: (() => void)[];
  beforeEach(() => {
    hubs = new FakeHubs();
    opened = [];
  });
  afterEach(() => opened.forEach((close) => close()));

  const open = (...own: readonly string[]) => {
    const hub = hubs.open();
    const folders = new OpenFolders(hub);
    folders.set(own);
    const close = () => {
      hub.dispose();
      folders.dispose();
    };
    opened.push(close);
    return { hub, folders, close };
  };

  it('are those of all windows, whichever opened first', () => {
    const all = [open('/a'), open('/b', '/a'), open()];
    assert.deepEqual(
      all.map(({ folders }) => [...folders.all].sort()),
      [
        ['/a', '/b'],
        ['/a', '/b'],
        ['/a', '/b'],
      ],
    );
  });

  it('are gone in every window once theirs closed, leads or not, or removed them', () => {
    const [first, second, third] = [open('/a'), open('/b'), open('/c')];
    second.close();
    assert.deepEqual(
      [[...first.folders.all].sort(), [...third.folders.all].sort()],
      [
        ['/a', '/c'],
        ['/a', '/c'],
      ],
    );
    first.folders.set([]);
    assert.deepEqual(third.folders.all, ['/c']);
    first.close();
    assert.deepEqual(third.folders.all, ['/c']);
  });
});
