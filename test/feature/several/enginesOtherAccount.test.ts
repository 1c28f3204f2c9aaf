import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

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

describe('a group for other tools, beside those of another account', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let other: FeatureWindow;
  let otherKey = '';
  const folderOf = (name: string) => path.join(computer().workspace, '.gpu-rental', name);
  const isThere = (name: string) => existsSync(path.join(folderOf(name), 'inventory.yml'));

  /** The entries of the groups of all accounts. */
  function entries(): readonly string[] {
    return readdirSync(computer().root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\/[0-9a-f]{16}\/hostSets\/[0-9a-f]{8}\.json$/.test(file))
      .map((file) => path.join(computer().root, file));
  }

  /** Ends with the question for the name, which proposes one. */
  async function begin(): Promise<string> {
    window.run('Use These Instances in…');
    await window.quick.pick('Ansible');
    await computer().until('a list of groups or of members', () => window.quick.isOpen);
    if (window.quick.rows().some((row) => row.includes('New Group…'))) {
      await window.quick.pick('New Group…');
    }
    await window.quick.pick('All Running Instances');
    const { open } = window.quick;
    return open.value;
  }

  async function name(text: string): Promise<void> {
    await window.quick.type(text);
    await window.quick.pick('In the Workspace');
  }

  const created = (group: string) =>
    window.toast(`You can't log in to any instance of the group ${group} now`);

  async function remove(group: string): Promise<void> {
    await window.view('instances').expand('Groups for Other Tools');
    await window.view('instances').menu(group, 'Remove Group…');
  }

  before(async () => {
    const { json } = await computer().simulator.call('POST', '/__sim/accounts/', {
      email: 'other@example.com',
    });
    otherKey = String(json.key);
    window = await computer().openSignedIn();
    window.run('Refresh');
    await computer().rest();
    other = await computer().openWindow({ isFocused: false });
  });

  async function switchTo(apiKey?: string): Promise<void> {
    await other.signIn(apiKey);
    window.run('Refresh');
    await computer().rest();
    for (const one of [window, other]) {
      one.clearToasts();
    }
  }

  it('has a name and a folder that none of the others has', async () => {
    assert.equal(await begin(), 'gpus');
    await name('gpus');
    await created('gpus');
    await switchTo(otherKey);
    assert.equal(await begin(), 'gpus2');
    await name('gpus');
    await window.toast(/\.gpu-rental\/gpus has the files of the group gpus of another account/);
    assert.equal(await begin(), 'gpus2');
    await name('gpus2');
    await created('gpus2');
    assert.equal(await begin(), 'gpus3');
    await name('gpus2');
    await window.toast(/\.gpu-rental\/gpus2 has the files of the group gpus2\. Choose another folder/);
    window.clearToasts();
  });

  it('is neither removed nor used once another account is active', async () => {
    await remove('gpus2');
    const question = await window.dialog(/Remove the group/);
    await switchTo();
    question.press('Remove');
    await window.toast(/Nothing was done because the account was switched/);
    assert.ok(isThere('gpus') && isThere('gpus2'));
    window.clearToasts();
    window.start('gpuRental.hostSet.use');
    await window.quick.title('Groups for Other Tools');
    await other.signIn(otherKey);
    await window.quick.pick('gpus');
    await window.quick.pick('Ansible');
    await window.toast(/Nothing was done because the account was switched/);
    other.clearToasts();
    window.clearToasts();
  });

  it('is created again in its folder after its entry was damaged', async () => {
    const files = entries();
    assert.equal(files.length, 2);
    for (const file of files) {
      writeFileSync(file, '{"version": 1, "name": "gpu');
    }
    assert.equal(await begin(), 'gpus');
    await name('gpus2');
    await created('gpus2');
    assert.ok(isThere('gpus2'));
    window.clearToasts();
  });

  it('has a folder that is free again once it is removed', async () => {
    await remove('gpus2');
    await window.dialogButton('Remove', /Remove the group/);
    await computer().until('its files to go', () => !isThere('gpus2'));
    assert.ok(isThere('gpus'));
    assert.equal(await begin(), 'gpus');
    await name('gpus2');
    await created('gpus2');
  });

  it('is not called missing where the disk refuses its entry', async () => {
    for (const file of entries()) {
      rmSync(file);
      // A folder can't be read as a file, whoever asks.
      mkdirSync(file);
    }
    const late = await computer().openWindow();
    await late.view('instances').expand('Groups for Other Tools');
    await late.view('instances').row(/Could not read the list.*Check its permissions and the disk/);
    late.start('gpuRental.hostSet.use');
    await late.toast(/hostSets.* could not be read/);
    assert.deepEqual(
      late.toasts().filter((text) => text.includes('There is no group yet')),
      [],
    );
    late.clearToasts();
  });
});
