import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { knownResolvers } from '../../src/ssh/resolvers';
import { leavesAccountSsh } from '../support/accountSsh';
import type { WindowNature } from '../support/fakeEditor/vscodeModule';
import type { Computer } from '../support/feature/computer';
import { reachableInstance, remoteSshExtension } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

/** Where the settings of those are that have a place of their own. */
const sections: Readonly<Record<string, string>> = {
  'codeium.windsurf-remote-openssh': 'remote.windsurfSSH',
  'google.antigravity-remote-openssh': 'remote.antigravitySSH',
};

/** An `ssh` that takes the config of this computer where it is told none, since the real one asks the account for it. */
function homeSsh({ root, sshConfig }: Computer): string {
  const file = path.join(root, 'bin', 'ssh');
  mkdirSync(path.dirname(file));
  writeFileSync(file, `#!/bin/sh\nexec ssh -F '${sshConfig}' "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

describe('one click with the Remote-SSH extension of each editor', () => {
  const computer = useComputer({
    simulator: { sshServer: true },
    settings: { 'gpuRental.connect.folder': '/tmp/my project' },
  });
  const section = (id: string) => sections[id] ?? 'remote.SSH';
  const stub = (id: string) => remoteSshExtension(id, section(id));
  const platforms = (id: string) => computer().settings.values[`${section(id)}.remotePlatform`];
  let expected: RegExp;

  /** A new window, as after the installation of extensions, with the instance in it; `use` runs in it. */
  async function inWindow(
    extensions: WindowNature['extensions'],
    use: (window: FeatureWindow) => Promise<void>,
  ): Promise<void> {
    const window = await computer().openWindow({ extensions });
    await window.view('instances').row('trainer');
    await use(window);
    window.clearToasts();
    window.close();
  }

  before(async () => {
    const id = await reachableInstance(computer(), 'trainer');
    expected = new RegExp(`^vscode-remote://ssh-remote\\+gpu-[0-9a-f]{6}-${id}/tmp/my project$`);
    const ssh = homeSsh(computer());
    for (const name of Object.values(sections)) {
      computer().settings.set(`${name}.path`, ssh);
    }
    const window = await computer().openSignedIn();
    window.clearToasts();
    window.close();
  });

  it('shows what is missing if there is none', async () => {
    await inWindow([], async (window) => {
      await window.view('instances').inline('trainer', 'Connect');
      await window.toast('needs a Remote-SSH extension');
    });
  });

  for (const id of Object.keys(knownResolvers)) {
    it(`opens the machine with ${id}`, async () => {
      await inWindow([stub(id)], async (window) => {
        await window.view('instances').inline('trainer', 'Connect');
        if (id in sections) {
          (await window.dialog('Use the SSH program')).press('Use This Program');
        }
        const { address } = await window.opens();
        assert.match(address, expected);
        const alias = /\+([^/]+)/.exec(address)?.[1] ?? '';
        assert.deepEqual(platforms(id), { [alias]: 'linux' });
        assert.deepEqual(
          window.toasts().filter((text) => text.includes('Remote-SSH')),
          [],
        );
      });
      computer().settings.set(`${section(id)}.remotePlatform`, undefined);
    });
  }

  it('leaves the settings of the user for other hosts as they are', async () => {
    const id = 'ms-vscode-remote.remote-ssh';
    computer().settings.set(`${section(id)}.remotePlatform`, { mine: 'windows' });
    await inWindow([stub(id)], async (window) => {
      await window.view('instances').inline('trainer', 'Connect');
      const { address } = await window.opens();
      const alias = /\+([^/]+)/.exec(address)?.[1] ?? '';
      assert.deepEqual(platforms(id), { mine: 'windows', [alias]: 'linux' });
    });
    computer().settings.set(`${section(id)}.remotePlatform`, undefined);
  });

  it('opens the machine where two are installed, and the doctor names both', async () => {
    await inWindow(
      [stub('jeanp413.open-remote-ssh'), stub('ms-vscode-remote.remote-ssh')],
      async (window) => {
        await window.view('instances').inline('trainer', 'Connect');
        assert.match((await window.opens()).address, expected);
        window.run('Run Doctor');
        await window.quick.title('Doctor:');
        await window.quick.row(
          /Remote-SSH extension.*Two are installed, Stand-In for \S+ and Stand-In for \S+, and either may open a window/,
        );
        window.quick.escape();
      },
    );
  });

  it('does not use an extension that only activates for SSH windows', async () => {
    await inWindow([remoteSshExtension('someone.prepares-hosts')], async (window) => {
      await window.view('instances').inline('trainer', 'Connect');
      await window.toast('needs a Remote-SSH extension');
    });
  });

  it('opens the machine with an unknown one that labels SSH windows', async () => {
    const { id, packageJSON } = remoteSshExtension('someone.new-remote-ssh');
    const resourceLabelFormatters = [{ scheme: 'vscode-remote', authority: 'ssh-remote+*' }];
    const contributes = { ...packageJSON.contributes, resourceLabelFormatters };
    await inWindow([{ id, packageJSON: { ...packageJSON, contributes } }], async (window) => {
      await window.view('instances').inline('trainer', 'Connect');
      assert.match((await window.opens()).address, expected);
    });
  });

  leavesAccountSsh();
});
