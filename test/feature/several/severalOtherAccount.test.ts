import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';

describe('a command on several instances', () => {
  const computer = useComputer({ simulator: { sshServer: true } });

  it('runs on none of another account that is active by the time of a retry', async () => {
    await reachableInstance(computer(), 'sweep-1');
    const { json } = await computer().simulator.call('POST', '/__sim/accounts/', {
      email: 'other@example.com',
    });
    const window = await computer().openSignedIn();
    await window.view('instances').row('sweep-1');
    const flag = path.join(computer().root, 'flag');
    window.run('Run Command…');
    await window.quick.type(`if mkdir ${flag}.seen; then exit 3; fi; touch ${flag}`);
    await window.quick.row(/sweep-1.*exit code 3/);
    const other = await computer().openWindow();
    await other.signIn(String(json.key));
    await computer().rest();
    await window.quick.pick('Retry Failed');
    await window.quick.row(/sweep-1.*Nothing was done because the account was switched/);
    assert.equal(existsSync(flag), false);
    window.quick.escape();
    window.clearToasts();
    other.clearToasts();
  });
});
