import assert from 'node:assert/strict';
import { FolderWatch } from '../../../../src/workspaces/ui/folderWatch';
import { FakeClock } from '../../../support/fakeClock';
import { FakeUri } from '../../../support/fakeEditor/values';
import { useScreen } from '../../../support/onScreen';

describe('What the editor sees change in a mirrored folder', () => {
  const screen = useScreen();
  let clock: FakeClock;
  let watch: FolderWatch;
  let passed: (readonly string[] | 'all')[];

  beforeEach(() => {
    clock = new FakeClock();
    passed = [];
    watch = new FolderWatch(['/real/project', '/home/me/project'], clock, (names) => {
      passed.push(names ?? 'all');
    });
  });
  afterEach(() => {
    watch.dispose();
  });

  const { changed, created, deleted } = screen.watched;
  const file = (name: string) => FakeUri.file(`/home/me/project/${name}`);

  it('is passed on by names below the folder, by each path that leads to it', async () => {
    changed.fire(file('a.py'));
    created.fire(FakeUri.file('/real/project/sub/b.py'));
    changed.fire(FakeUri.file('/home/me/project-2/c.py'));
    changed.fire(FakeUri.file('/home/me'));
    changed.fire(FakeUri.parse('untitled:/home/me/project/d.py'));
    assert.equal(watch.isWaiting, true);
    await clock.advance(1);
    assert.deepEqual(passed, [['a.py', 'sub/b.py']]);
    assert.equal(watch.isWaiting, false);
  });

  it('is one compare after another commit was checked out', async () => {
    changed.fire(file('.git/HEAD'));
    changed.fire(file('a.py'));
    await clock.advance(1);
    assert.deepEqual(passed, ['all']);
  });

  it('has nothing of Git itself', async () => {
    changed.fire(file('.git/index'));
    changed.fire(file('sub/.git'));
    deleted.fire(file('.git/index.lock'));
    await clock.advance(10_000);
    assert.deepEqual(passed, []);
  });

  it('is passed on once a second where it never pauses, and by a compare where it is much', async () => {
    for (let at = 0; at < 29; at += 1) {
      changed.fire(file('log.txt'));
      await clock.advance(100);
    }
    assert.deepEqual(passed, [['log.txt'], ['log.txt'], ['log.txt']]);
    for (let name = 0; name < 600; name += 1) {
      created.fire(file(`part ${name}`));
    }
    await clock.advance(1000);
    assert.deepEqual(passed.at(-1), 'all');
  });

  it('is passed on at once before a run', async () => {
    deleted.fire(file('a.py'));
    watch.flush();
    watch.flush();
    await clock.advance(1000);
    assert.deepEqual(passed, [['a.py']]);
  });
});
