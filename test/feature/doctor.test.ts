import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance, remoteSshExtension } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('the doctor', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;

  const key = () => path.join(path.dirname(computer().sshConfig), 'id_ed25519');
  const knownHosts = () => path.join(path.dirname(computer().sshConfig), 'gpu-rental.d', 'known_hosts');
  const changes = () =>
    computer()
      .simulator.requests()
      .filter(({ method, path }) => method !== 'GET' && !path.includes('/request_logs/')).length;

  async function examine(): Promise<void> {
    window.run('Run Doctor');
    await window.quick.title('Doctor:');
  }

  /** Opens a finding in full and takes its fix. */
  async function mend(title: string, button: string): Promise<void> {
    await window.quick.pick(title);
    await window.dialogButton(button, title);
  }

  before(async () => {
    await reachableInstance(computer(), 'trainer');
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.signIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
  });

  it('finds a key that others can read, reports that in full, and removes their rights', async () => {
    chmodSync(key(), 0o644);
    const before = changes();
    await examine();
    assert.match(window.quick.open.title ?? '', /Doctor: \d+ to fix/);
    await window.quick.row('Login');
    await mend('File permissions', 'Make Private');
    await window.toast('Only you can access your keys');
    assert.equal(statSync(key()).mode & 0o777, 0o600);
    assert.equal(changes(), before);
  });

  it('finds nothing to mend afterwards, and names what does not apply', async () => {
    window.clearToasts();
    await examine();
    await window.quick.title('no problem found');
    await window.quick.row(/Proxy.*No proxy is used/s);
    const before = computer().simulator.requests().length;
    window.quick.escape();
    await computer().rest();
    assert.deepEqual([window.quick.isOpen, computer().simulator.requests().length], [false, before]);
  });

  it('forgets a host key that changed only after it was asked to twice', async () => {
    const pinned = readFileSync(knownHosts(), 'utf8');
    const other = readFileSync(`${key()}.pub`, 'utf8').split(' ').slice(0, 2).join(' ');
    writeFileSync(knownHosts(), pinned.replace(/ssh-ed25519 \S+/, other));
    const changed = readFileSync(knownHosts(), 'utf8');
    assert.notEqual(changed, pinned);
    await examine();
    await window.quick.pick('Host key of the instance');
    const found = await window.dialog('Host key of the instance');
    // A hasty Enter takes the first button.
    assert.deepEqual(found.buttons.slice(0, 2), ['Check Again', 'Forget the Old Key']);
    found.press('Check Again');
    await window.quick.title('Doctor:');
    assert.equal(readFileSync(knownHosts(), 'utf8'), changed);
    await mend('Host key of the instance', 'Forget the Old Key');
    await window.dialogButton('Cancel', 'Forget the host key of this instance?');
    await computer().rest();
    assert.equal(readFileSync(knownHosts(), 'utf8'), changed);
    await examine();
    await mend('Host key of the instance', 'Forget the Old Key');
    await window.dialog('Forget the host key of this instance?');
    assert.equal(readFileSync(knownHosts(), 'utf8'), changed);
    await window.dialogButton('Forget');
    await computer().until(
      'the old key to be gone',
      () => !readFileSync(knownHosts(), 'utf8').includes(other),
    );
    await examine();
    await window.quick.title('no problem found');
  });

  it('checks again on request', async () => {
    const asked = () => computer().simulator.received('GET', '/api/v0/users/current/').length;
    const before = asked();
    await window.quick.pick('Check Again');
    await window.quick.title('no problem found');
    assert.ok(asked() > before);
  });

  it('shows its report as text before anybody saves it, without the key and the name of the account', async () => {
    await window.quick.pick('Show as Text…');
    const document = await window.document(/\[ok\] Login/);
    assert.ok(document.isUntitled);
    assert.match(document.getText(), /GPU Rental/);
    assert.doesNotMatch(document.getText(), new RegExp(computer().simulator.apiKey));
    assert.doesNotMatch(document.getText(), /BEGIN|\/home\/\w|@example\.com/);
  });

  it('stops at once on request, and shows nothing half-checked', async () => {
    window.clearToasts();
    computer().simulator.fail({ kind: 'stall', method: 'GET', path: '/api/v0/users/current/', times: 5 });
    window.run('Run Doctor');
    await window.toastButton('Checking your setup', 'Cancel');
    await computer().until('the end of it', () => window.toasts().length === 0);
    assert.equal(window.quick.isOpen, false);
    assert.doesNotMatch(window.log(), /^\[error\]/m);
    computer().simulator.faults.clear();
  });

  for (const [how, order, said] of [
    [
      'refuses the key',
      { kind: 'error', status: 401, error: 'auth_error', msg: 'Invalid key' },
      /^API key .*key/,
    ],
    ['has a problem of its own', { kind: 'html500' }, /^API key .*service/],
    ['answers something else', { kind: 'wrongTypes' }, /^(API key|Credit) /],
  ] as const) {
    it(`names the part that fails where the service ${how}, and looks at the rest`, async () => {
      window.clearToasts();
      computer().simulator.fail({ ...order, method: 'GET', path: '/api/v0/users/current/', times: 0 });
      await examine();
      await window.quick.row(said);
      await window.quick.row(/^SSH client OpenSSH/);
      window.quick.escape();
      computer().simulator.faults.clear();
      window.clearToasts();
    });
  }
});

describe('the doctor as the first command of a window', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const lists = { method: 'GET', path: '/api/v1/instances/' } as const;
  const asked = () => computer().simulator.received('GET', '/api/v0/users/current/').length;
  let window: FeatureWindow;

  before(async () => {
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.signIn();
    await window.view('instances').welcomeShows('No instances');
    window.close();
    await computer().rest();
    // Rented elsewhere since the last list.
    await reachableInstance(computer(), 'trainer');
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
  });

  it('does not report that no instance is running if it could not read them', async () => {
    computer().simulator.fail({ ...lists, kind: 'html500', times: 0 });
    window.run('Run Doctor');
    await window.quick.title('Doctor:');
    await window.quick.row(/^Login .*Could not read the instances\./s);
    await window.quick.row(/^SSH client OpenSSH/);
  });

  it('reads them when it checks again, and tries the login', async () => {
    computer().simulator.faults.clear();
    await window.quick.pick('Check Again');
    await window.quick.row(/^Login .*No problem found/s);
    window.quick.escape();
    window.clearToasts();
  });

  it('checks nothing where the user leaves the choice of an instance', async () => {
    await computer().rentRunning({ label: 'second', runtype: 'ssh_direct' });
    window.run('Refresh');
    await window.view('instances').row('second');
    window.run('Run Doctor');
    await window.quick.title('Run Doctor');
    await computer().rest();
    const before = asked();
    window.quick.escape();
    await computer().rest();
    assert.deepEqual([window.quick.isOpen, asked(), window.toasts()], [false, before, []]);
  });
});

describe('the doctor without an account', () => {
  const computer = useComputer();

  it('reports that, and checks this computer all the same', async () => {
    const window = await computer().openWindow();
    window.run('Run Doctor');
    await window.quick.title('Doctor:');
    await window.quick.row('You are not signed in');
    assert.deepEqual(computer().simulator.requests(), []);
    window.quick.escape();
  });
});
