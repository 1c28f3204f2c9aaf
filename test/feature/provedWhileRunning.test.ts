import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { machineTooltip, openToRent, rentWith } from '../support/feature/checkedMachine';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const minute = 60_000;

describe('a machine that loses a card while it runs', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;

  /** The driver's tool of the machine answers otherwise from now on. */
  const loses = () => {
    const tool = path.join(computer().root, 'instances', `${id}.machine`, 'bin', 'nvidia-smi');
    writeFileSync(tool, readFileSync(tool, 'utf8').replace('-v gpus=2', '-v gpus=1'));
  };
  const reports = () =>
    computer()
      .simulator.received('PUT')
      .filter((sent) => sent.path.endsWith('/report'));
  const machineId = () => computer().simulator.world.instance(id)?.machineId ?? 0;

  before(async () => {
    window = await openToRent(computer());
    id = await rentWith(window, 'usual', '2x 3090', /2× RTX 3090/);
    await window.toast(/is ready/);
    window.clearToasts();
    loses();
  });

  it('is named in one message after the next connection, and in its row', async () => {
    await computer().pass(15 * minute);
    assert.deepEqual(window.toasts(), []);
    await window.view('instances').inline(new RegExp(`#${id}`), 'Open Terminal');
    await computer().pass(minute);
    const { text, buttons } = await window.toast(/is running, but 1 of 2 GPUs answer\.$/);
    assert.match(text, /is running, but/);
    assert.deepEqual(buttons, ['Replace', 'Report Machine…', 'Open']);
    assert.match(await machineTooltip(window, id), /Check .* ago\*\*: 1 of 2 GPUs answer/);
  });

  it('is reported with words that are shown first, and once', async () => {
    await window.toastButton(/1 of 2 GPUs answer/, 'Report Machine…');
    await window.quick.title(`Report Machine: #${machineId()}`);
    await window.quick.pick(/Machine Performance Is Less Than Expected/);
    await window.quick.title(/Less Than Expected/);
    assert.equal(window.quick.open.value, '1 of 2 GPUs answer');
    await window.quick.type('1 of 2 GPUs answer since noon');
    const { detail } = await window.dialog(`Report machine #${machineId()} to its owner?`);
    assert.match(
      detail ?? '',
      /can't take it back\.\n\nMachine Performance.*\n1 of 2 GPUs answer since noon$/,
    );
    assert.deepEqual(reports(), []);
    await window.dialogButton('Report Machine');
    await window.toast(`Machine #${machineId()} is reported.`);
    assert.deepEqual(
      reports().map(({ body }) => body),
      [
        {
          instance_id: id,
          problem: 'Machine Performance Is Less Than Expected',
          message: '1 of 2 GPUs answer since noon',
        },
      ],
    );
  });

  it('is named before it is destroyed, while it can still be reported', async () => {
    await window.view('instances').menu(new RegExp(`#${id}`), 'Destroy…');
    const { detail } = await window.dialog(/^Destroy/);
    assert.match(
      detail ?? '',
      /⚠ .*: 1 of 2 GPUs answer\. To report that .* choose Report Machine… on the page/,
    );
    await window.dialogButton('Cancel', /^Destroy/);
  });
});
