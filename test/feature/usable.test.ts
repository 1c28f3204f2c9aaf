import assert from 'node:assert/strict';
import { endAll, machineTooltip, openToRent, rentWith } from '../support/feature/checkedMachine';
import { newInstance } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('a machine that is ready once a login worked and its GPUs answered', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;

  before(async () => {
    window = await openToRent(computer());
  });

  it('is shown as ready after the login, with what was found', async () => {
    const id = await rentWith(window, 'usual');
    const { text, buttons } = await window.toast(/is ready/);
    assert.match(text, /is ready\. 1× RTX 3090, driver \d+, 24 GB · disk .* · GPU and disk OK$/);
    assert.deepEqual(buttons, ['Connect']);
    assert.match(await machineTooltip(window, id), /Check \d+ s ago\*\*: 1× RTX 3090.* · GPU and disk OK/);
  });

  it('is destroyed and replaced after a question alone, by another machine that is checked as well', async () => {
    const id = await rentWith(window, 'otherGpu');
    const { world } = computer().simulator;
    const machine = world.instance(id)?.machineId;
    await window.toastButton('instead of RTX 3090', 'Replace');
    const { text, detail } = await window.dialog(/and lose/);
    assert.match(`${text} ${detail ?? ''}`, /lost for good.*for at most \$\d+\.\d+\/h/s);
    assert.ok(world.instance(id), 'destroyed before the answer');
    const next = await newInstance(computer(), () => window.dialogButton('Destroy and Rent Next Best'));
    await window.toast(/is destroyed, and another machine is rented instead/);
    assert.notEqual(next.machineId, machine);
    await window.toast(/is ready\. 1× RTX 3090/);
    await endAll(window);
  });

  it('avoids a machine that is not what was rented, also where it is kept', async () => {
    const id = await rentWith(window, 'otherGpu');
    await window.toastButton('instead of RTX 3090', 'Keep It');
    await computer().rest();
    assert.ok(computer().simulator.world.instance(id));
    window.run('Forget Failed Machines…');
    await window.quick.row(/GTX 1050 Ti instead of RTX 3090/);
    window.quick.escape();
    await endAll(window);
  });

  it('is checked again on request', async () => {
    await rentWith(window, 'usual');
    await window.toast(/is ready/);
    window.clearToasts();
    window.start('gpuRental.instance.check');
    assert.match((await window.toast(/passed the check/)).text, /1× RTX 3090.* GPU and disk OK$/);
    await endAll(window);
  });
});
