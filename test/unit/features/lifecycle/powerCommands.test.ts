import assert from 'node:assert/strict';
import type { LifecycleDeps } from '../../../../src/features/lifecycle/deps';
import * as all from '../../../../src/features/lifecycle/powerCommands';
import { WorkOnInstances } from '../../../../src/store/instances/workOnInstances';
import { anInstance } from '../../../support/builders';
import { windowScene, type WindowScene } from '../../../support/computerScene';
import { noBudget } from '../../../support/fakeWindows';
import { OnQuick } from '../../../support/onQuick';
import { openScreen, textsOn } from '../../../support/onScreen';

describe('A power command', () => {
  const running = anInstance({ id: 7, label: 'trainer' });
  const stopped = { ...running, id: 8, label: 'helper', actualStatus: 'exited', intendedStatus: 'stopped' };
  let scene: WindowScene;
  beforeEach(async () => {
    scene = await windowScene({});
    scene.service.instances = [running, stopped];
    await scene.computer.clock.through(scene.window.fleet.refresh());
  });
  afterEach(() => scene.computer.dispose());

  function begin() {
    const screen = openScreen();
    const { clock } = scene.computer;
    const deps = {
      ...scene.window,
      ...{ clock, budget: noBudget, work: new WorkOnInstances(), settings: { get: () => 0 } },
      ...{ log: { warn: () => undefined, error: () => undefined, info: () => undefined } },
      ...{
        volumes: { state: { kind: 'ready', value: [] } },
        report: { error: (error: unknown) => assert.fail(String(error)) },
      },
    } as unknown as LifecycleDeps;
    const quick = new OnQuick(screen);
    /** Answers the question that is shown, and waits for the end. */
    const answered = async <T>(work: Promise<T>, button?: string): Promise<T> => {
      await quick.flush();
      if (button !== undefined) {
        screen.messages.shown.find(({ modal }) => modal)?.press(button);
      }
      return clock.through(work);
    };
    const said = () => textsOn(screen).map((line) => line.replace(/ \/\/ .*(?= \[)/s, ''));
    return { deps, screen, quick, answered, said };
  }
  const count = (call: 'start' | 'stop') => scene.service.count(`instances.${call}`);

  it('stops after a question, and shows what the disk costs', async () => {
    const { deps, answered, said } = begin();
    await answered(all.stop(deps, { instanceId: 7 }), 'Keep Running');
    assert.equal(count('stop'), 0);
    said();
    await answered(all.stop(deps, { instanceId: 7 }), 'Stop');
    assert.equal(count('stop'), 1);
    assert.match(said().at(-1) ?? '', /^info Stopping “trainer”\. Storage still costs \$\S+\/day\. \[\]$/);
  });

  it('stops although the work on it is unknown, which the question shows', async () => {
    const { deps, screen, answered } = begin();
    deps.work.addLater(() => Promise.resolve(false));
    await answered(all.stop(deps, { instanceId: 7 }), 'Stop');
    assert.equal(count('stop'), 1);
    const question = screen.messages.history.find(({ modal }) => modal);
    assert.match(question?.detail ?? '', /^⚠ Unsaved work on it can't be checked\./);
  });

  it('has none to act on in the wrong state', async () => {
    const { deps, answered, said } = begin();
    await answered(all.stop(deps, { instanceId: 8 }));
    await answered(all.start(deps, { instanceId: 7 }));
    await answered(all.reboot(deps, { instanceId: 8 }));
    assert.deepEqual(said(), [
      'info No instance is in the right state for “Stop”. []',
      'info No instance is in the right state for “Start”. []',
      'info No instance is in the right state for “Reboot”. []',
    ]);
  });

  it('starts after a question, and at once where the price was shown', async () => {
    const { deps, answered } = begin();
    await answered(all.start(deps, { instanceId: 8 }), 'Not Now');
    assert.equal(count('start'), 0);
    assert.equal(await answered(all.startNow(deps, { instanceId: 8 })), 'started');
    assert.equal(count('start'), 1);
  });

  it('starts nothing whose rental has ended, and shows what is left to do', async () => {
    const { deps, answered, said } = begin();
    const ended = { ...stopped, endsAt: scene.computer.clock.now() / 1000 - 1 };
    scene.service.instances = [ended];
    await scene.computer.clock.through(scene.window.fleet.refresh());
    assert.equal(await answered(all.startNow(deps, { instanceId: 8 })), 'failed');
    assert.deepEqual(said(), [
      "warning The rental of helper has ended, so it can't be started again. [Copy Data…, Rent Another Like This…]",
    ]);
  });

  it('stops what was already agreed to without a question, and nothing that is gone', async () => {
    const { deps, answered, said } = begin();
    await answered(all.stopNow(deps, { instanceIds: [7, 99] }));
    assert.equal(count('stop'), 1);
    assert.equal(said().filter((line) => line.includes('dialog')).length, 0);
  });

  it('shows for several what their disks cost together', async () => {
    const { deps, answered, said } = begin();
    scene.service.instances = [running, { ...running, id: 9 }];
    await scene.computer.clock.through(scene.window.fleet.refresh());
    await answered(all.stopNow(deps, { instanceIds: [7, 9] }));
    assert.match(said().at(-1) ?? '', /^info Stopping 2 instances\. Storage still costs \$/);
  });
});
