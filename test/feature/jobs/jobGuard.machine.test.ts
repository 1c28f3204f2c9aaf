import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rentForJob, reviewJob, writeJob } from '../../support/feature/jobDriver';
import { registerKey } from '../../support/feature/reachable';
import { evenPrices } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('the guard of a machine that is rented for a job', () => {
  const computer = useComputer({ simulator: { sshServer: true, credit: 10_000 } });
  let window: FeatureWindow;

  /** What the row of the job says of it while the job runs. */
  async function guardOf(machine: Readonly<Record<string, unknown>>): Promise<string> {
    await writeJob(window, { run: 'sleep 1000' }, machine);
    await reviewJob(window);
    await rentForJob(window);
    await window.view('jobs').row(/^train.*running/);
    const hover = await window.view('jobs').tooltip(/^train.*running/);
    const [, said = ''] = /\*\*When no editor is open\*\*: ([^\n]*)/.exec(hover) ?? [];
    window.run('Stop Job…');
    await window.dialogButton('Stop Job');
    await window.toast(/^train: canceled/);
    window.clearToasts();
    return said;
  }

  before(async () => {
    await registerKey(computer());
    await evenPrices(computer());
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  it('is shown with its time once the machine has proved over SSH that its key may stop it', async () => {
    assert.match(await guardOf({}), /^stops by itself after the job\\, or at \d/);
  });

  it('is not promised where the machine could not prove it', async () => {
    const tools = path.join(computer().root, 'tools');
    mkdirSync(tools);
    writeFileSync(path.join(tools, 'curl'), '#!/bin/sh\nexit 7\n', { mode: 0o755 });
    assert.equal((await guardOf({ env: { PATH: tools } })).trim(), 'automatic stop not confirmed yet');
  });
});
