import assert from 'node:assert/strict';
import { makeKey } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('the keys of an instance', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let path: string;

  const instances = () => window.view('instances');

  before(async () => {
    const { simulator } = computer();
    const id = await computer().rentRunning({ label: 'trainer' });
    path = `/api/v0/instances/${id}/ssh/`;
    await simulator.call('POST', path, { ssh_key: makeKey(computer(), 'first') });
    makeKey(computer(), 'second');
    window = await computer().openSignedIn();
    await instances().expand('trainer');
    await instances().expand('SSH keys');
    await instances().row('first');
    await instances().row(/^SSH keys 1$/);
    window.clearToasts();
  });

  it('stay with their time and the reason where they can’t be read after a change, until they can', async () => {
    const { simulator } = computer();
    // The command reads them before it sends anything.
    simulator.fail({ kind: 'html500', method: 'GET', path, skip: 1, times: 0 });
    await instances().inline('SSH keys', 'Attach SSH Key…');
    await window.quick.pick('Use second');
    await instances().row(/^Could not refresh since \S+ \S+ Select to retry\. .*problem of its own/);
    await instances().row('first');
    await instances().row(/^SSH keys 1, as of \d/);
    simulator.faults.clear();
    await instances().click('Could not refresh');
    await instances().row('second');
    await instances().noRow('Could not refresh');
    await instances().row(/^SSH keys 2$/);
  });

  it('are read again where the answer to a change is lost, which the message asks to check', async () => {
    const { simulator } = computer();
    const lose = (method: string, route: string) =>
      simulator.fail({ kind: 'dropAfter', method, path: route });
    const { json } = await simulator.call('GET', path);
    const [, second] = JSON.parse(String(json.ssh_keys)) as readonly { id: number }[];
    lose('DELETE', `${path}${second?.id ?? 0}/`);
    await instances().menu('second', 'Detach SSH Key');
    await window.dialogButton('Detach SSH Key');
    // The keys that are read show it.
    await instances().noRow('second');
    assert.deepEqual(window.toasts(), []);
    lose('POST', path);
    await instances().inline('SSH keys', 'Attach SSH Key…');
    await window.quick.pick('Use second');
    await instances().row('second');
    window.clearToasts();
  });

  it('name those that can’t be read, and count them', async () => {
    const { simulator } = computer();
    simulator.faults.clear();
    const { json } = await simulator.call('GET', path);
    const [first] = JSON.parse(String(json.ssh_keys)) as readonly unknown[];
    const body = { ...json, ssh_keys: JSON.stringify([first, { id: { broken: true } }]) };
    simulator.fail({ kind: 'answer', method: 'GET', path, status: 200, body, times: 0 });
    window.run('Refresh');
    await instances().row('Could not be read: 1');
    await instances().row(/^SSH keys ≥ 1$/);
    assert.match(await instances().tooltip('Could not be read: 1'), /attached to the instance/);
    simulator.faults.clear();
    window.run('Refresh');
    await instances().noRow('could not be read');
    await instances().row('second');
  });
});
