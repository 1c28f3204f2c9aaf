import assert from 'node:assert/strict';
import { showWithoutProgram } from '../support/fakeEditor/terminals';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';

const requests = [
  { menu: 'Stop…', button: 'Stop', says: '“trainer” is being stopped. This session has ended.' },
  { menu: 'Reboot…', button: 'Reboot', says: '“trainer” is rebooting. This session has ended.' },
  {
    menu: 'Recycle…',
    button: 'Recycle',
    says: 'The container of “trainer” is being recreated. This session has ended.',
  },
  { menu: 'Destroy…', button: 'Destroy', says: '“trainer” is being destroyed. This session has ended.' },
] as const;

for (const { menu, button, says } of requests) {
  describe(`a terminal on a machine, after ${menu}`, () => {
    const computer = useComputer({ simulator: { sshServer: true } });

    it('ends without an error, and shows why', async () => {
      await reachableInstance(computer(), 'trainer');
      const window = await computer().openSignedIn();
      const { terminals } = window.screen;
      await window.view('instances').inline('trainer', 'Open Terminal');
      const own = await computer().until('a terminal', () => terminals.all[0]);
      await window.view('instances').menu('trainer', menu);
      await window.dialogButton(button);
      const rest = await computer().until('the reason', () => terminals.all.find((one) => one !== own));
      // The user ended it, not the program: the editor says nothing of an exit code then.
      assert.deepEqual(own.exitStatus, { code: undefined, reason: 4 });
      assert.equal(rest.name, 'trainer');
      const shown = showWithoutProgram(rest);
      assert.equal(shown.text, `${says}\r\nPress any key to close the terminal.\r\n`);
      assert.ok(!shown.isClosed);
      shown.press();
      assert.ok(shown.isClosed);
      await computer().pass(60_000);
      assert.deepEqual(terminals.all, [rest]);
      window.clearToasts();
    });
  });
}
