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

  it('are named where the files leave them out, and keep no other one waiting', async () => {
    window.run('Use These Instances in…');
    await window.quick.pick('hosts.txt');
    await window.quick.pick('All Running Instances');
    await window.quick.type('crew');
    await window.quick.pick('In the Workspace');
    await window.quick.title('hosts.txt: crew');
    await window.toast(
      /^Could not log in to these instances, so the files leave them out: sweep #\d+, sweep #\d+$/,
    );
    const hosts = readFileSync(path.join(computer().workspace, '.gpu-rental', 'crew', 'hosts.txt'), 'utf8');
    assert.match(hosts, /^gpu-\S+\n$/);
    window.quick.escape();
    window.clearToasts();
  });

  it('run a command from the row of their group, which lists later ones as well', async () => {
    await window.view('instances').expand('Groups for Other Tools');
    await window.view('instances').menu('crew', 'Run Command…');
    await window.quick.title('Run Command');
    await window.quick.type('echo of-the-group');
    await window.quick.title('Results: echo of-the-group');
    await window.quick.row(/open.*of-the-group/);
    assert.equal(window.quick.rows().filter((row) => /^(?:\$\(\w+\) )?(?:sweep|open)/.test(row)).length, 3);
    window.quick.escape();
    await window.view('instances').menu('crew', 'Show Logs…');
    await window.quick.title('Results: Show Logs');
    window.quick.escape();
    window.screen.answerFileDialog = () => Promise.resolve([]);
    await window.view('instances').menu('crew', 'Upload…');
    await computer().rest();
    assert.equal(window.quick.isOpen, false);
  });

  it('are named as what does not run, where nothing of a group does', async () => {
    window.run('Use These Instances in…');
    await window.quick.pick('hosts.txt');
    await window.quick.pick('New Group…');
    await window.quick.pick('Instances by Label…');
    await window.quick.type('nothing-*');
    await window.quick.type('empty');
    await window.quick.pick('In the Workspace');
    await window.toast(/You can't log in to any instance of the group empty now/);
    window.clearToasts();
    await window.view('instances').menu('empty', 'Run Command…');
    const { buttons } = await window.toast(/^No instance of the group empty is running\.$/);
    assert.deepEqual(buttons, ['Show Instances']);
    window.clearToasts();
  });

  it('are not handed over by files that could not be written', async () => {
    computer().simulator.fail({
      ...{ kind: 'error', status: 500, method: 'GET' },
      ...{ path: '/api/v1/instances/', times: 0 },
    });
    window.run('Refresh');
    await window.toast(/The service has a problem of its own/);
    window.clearToasts();
    window.run('Use These Instances in…');
    await window.quick.pick('hosts.txt');
    await window.quick.pick('New Group…');
    await window.quick.pick('All Running Instances');
    await window.quick.type('late');
    await window.quick.pick('In the Workspace');
    await window.toast(/The service has a problem of its own/);
    assert.equal(window.quick.isOpen, false);
    window.clearToasts();
    // Files of an earlier list can be used.
    await window.view('instances').menu('crew', 'Use Group in…');
    await window.quick.pick('hosts.txt');
    await window.quick.title('hosts.txt: crew');
    window.quick.escape();
    window.clearToasts();
    computer().simulator.faults.clear();
  });
});
