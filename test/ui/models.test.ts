import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ChatDriver } from '../support/chatDriver';
import { confirmRental, generateKey } from '../support/journey';
import { appears, clickRow, scrollTo } from '../support/press';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('a model of the demo marketplace', function () {
  this.timeout(240_000);
  this.bail(true);
  const address = path.join(tmpdir(), `gr-models-${process.pid}.sock`);
  const session = useUiSession('models', {
    settings: { 'chat.disableAIFeatures': false },
    env: { GPU_RENTAL_TEST_CHAT: address },
    extensions: ['ui/chatDriver'],
  });
  const chat = new ChatDriver(address);
  let workbench: Workbench;
  const instances = () => workbench.view('Instances');
  const served = () => instances().row(/Qwen3-8B(?! machine)/);

  after(() => {
    rmSync(address, { force: true });
  });

  it('is chosen by its size, its least GPU and its license', async () => {
    workbench = await session().window();
    await workbench.openContainer('GPU Rental');
    await instances().welcomeButton('Try the Demo Marketplace');
    await workbench.toast('This is the demo marketplace', 40_000);
    await workbench.clearNotifications();
    await workbench.run('Serve a Model…');
    const { quick } = workbench;
    await quick.waitForTitle('Serve a Model');
    await quick.rows.filter({ hasText: 'gpt-oss-20b' }).first().waitFor();
    await workbench.shot('01-models');
    await quick.pickMatching(/Qwen3-8B\s*16 GB/);
  });

  it('is offered only on GPUs that hold it, and confirmed with its price and its ends', async () => {
    const { page, quick } = workbench;
    await quick.waitForTitle('Search Offers for Qwen3-8B');
    const offer = quick.rows.filter({ hasText: '% reliable' }).first();
    await offer.waitFor({ timeout: 90_000 });
    await workbench.shot('02-offers');
    await until('the confirmation', async () => {
      if (await offer.isVisible()) {
        await clickRow(page, offer);
      }
      return appears(quick.title(/^Rent for Qwen3-8B: Confirm/), 5000);
    });
    const rows = (await quick.rowTexts()).join('\n');
    assert.match(rows, /and Serve Qwen3-8B/);
    assert.match(rows, /ends after 30 min without a request/);
    await workbench.shot('03-confirm');
  });

  it('shows its steps below its instance until it has answered', async () => {
    await confirmRental(workbench);
    await generateKey(session(), workbench);
    const machine = instances().row('Qwen3-8B machine');
    await machine.waitFor({ timeout: 60_000 });
    // How far it is by now depends on how busy this computer is.
    await until(
      'the model below its machine',
      async () => {
        await instances().expand(machine);
        return appears(
          served().filter({ hasText: /downloading|loading|compiling|first answer|ready/ }),
          3000,
        );
      },
      { timeoutMs: 120_000 },
    );
    await workbench.shot('04-starting');
    await served().filter({ hasText: 'ready' }).waitFor({ timeout: 120_000 });
    await workbench.shot('05-ready');
  });

  it('answers in the chat of the editor, piece by piece', async () => {
    await workbench.clearNotifications();
    await until('an answer in the chat', async () =>
      chat.say('Which model is this?').then(
        ({ model, pieces }) => {
          assert.equal(model, 'Qwen3-8B');
          assert.ok(pieces.length > 1);
          return /stand-in/.test(pieces.join(''));
        },
        (error: unknown) => {
          // Its tunnel may still be opening.
          assert.match(String(error), /does not answer now|not ready yet/);
          return false;
        },
      ),
    );
    await workbench.page.getByText('stand-in').first().waitFor();
    await workbench.shot('06-chat');
  });

  it('is on the page of its instance', async () => {
    await workbench.clearNotifications();
    await instances().pick('Qwen3-8B machine');
    const page = workbench.webview();
    await page.getByText('Qwen3-8B: Context').waitFor({ timeout: 30_000 });
    await scrollTo(page.getByText('Qwen3-8B: Context'));
    await workbench.shot('07-page');
  });

  it('ends with its machine as the user chooses', async () => {
    await instances().contextMenu(served(), /^Stop Serving…$/);
    await workbench.dialog.waitFor();
    await workbench.shot('08-stop');
    await workbench.dialogButton('Destroy');
    await workbench.toast(/is destroyed after Qwen3-8B/, 60_000);
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});
