import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { registerKey } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('ports and the agent of an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  const instances = () => window.view('instances');
  const port = (number: number) => `Port ${String(number)}/tcp`;
  const mapped = (number: number) => computer().simulator.world.instance(id)?.directPorts[`${number}/tcp`];
  const address = (number: number) => `127.0.0.1:${String(mapped(number))}`;

  /** What the SSH entries that were written say about the agent. */
  function forwarding(): readonly (string | undefined)[] {
    const folder = path.join(path.dirname(computer().sshConfig), 'gpu-rental.d');
    const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.conf')) : [];
    return files.map((name) => /ForwardAgent (\w+)/.exec(readFileSync(path.join(folder, name), 'utf8'))?.[1]);
  }

  before(async () => {
    await registerKey(computer());
    id = await computer().rentRunning({
      label: 'trainer',
      runtype: 'jupyter_direct ssh_direct',
      env: { '-p 6006:6006': '1', '-p 7860:7860': '1' },
    });
    window = await computer().openSignedIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  it('shows each mapped port below its instance, where it is and that it is public', async () => {
    await instances().expand('trainer');
    for (const number of [6006, 7860]) {
      assert.ok(mapped(number) !== undefined, `port ${String(number)} is mapped`);
      await instances().row(`${port(number)} ${address(number)}, public`);
    }
    assert.match(
      await instances().tooltip(port(6006)),
      /^Anyone on the internet can reach this port at 127\.0\.0\.1:\d+\. The program that listens there must protect itself\./,
    );
    const { item } = await instances().row(port(6006));
    assert.match(
      item.accessibilityInformation?.label ?? '',
      /^Port 6006\/tcp, 127\.0\.0\.1:\d+, public, Anyone on the internet/,
    );
  });

  it('copies the address of a port', async () => {
    await instances().menu(port(7860), 'Copy Address');
    assert.equal(computer().clipboard.text, address(7860));
    assert.deepEqual(window.screen.statusMessages, ['Copied']);
  });

  it('opens a port in the browser', async () => {
    await instances().menu(port(6006), 'Open in Browser');
    assert.match(window.screen.externalLinks.join('\n'), new RegExp(`^https?://${address(6006)}/$`));
  });

  it('shows that a port is no longer open if its instance is gone', async () => {
    window.start('gpuRental.port.copy', { instanceId: id + 1, port: 6006, via: 'public' });
    await window.toast(/This port is no longer open/);
    window.clearToasts();
  });

  it('forwards the agent only after a warning, and for this instance alone', async () => {
    const other = await computer().rentRunning({ label: 'helper', runtype: 'ssh_direct' });
    window.run('Refresh');
    await instances().row('helper');
    await instances().menu('helper', 'Copy SSH Command');
    await computer().until('the entry', () => forwarding().join() === 'no');
    await instances().menu('trainer', 'Change Agent Forwarding…');
    const { detail } = await window.dialog('Let “trainer” use your SSH agent?');
    assert.match(detail ?? '', /belongs to a stranger/);
    await window.dialogButton('Cancel');
    await computer().rest();
    assert.deepEqual(forwarding(), ['no']);
    await instances().menu('trainer', 'Change Agent Forwarding…');
    await window.dialogButton('Forward the Agent');
    await computer().until('the entry', () => [...forwarding()].sort().join() === 'no,yes');
    await instances().menu('trainer', 'Change Agent Forwarding…');
    await window.dialogButton('Stop Forwarding', 'Stop letting “trainer” use your SSH agent?');
    await computer().until('the entry', () => forwarding().join() === 'no,no');
    assert.ok(other !== id);
  });

  it('keeps the two protocols of one number apart', async () => {
    const udp = '127.0.0.1:45000';
    Object.assign(computer().simulator.world.instance(id)?.directPorts ?? {}, { '6006/udp': 45_000 });
    window.run('Refresh');
    await instances().row(`${port(6006)} ${address(6006)}, public`);
    await instances().row(`Port 6006/udp ${udp}, public`);
    await instances().menu('Port 6006/udp', 'Copy Address');
    assert.equal(computer().clipboard.text, udp);
    await instances().menu(port(6006), 'Copy Address');
    assert.equal(computer().clipboard.text, address(6006));
  });

  async function linkTo(number: string): Promise<string> {
    await instances().menu('trainer', 'Forward Port…');
    await window.quick.type(number);
    await window.toast(new RegExp(`^Port ${number} of trainer is at localhost`));
    const { length } = window.screen.externalLinks;
    await instances().menu('this computer only', 'Open in Browser');
    const link = await computer().until('a link', () => window.screen.externalLinks[length]);
    await instances().inline('this computer only', 'Stop Forwarding');
    await instances().noRow('this computer only');
    return link;
  }

  it('opens Jupyter over TLS and with its token, and other ports without', async () => {
    assert.match(await linkTo('8080'), /^https:\/\/localhost:\d+\/\?token=\w+$/);
    assert.match(await linkTo('7860'), /^http:\/\/localhost:\d+\/$/);
    window.clearToasts();
  });

  it('opens Jupyter without its token while the service does not provide it, and shows that', async () => {
    const fault = { kind: 'error', status: 503, error: 'down', times: 0, method: 'GET' } as const;
    computer().simulator.fail({ ...fault, path: '/api/{version}/instances/{id}/' });
    assert.match(await linkTo('8080'), /^https:\/\/localhost:\d+\/$/);
    await window.toast(/^Could not read the Jupyter token, so the page may ask for it\./);
    computer().simulator.faults.clear();
    window.clearToasts();
  });

  it('forwards a port of another address of the instance beside that of the same number', async () => {
    for (const typed of ['7860', '127.0.0.2:7860']) {
      await instances().menu('trainer', 'Forward Port…');
      await window.quick.type(typed);
      await window.toast(new RegExp(`^Port ${typed} of trainer is at localhost`));
      window.clearToasts();
    }
    await instances().row(/^Port 7860 localhost:\d+, this computer only/);
    await instances().inline('Port 127.0.0.2:7860', 'Stop Forwarding');
    await instances().noRow('Port 127.0.0.2:7860');
    await instances().inline(/^Port 7860 localhost/, 'Stop Forwarding');
    await instances().noRow('this computer only');
  });

  it('forwards any port that is typed into the list, and explains what else is not one', async () => {
    await instances().menu('trainer', 'Forward Port…');
    await window.quick.type('70000', { enter: false });
    assert.deepEqual(window.quick.rows(), [
      'Enter a number from 1 to 65535, or an address and a number, such as 172.17.0.2:8080.',
    ]);
    await window.quick.type('80', { enter: false });
    assert.deepEqual(window.quick.rows(), ['Forward Port: 80']);
    await window.quick.type('8080', { enter: false });
    assert.deepEqual(window.quick.rows(), ['8080 HTTP']);
    await window.quick.type('3000');
    await window.toast(/^Port 3000 of trainer is at localhost/);
    await instances().inline('this computer only', 'Stop Forwarding');
    await instances().noRow('this computer only');
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(window.log(), /^\[error\]/m);
  });
});
