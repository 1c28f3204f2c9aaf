import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('several instances of which some let nothing in', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;

  before(async () => {
    // It was rented before the account had the key.
    await computer().rentRunning({ label: 'sweep', runtype: 'ssh_direct' });
    await computer().rentRunning({ label: 'sweep', runtype: 'ssh_direct' });
    await reachableInstance(computer(), 'open');
    window = await computer().openSignedIn();
    await window.view('instances').row('open');
    window.clearToasts();
  });

  it('show their reasons beside the results of the others, and no message to close first', async () => {
    window.run('Run Command…');
    await window.quick.title('Run Command');
    await window.quick.enter();
    await window.quick.type('echo it-works');
    await window.quick.title('Results: echo it-works');
    await window.quick.row(/open.*it-works/);
    const closed = window.quick.rows().filter((row) => /sweep #\d+.*key/.test(row));
    assert.equal(closed.length, 2, window.quick.rows().join('\n'));
    window.quick.escape();
  });

  it('are named where host files leave them out, and keep no other one waiting', async () => {
    window.run('Save Host Files…');
    await window.quick.title('Save Host Files');
    await window.quick.enter();
    await window.quick.pick('In the Workspace');
    await window.toast(/Instances: 1\. Left out, because no login works: sweep #\d+, sweep #\d+\.$/);
    const hosts = readFileSync(path.join(computer().workspace, '.gpu-rental', 'hosts', 'hosts.txt'), 'utf8');
    assert.match(hosts, /^gpu-\S+\n$/);
    await window.view('instances').noRow('Save Again');
    window.clearToasts();
  });
});
