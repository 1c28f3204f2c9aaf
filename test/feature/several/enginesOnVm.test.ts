import assert from 'node:assert/strict';
import { haveKey, newInstance, rentNow, searchAndReview } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('a tool that rented containers can’t carry, beside a virtual machine', () => {
  const computer = useComputer();
  let window: FeatureWindow;

  async function explained(tool: string) {
    await window.quick.title('Use These Instances in');
    await window.quick.pick(tool);
    return window.dialog(/can't use rented containers/);
  }

  async function rentVm(): Promise<void> {
    const { quick } = window;
    await searchAndReview(window, '1x 3090 vm', /1× RTX 3090/);
    await quick.pick('More Options…');
    await quick.pick('Virtual Machine instead of a Container');
    await quick.title('Virtual Machine');
    await quick.pick('Yes');
    await quick.pick('Done');
    const { id } = await newInstance(computer(), () => rentNow(window));
    await window.toast(new RegExp(`#${id} is ready`));
  }

  before(async () => {
    computer().settings.set('gpuRental.ready.checkLogin', false);
    await haveKey(computer());
    await computer().rentRunning({ label: 'container', runtype: 'ssh_direct' });
    window = await computer().openSignedIn();
  });

  it('names no machine where there is none, and has nothing to press but OK', async () => {
    window.run('Use These Instances in…');
    const said = await explained('dstack');
    assert.doesNotMatch(said.detail ?? '', /is a virtual machine/);
    assert.deepEqual(said.buttons, ['OK']);
    said.close();
  });

  it('names the virtual machine that can carry it, with a terminal on it', async () => {
    await rentVm();
    for (const tool of ['SkyPilot', 'dstack', 'DevPod', 'Kubernetes']) {
      window.run('Use These Instances in…');
      const said = await explained(tool);
      assert.match(
        said.detail ?? '',
        new RegExp(
          `\\n\\n1× RTX 3090.* is a virtual machine, which can run ${tool} by itself\\. Install it there\\.$`,
        ),
      );
      assert.deepEqual(said.buttons, ['Open Terminal', 'Cancel']);
      said.close();
      await computer().rest();
    }
    await window.view('instances').menu(/1× RTX 3090/, 'Attach SSH Key…');
    const toast = await window.toast(/A virtual machine accepts only the SSH keys that your account had/);
    assert.deepEqual(toast.buttons, ['Add SSH Key…', 'Rent Another…']);
    window.run('Use These Instances in…');
    const said = await explained('Slurm');
    assert.doesNotMatch(said.detail ?? '', /by itself/);
    said.close();
  });

  it('leaves it out where the choice is another instance, and names several', async () => {
    await window.view('instances').menu('container', 'Use These Instances in…');
    const other = await explained('dstack');
    assert.doesNotMatch(other.detail ?? '', /is a virtual machine/);
    other.close();
    await computer().rest();
    await rentVm();
    window.run('Use These Instances in…');
    const both = await explained('dstack');
    assert.match(
      both.detail ?? '',
      /virtual machines, each of which can run dstack by itself: 1× RTX 3090.*, 1× RTX 3090/,
    );
    assert.deepEqual(both.buttons, ['OK']);
    both.close();
  });
});
