import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const machine = /^#\d+/;

describe('the machines of a host', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const hosting = () => window.view('hosting');

  before(async () => {
    window = await computer().openWindow();
    await window.signIn();
    window.clearToasts();
  });

  it('lists the maintenance that is scheduled below its machine, until it is over', async () => {
    const at = new Date(computer().clock.now() + 2 * 3_600_000);
    const two = (value: number) => String(value).padStart(2, '0');
    const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
    await hosting().menu(machine, 'Schedule Maintenance…');
    await window.quick.title(/Start/);
    await window.quick.type(`${day} ${two(at.getHours())}:00`);
    await window.quick.title(/Duration/);
    await window.quick.type('0.5');
    await window.quick.title(/Category/);
    await window.quick.pick('GPU');
    await window.quick.title(/Reason/);
    await window.quick.type('New fans');
    await window.dialogButton('Schedule and Notify');
    await window.toast(/is scheduled/);
    await hosting().row(/^Maintenance: .*until .* · GPU · New fans$/);
    await computer().pass(3 * 3_600_000);
    await hosting().titleAction('Refresh');
    await hosting().noRow('New fans');
  });
});
