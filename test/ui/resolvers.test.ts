import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { knownResolverIds } from '../../src/ssh/resolvers';
import { leavesAccountSsh } from '../support/accountSsh';
import { installExtension, uninstallExtension } from '../support/editorHost';
import { signIn } from '../support/journey';
import { reachableInstance } from '../support/reachableInstance';
import { accountHome, homeSsh, packageResolver } from '../support/resolverStub';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

/** Where the settings of those are that have a place of their own. */
const sections: Readonly<Record<string, string>> = {
  'codeium.windsurf-remote-openssh': 'remote.windsurfSSH',
  'google.antigravity-remote-openssh': 'remote.antigravitySSH',
};

describe('one click with the Remote-SSH extension of each editor', function () {
  this.timeout(120_000);
  const session = useUiSession('resolvers', {
    settings: { 'gpuRental.connect.folder': '/tmp/my project' },
    preload: accountHome,
  });
  const packages = new Map<string, string>();
  const section = (id: string) => sections[id] ?? 'remote.SSH';
  const settings = () =>
    readFileSync(path.join(session().host.dataDir, 'data', 'User', 'settings.json'), 'utf8');
  let expected: RegExp;

  /** A new window, as after the installation of an extension, with the instance in it. */
  async function freshWindow(): Promise<Workbench> {
    const workbench = await session().window();
    await workbench.openContainer('GPU Rental');
    await workbench.view('Instances').row('trainer').waitFor({ timeout: 60_000 });
    return workbench;
  }

  async function click(workbench: Workbench): Promise<void> {
    const instances = workbench.view('Instances');
    await instances.inlineAction(instances.row('trainer'), 'Connect');
  }

  /** What the window that one click opens is asked for. */
  async function requestAfterClick(workbench: Workbench): Promise<string> {
    const page = await session().opensWindow(() => click(workbench));
    const folder = new URL(page.url()).searchParams.get('folder') ?? '';
    await page.close();
    return folder;
  }

  before(async function () {
    this.timeout(120_000);
    await Promise.all(
      knownResolverIds.map(async (id) => {
        packages.set(id, await packageResolver({ id, section: section(id) }, session().root));
      }),
    );
    const id = await reachableInstance(session(), 'trainer');
    expected = new RegExp(`^vscode-remote://ssh-remote\\+gpu-[0-9a-f]{6}-${id}/tmp/my project$`);
    const ssh = homeSsh(session().root);
    const paths = Object.values(sections).map((name) => [`${name}.path`, ssh] as const);
    session().changeSettings(Object.fromEntries(paths));
  });

  it('says what is missing where there is none', async () => {
    const workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.view('Instances').row('trainer').waitFor();
    await workbench.clearNotifications();
    await click(workbench);
    await workbench.toast('needs a Remote-SSH extension');
    await workbench.page.close();
  });

  for (const id of knownResolverIds) {
    it(`opens the machine with ${id}`, async () => {
      const { dataDir } = session().host;
      await installExtension(dataDir, packages.get(id));
      const workbench = await freshWindow();
      try {
        assert.match(await requestAfterClick(workbench), expected);
        const platform = `${section(id)}.remotePlatform`;
        await until(`the platform in ${platform}`, () => settings().includes(`"${platform}"`));
        assert.equal(await workbench.toasts.filter({ hasText: 'Remote-SSH' }).count(), 0);
      } finally {
        await workbench.page.close();
        await uninstallExtension(dataDir, id);
      }
    });
  }

  it('opens the machine where two are installed, and the doctor names both', async () => {
    const { dataDir } = session().host;
    for (const id of ['jeanp413.open-remote-ssh', 'ms-vscode-remote.remote-ssh']) {
      await installExtension(dataDir, packages.get(id));
    }
    const workbench = await freshWindow();
    assert.match(await requestAfterClick(workbench), expected);
    await workbench.run('Run Doctor');
    await workbench.quick.waitForTitle('Doctor:');
    await workbench.quick.input.fill('Two are installed');
    await workbench.quick.row('Remote-SSH extension').waitFor();
    await workbench.shot('01-two');
    await workbench.page.close();
  });

  leavesAccountSsh();
});
