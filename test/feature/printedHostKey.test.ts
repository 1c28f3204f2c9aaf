import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance, registerKey, remoteSshExtension } from '../support/feature/reachable';
import { rent3090 } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('an instance that prints its host key into its log', () => {
  const computer = useComputer({
    simulator: { sshServer: true },
    settings: { 'gpuRental.ready.checkLogin': false },
  });
  let window: FeatureWindow;
  let id: number;
  const instances = () => window.view('instances');
  const knownHosts = () => {
    const file = path.join(path.dirname(computer().sshConfig), 'gpu-rental.d', 'known_hosts');
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  };
  const logs = () => computer().simulator.received('PUT', `/api/v0/instances/request_logs/${id}/`).length;
  const prints = (fingerprint: string) => {
    const instance = computer().simulator.world.instance(id);
    assert.ok(instance);
    instance.onstart = `Creating SSH2 ED25519 key; this may take some time ...\n256 ${fingerprint} root@c1 (ED25519)`;
  };

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    prints(`SHA256:${'A'.repeat(43)}`);
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.signIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  it('is refused with words where another key is at its address, and nothing is kept', async () => {
    await instances().inline('trainer', 'Connect');
    (await window.toast(/not the one that the log of the instance names/)).close();
    assert.equal(knownHosts(), '');
    assert.equal(window.quick.isOpen, false);
  });

  it('is refused by the doctor as well, which keeps nothing either', async () => {
    window.run('Run Doctor');
    await window.quick.title('Doctor:');
    await window.quick.row(/^Host key of the instance .*not the one that the log of the instance names/s);
    window.quick.escape();
    assert.equal(knownHosts(), '');
  });

  const asking: Readonly<Record<string, () => Promise<unknown>>> = {
    'Open Terminal': () => instances().inline('trainer', 'Open Terminal'),
    'Copy SSH Command': () => instances().menu('trainer', 'Copy SSH Command'),
  };
  for (const [name, run] of Object.entries(asking)) {
    it(`is refused before ssh asks the user to trust it: ${name}`, async () => {
      await run();
      const refused = await window.toast(/not the one that the log of the instance names/);
      assert.deepEqual(refused.buttons, ['Retry', 'Show Log']);
      refused.close();
      await computer().rest();
      assert.equal(window.screen.terminals.all.length, 0);
      assert.equal(computer().clipboard.text, '');
      assert.equal(knownHosts(), '');
    });
  }

  it('is refused by the check before a destroy as well, which keeps nothing either', async () => {
    await instances().menu('trainer', 'Destroy…');
    const { detail } = await window.dialog('Destroy “trainer”?');
    assert.match(detail ?? '', /unsaved work on it can't be checked\. .*not the one that the log/i);
    await window.dialogButton('Cancel', 'Destroy “trainer”?');
    assert.equal(knownHosts(), '');
  });

  it('is let in where the key is that one, and its log is not asked for again', async () => {
    const hostKey = path.join(computer().root, 'instances', `${id}.machine`, 'host_key');
    const [, fingerprint = ''] = execFileSync('ssh-keygen', ['-lf', hostKey], { encoding: 'utf8' }).split(
      ' ',
    );
    prints(fingerprint);
    await instances().inline('trainer', 'Connect');
    await window.quick.title('Open trainer');
    window.quick.escape();
    assert.equal(knownHosts().split('\n').length, 1);
    const before = logs();
    await instances().inline('trainer', 'Connect');
    await window.quick.title('Open trainer');
    window.quick.escape();
    await computer().rest();
    assert.equal(logs(), before);
    assert.deepEqual(window.toasts(), []);
  });
});

describe('an instance whose log names another host key while it gets ready', () => {
  const computer = useComputer({ simulator: { sshServer: true } });

  it('waits with the words for that, and ends with them', async () => {
    await registerKey(computer());
    const window = await computer().openSignedIn();
    const { id } = await rent3090(window);
    const instance = computer().simulator.world.instance(id);
    assert.ok(instance);
    instance.onstart = `Creating SSH2 ED25519 key\n256 SHA256:${'A'.repeat(43)} root@c1 (ED25519)`;
    await window.view('instances').row(/No login: its host key is not the one in its log/);
    await window.toast(/is running, but its host key is not the one in its log: another machine may/);
  });
});

describe('an instance whose start line prints its host key', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const entry = (id: number) => {
    const folder = path.join(path.dirname(computer().sshConfig), 'gpu-rental.d');
    const name = readdirSync(folder).find((one) => one.endsWith(`-${id}.conf`)) ?? '';
    return readFileSync(path.join(folder, name), 'utf8');
  };
  const logs = (id: number) =>
    computer().simulator.received('PUT', `/api/v0/instances/request_logs/${id}/`).length;
  let window: FeatureWindow;

  before(async () => {
    await registerKey(computer());
    window = await computer().openSignedIn();
  });

  it('is verified at its first login, with the one reading of its log', async () => {
    const { id, onstart } = await rent3090(window);
    assert.match(onstart ?? '', /^\( : .*\n\( \(.*# GPU Rental: prints the host key\n$/);
    await window.toast(/is ready/);
    assert.match(entry(id), /^# account [0-9a-f]+ endpoint \w+ proved printed$/m);
    assert.equal(logs(id), 1);
    assert.match(window.log(), /The start line in the log printed this host key/);
  });

  it('is shown without that line, as the user wrote its script', async () => {
    const { id, onstart } = await rent3090(window);
    assert.ok(onstart?.includes('GPU Rental'));
    window.start('gpuRental.instance.showDetails', { instanceId: id });
    const text = (await window.document(/"id"/)).getText();
    assert.ok(!text.includes('ssh-keyscan'), text);
  });
});
