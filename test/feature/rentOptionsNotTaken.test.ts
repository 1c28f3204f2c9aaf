import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { haveKey, lastRental, rentNow, searchAndReview } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('options of a rental that are not chosen', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const quick = () => window.quick;

  before(async () => {
    await haveKey(computer());
    window = await computer().openSignedIn();
    window.clearToasts();
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
    await quick().pick('More Options…');
    await quick().title('Rent: More Options');
  });
  it('sets no script where no file is chosen', async () => {
    window.screen.fileDialogs.push(undefined);
    await quick().pick('On-start script');
    await quick().title('Rent: On-start script');
    assert.ok(
      !quick()
        .rows()
        .some((row) => row.includes('From the Active Editor')),
    );
    await quick().pick('From a File…');
  });

  it('sets no script that is too long even when compressed', async () => {
    const file = path.join(computer().workspace, 'long.sh');
    // Bytes that do not repeat cannot be compressed.
    let seed = 1;
    const noise = Array.from({ length: 12_000 }, () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return String.fromCharCode(33 + (seed % 94));
    });
    writeFileSync(file, noise.join(''));
    window.screen.fileDialogs.push([file]);
    await quick().pick('On-start script');
    await quick().title('Rent: On-start script');
    await quick().pick('From a File…');
    await window.dialogButton('OK', /too long|characters/);
  });

  it('sets no script that is no UTF-8, as a shell on Windows writes it', async () => {
    for (const [name, bytes] of [
      ['marked.sh', Buffer.from('\ufeffecho hello\n', 'utf16le')],
      ['plain.sh', Buffer.from('echo hello\n', 'utf16le')],
    ] as const) {
      const file = path.join(computer().workspace, name);
      writeFileSync(file, bytes);
      window.screen.fileDialogs.push([file]);
      await quick().pick('On-start script');
      await quick().title('Rent: On-start script');
      await quick().pick('From a File…');
      await window.dialogButton('OK', `${name} is not UTF-8 text`);
    }
  });

  it('shows that volumes are read, and returns to the options where that is canceled', async () => {
    computer().simulator.fail({ kind: 'delay', method: 'GET', path: '/api/v0/volumes/', delayMs: 25_000 });
    await quick().pick('Volume');
    await window.toastButton('Waiting for the service…', 'Cancel');
    await quick().title('Rent: More Options');
    await computer().pass(30_000);
    await quick().title('Rent: More Options');
    computer().simulator.faults.clear();
  });

  it('sets nothing after Back', async () => {
    await quick().pick('On-start script');
    await quick().title('Rent: On-start script');
    await quick().back();
    await quick().title('Rent: More Options');
    await quick().pick('Registry login');
    await quick().title('Rent: Registry login');
    await quick().pick('Enter a Login…');
    await quick().message(/Address/);
    await quick().back();
    await quick().title('Rent: More Options');
    await quick().row(/^Registry login(?! set)/);
  });

  it('rents with none of it', async () => {
    await quick().title('Rent: More Options');
    assert.ok(
      !quick()
        .rows()
        .some((row) => /On-Start Script.*characters/.test(row)),
    );
    await quick().pick('Done');
    await rentNow(window);
    assert.deepEqual(lastRental(computer()), {
      image: 'pytorch/pytorch:latest',
      disk: 20,
      label: '',
      runtype: 'ssh_direct',
      cancel_unavail: true,
    });
  });
});
