import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { commandIds, type CommandId } from '../../src/contributions';
import { signIn } from '../support/journey';
import { reachableInstance } from '../support/reachableInstance';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

interface Ends {
  readonly ends: readonly { readonly id: string; readonly end: string; readonly waitedMs: number }[];
  readonly rejections: readonly string[];
}

/** It leaves the account for another one. */
const apart: readonly CommandId[] = ['gpuRental.tryDemo'];
/** Questions that are no change: a search, and the code that a first second factor begins with. */
const questions = /^POST \/api\/v0\/(bundles|tfa\/authorize-new-method)\/$/;
/** What waits longer than this without a sign looks as if nothing happened. */
const silentMs = 4000;

/** Runs in the page: what of the editor tells that something goes on, asks, or was opened. */
const signs = `[...document.querySelectorAll(
  '.notification-list-item-message, .monaco-dialog-box, .quick-input-widget, .monaco-progress-container.active, .tab',
)].filter((each) => each.getClientRects().length > 0).map((each) => each.textContent || 'progress')`;

describe('every command, its questions closed at once', function () {
  this.timeout(300_000);
  const session = useUiSession('every-command', { extensions: ['ui/everyCommand'] });
  let workbench: Workbench;
  const file = (name: string) => path.join(session().root, 'workspace', name);
  const read = (name: string): unknown => JSON.parse(readFileSync(file(name), 'utf8'));

  /** Runs all; gives back how they ended, and what was on the screen meanwhile. */
  async function runAll(): Promise<Ends & { readonly told: ReadonlyMap<string, readonly string[]> }> {
    const ids = commandIds.filter((id) => !apart.includes(id));
    rmSync(file('ends.json'), { force: true });
    writeFileSync(file('commands.json'), JSON.stringify({ ids, giveUpMs: 20_000 }));
    const told = new Map<string, string[]>();
    await workbench.quick.run('Test: Run Every Command');
    await until(
      'the end of all commands',
      async () => {
        const id = existsSync(file('current.json')) ? (read('current.json') as { id: string }).id : '';
        const seen = await workbench.page.evaluate<string[]>(signs);
        told.set(id, [...(told.get(id) ?? []), ...seen]);
        // Only a key closes a dialog.
        if (await workbench.dialog.isVisible()) await workbench.page.keyboard.press('Escape');
        return existsSync(file('ends.json'));
      },
      { timeoutMs: 240_000 },
    );
    return { ...(read('ends.json') as Ends), told };
  }

  async function runsWell(): Promise<void> {
    const from = session().simulator.requests().length;
    const { ends, rejections, told } = await runAll();
    assert.deepEqual(
      ends.filter(({ end }) => end !== 'done'),
      [],
      'each comes to an end',
    );
    assert.deepEqual(rejections, [], 'each error is told');
    assert.deepEqual(
      [...told].filter(([, texts]) => texts.some((text) => /unexpected problem/.test(text))),
      [],
    );
    assert.deepEqual(
      ends.filter(({ id, waitedMs }) => waitedMs > silentMs && (told.get(id) ?? []).length === 0),
      [],
      'what takes long says so',
    );
    assert.deepEqual(
      session()
        .simulator.requests()
        .slice(from)
        .map(({ method, path: asked }) => `${method} ${asked}`)
        .filter((call) => !call.startsWith('GET ') && !questions.test(call)),
      [],
      'nothing is changed',
    );
    assert.deepEqual(workbench.errors, []);
    assert.doesNotMatch(session().log(), /\[error\]/);
    await until('no progress to be left', async () => {
      return !(await workbench.page.evaluate<string[]>(signs)).includes('progress');
    });
  }

  it('ends well where nobody is signed in', async () => {
    workbench = await session().window();
    await workbench.openContainer('GPU Rental');
    await runsWell();
  });

  it('ends well with an instance that runs', async () => {
    await signIn(session(), workbench);
    await reachableInstance(session(), 'trainer');
    await workbench.run('Refresh');
    await workbench.view('Instances').row('trainer').filter({ hasText: 'Running' }).waitFor();
    await runsWell();
  });
});
