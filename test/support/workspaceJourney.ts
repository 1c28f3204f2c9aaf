import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { instanceLabelled, signIn } from './journey';
import { haveKey, rentNow, reviewFirst } from './rentJourney';
import { useUiSession } from './uiSession';
import { Workbench } from './workbench';

/** A signed-in window of a workspace whose file names a folder on its instance, for all tests of a `describe`. */
export function useWorkspaceJourney(name: string) {
  const session = useUiSession(name, {
    extensions: ['ui/remoteSsh'],
    patches: ['sharedSecrets', 'authority', 'sshWindow', 'lastingToasts'],
  });
  let workbench: Workbench;
  /** Below the folder on the instance. */
  const there = (...parts: string[]) => path.join(session().root, 'work', 'project', ...parts);
  const shot = (picture: string | undefined) => (picture === undefined ? undefined : workbench.shot(picture));

  before(async () => {
    const { root } = session();
    await haveKey(session());
    mkdirSync(path.join(root, 'workspace', '.vscode'));
    writeFileSync(
      path.join(root, 'workspace', '.vscode', 'gpu-rental.json'),
      JSON.stringify({ image: 'pytorch/pytorch:latest', maxPricePerHour: 0.5, folder: there() }),
    );
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
  });

  return {
    session,
    there,
    /** Below the folders of the simulated instances. */
    onMachine: (...parts: string[]) => path.join(session().root, 'instances', ...parts),
    get workbench() {
      return workbench;
    },
    instances: () => workbench.view('Instances'),

    /** Rents trainer by the file of the workspace, and fills its folder. Returns the id of the instance. */
    async rentTrainer(
      pictures: { readonly offers?: string; readonly confirm?: string } = {},
    ): Promise<number> {
      await workbench.run('Rent for This Workspace…');
      await workbench.quick.waitForTitle('Search Offers for This Workspace');
      await shot(pictures.offers);
      await reviewFirst(workbench, /RTX 3090/);
      await workbench.quick.pick('Label');
      await workbench.quick.waitForTitle('Rent: Label');
      await workbench.quick.type('trainer');
      await shot(pictures.confirm);
      await rentNow(session(), workbench);
      await workbench.toast(/trainer is ready/, 120_000);
      mkdirSync(there('.venv'), { recursive: true });
      writeFileSync(there('.venv', 'pyvenv.cfg'), Buffer.alloc(3_000_000));
      writeFileSync(there('train.py'), 'epochs = 3\n');
      writeFileSync(there('model.bin'), Buffer.alloc(20_000_000, 'model'));
      execFileSync('git', ['init', '-q', there()]);
      return instanceLabelled(session(), 'trainer').id;
    },

    /** Opens trainer by its message, and returns the address of the window. */
    async connect(picture: string): Promise<string> {
      const address = await this.opened(/trainer is ready/, 'Connect', picture);
      assert.match(decodeURIComponent(address), /ssh-remote\+gpu-ws-workspace.*\/work\/project/);
      return address;
    },

    /** Opens what a message offers, and returns the address of the window, which names host and folder. */
    async opened(message: RegExp, button: string, picture: string): Promise<string> {
      const page = await session().opensWindow(() => workbench.toastButton(message, button));
      const connected = Workbench.of(page, name);
      await connected.ready();
      await connected
        .statusItem('gpuRental.status')
        .filter({ hasText: 'trainer' })
        .waitFor({ timeout: 60_000 });
      await connected.shot(picture);
      const url = page.url();
      await page.close();
      await workbench.page.bringToFront();
      return url;
    },
  };
}
