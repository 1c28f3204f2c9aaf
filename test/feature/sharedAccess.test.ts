import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PageDriver } from '../support/feature/pageDriver';
import { makeKey, registerKey, remoteSshExtension } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const hourMs = 3_600_000;

describe('access that is shared', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  let key: string;
  let keysPath: string;

  const instances = () => window.view('instances');
  const simulator = () => computer().simulator;
  const attached = () => simulator().received('POST', keysPath);
  const onInstance = async () => {
    const { json } = await simulator().call('GET', keysPath);
    return (JSON.parse(String(json.ssh_keys)) as readonly { public_key: string }[]).map(
      ({ public_key }) => public_key,
    );
  };
  const kept = () =>
    computer()
      .ofAccounts('sharedAccess')
      .flatMap((folder) => readdirSync(folder));
  const has = async (line: string) =>
    (await onInstance()).some((one) => one.includes(line.split(' ')[1] ?? '?'));
  const share = async (line: string, name: string, span: string) => {
    await instances().inline('SSH keys', 'Share Access…');
    await window.quick.pick('Paste a Public Key…');
    await window.quick.type(line);
    await window.quick.type(name);
    await window.quick.pick(span);
  };

  before(async () => {
    await registerKey(computer());
    id = await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    keysPath = `/api/v0/instances/${id}/ssh/`;
    key = makeKey(computer(), 'ana');
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.signIn();
    await instances().expand('trainer');
    await instances().expand('SSH keys');
    window.clearToasts();
  });

  it('refuses a private key, several keys and options before a key, each with its reason', async () => {
    const home = path.dirname(computer().sshConfig);
    const secret = readFileSync(path.join(home, 'ana'), 'utf8');
    const cases: readonly (readonly [text: string, reason: RegExp])[] = [
      [secret.split('\n').join(' '), /private key, which must never leave/],
      [`${key} ${key}`, /several keys/],
      [`command="rm -rf /" ${key}`, /without the text before it/],
      [`from="*" ${key}`, /without the text before it/],
      [key.replaceAll('ssh-ed25519', 'ssh-odd'), /public key in one line/],
    ];
    for (const [text, reason] of cases) {
      await instances().inline('SSH keys', 'Share Access…');
      await window.quick.pick('Paste a Public Key…');
      await window.quick.type(text);
      assert.match(await window.quick.message(/./), reason);
      window.quick.escape();
    }
    assert.deepEqual(attached(), []);
  });

  it('asks with what it means, and gives nothing without a yes', async () => {
    await share(key, 'Ana; rm -rf / \u202e', '8 h');
    const question = await window.dialog(/Share access to trainer with Ana; rm -rf \//);
    assert.match(question.detail ?? '', /SHA256:.*root.*an open editor.*another way in/s);
    question.close();
    await computer().rest();
    assert.deepEqual(attached(), []);
    assert.deepEqual(kept(), []);
  });

  it('sends the key with a plain name, shows whose it is and until when, and copies a link', async () => {
    await share(key, 'Ana B', '8 h');
    await window.dialogButton('Share Access');
    await window.toast(/^trainer accepts the key of Ana B\. A link .* can't prove the machine/);
    assert.deepEqual(
      attached().map(({ body }) => body),
      [{ ssh_key: key.replace(/ana$/, 'Ana_B') }],
    );
    await instances().row(/^Ana B shared until /);
    await instances().click('trainer');
    const page = new PageDriver(window, 'instance');
    await page.shows('the access', ({ sections }) => sections.some((one) => one.id === 'access'));
    assert.match(page.rows('access').join(), /Ana B,shared until /);
    window.clearToasts();
  });

  it('links with the host key once a login has proved it, and connects after a question', async () => {
    await instances().inline('trainer', 'Connect');
    await window.quick.pick('home folder');
    await window.opens();
    // Sharing the same key again moves its end.
    await share(key, 'Ana', '1 h');
    await window.dialogButton('Share Access');
    await window.toast('works until the instance gets another address');
    assert.equal(attached().length, 1);
    const link = computer().clipboard.text;
    assert.match(
      link,
      /^vscode:\/\/gpu-rental\.gpu-rental\/shared\?id=\d+&host=127\.0\.0\.1&port=\d+&key=[\w-]{43}&hostkey=ssh-/,
    );
    const followed = link.replace('vscode://gpu-rental.gpu-rental', '');
    await window.follow(followed);
    (await window.dialog(/shared instance at 127\.0\.0\.1/)).close();
    await computer().rest();
    await window.follow(followed);
    await window.dialogButton('Connect', /shared instance at/);
    await window.quick.pick('home folder');
    const { address } = await window.opens();
    assert.match(address, new RegExp(`^vscode-remote://ssh-remote\\+gpu-[0-9a-f]{6}-${id}/`));
    window.clearToasts();
    // Another machine at the address is refused.
    const other = (key.split(' ')[1] ?? '').replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    await window.follow(followed.replace(/hostkey=.*/, `hostkey=ssh-ed25519.${other}`));
    await window.dialogButton('Connect', /shared instance at/);
    await window.toast(/host key/);
    window.clearToasts();
  });

  it('ends by itself, is read back, and tries again where the service fails', async () => {
    assert.ok(await has(key));
    simulator().fail({
      kind: 'error',
      status: 500,
      error: 'internal',
      method: 'DELETE',
      path: `${keysPath}{ssh_key_id}/`,
      times: 1,
    });
    await computer().pass(hourMs + 30_000);
    await window.toast('Could not take back the access of Ana to trainer');
    await window.toast('Ana no longer has access to trainer', { withinMs: 10 * 60_000 });
    assert.ok(!(await has(key)));
    await instances().noRow(/^Ana /);
    window.clearToasts();
  });

  it('ends with the next window where none was open in time', async () => {
    await share(key, 'Ana', '1 h');
    await window.dialogButton('Share Access');
    await window.toast('accepts the key of Ana');
    window.close();
    await computer().pass(2 * hourMs);
    assert.ok(await has(key));
    window = await computer().openWindow();
    await window.toast('Ana no longer has access to trainer');
    assert.ok(!(await has(key)));
  });

  it('is taken back on request, and its end is forgotten', async () => {
    await instances().expand('trainer');
    await instances().expand('SSH keys');
    await share(key, 'Ana', 'Until You Take It Back');
    await window.dialogButton('Share Access');
    await instances().row(/^Ana shared until you take it back/);
    await instances().menu(/^Ana /, 'Detach SSH Key…');
    await window.dialogButton('Detach SSH Key');
    await instances().noRow(/^Ana /);
    assert.ok(!(await has(key)));
    assert.deepEqual(kept(), []);
  });
});
