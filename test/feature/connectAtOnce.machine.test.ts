import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { machineManners, type MachineManner } from '../../src/simulator/login/manners';
import { registerKey, remoteSshExtension } from '../support/feature/reachable';
import { evenPrices, rent3090 } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { seeded, sized, testSeed } from '../support/seeded';

describe('Connect in the first second after an instance runs, by the real ssh', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;

  before(async () => {
    await registerKey(computer());
    await evenPrices(computer());
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.signIn();
  });

  /** What a wait mends. */
  const late: readonly MachineManner[] = ['latePort', 'lateKey'];
  /** What no wait can mend. */
  const hopeless: Partial<Record<MachineManner, RegExp>> = {
    refusedKey: /^(?!Connecting|Getting).*(?:refuse|accept).*key/i,
    endedShell: /^(?!Connecting|Getting).*shell/i,
    fullDisk: /^The disk of the instance is almost full \(80 MB free\)/,
  };

  /** The instance has just begun to run. */
  async function begins(manner: MachineManner): Promise<number> {
    const { simulator } = computer();
    simulator.orders.behave(manner, 1);
    const { id } = await rent3090(window);
    await computer().until('it runs', () => simulator.world.instance(id)?.actualStatus === 'running');
    window.run('Refresh');
    await window.view('instances').row(new RegExp(`(?:Waiting|Logging|Checking|Running).*#${id}`));
    window.clearToasts();
    return id;
  }

  async function end(id: number): Promise<void> {
    await computer().simulator.call('DELETE', `/api/v0/instances/${id}/`, {});
    window.run('Refresh');
    await computer().pass(60_000);
    window.clearToasts();
  }

  const connect = (id: number) => window.view('instances').inline(new RegExp(`#${id}`), 'Connect');

  /** Connect asks for a folder, and no message is shown before that but what a rental says anyway. */
  async function opensUnhindered(id: number): Promise<void> {
    const before = window.screen.messages.history.length;
    await connect(id);
    await window.quick.title(/^Open /);
    const said = window.screen.messages.history.slice(before).map(({ text }) => text);
    assert.deepEqual(
      said.filter((text) => !/^(?:Connecting to|Getting) |is ready|is not what was rented/.test(text)),
      [],
    );
    window.quick.escape();
  }

  for (const manner of machineManners.filter((one) => !late.includes(one))) {
    it(`opens the machine, or shows what no wait can mend: ${manner}`, async () => {
      const id = await begins(manner);
      const since = computer().clock.elapsed();
      const words = hopeless[manner];
      if (words) {
        await connect(id);
        const { text } = await window.toast(words);
        const took = computer().clock.elapsed() - since;
        assert.ok(manner !== 'refusedKey' || took >= 30_000, `gave up after ${took} ms: ${text}`);
      } else {
        await opensUnhindered(id);
      }
      await end(id);
    });
  }

  it('opens a machine whose disk is almost full at the request of the user, also after a line of the config', async () => {
    const { sshConfig } = computer();
    const before = existsSync(sshConfig) ? readFileSync(sshConfig) : Buffer.alloc(0);
    writeFileSync(sshConfig, `${before.toString('utf8')}Host *\n  SendEnv AWS_*\n`);
    const id = await begins('fullDisk');
    await connect(id);
    const line = await window.toast(/gives rented machines something of this computer/);
    line.press('Connect Anyway');
    const disk = await window.toast(/^The disk of the instance is almost full/);
    disk.press('Connect Anyway');
    await window.quick.title(/^Open /);
    window.quick.escape();
    writeFileSync(sshConfig, before);
    await end(id);
  });

  // Each try takes seconds of programs that run for real, so the gate has a share of them.
  const tries = sized(2, 100);
  const random = seeded(testSeed);
  for (let number = 0; number < tries; number++) {
    const manner = late[number % late.length] ?? 'latePort';
    const afterMs = Math.floor(random() * 1000);
    it(`never shows an error that a wait spares: ${manner}, ${afterMs} ms after it is seen to run`, async () => {
      const id = await begins(manner);
      await computer().pass(afterMs);
      await opensUnhindered(id);
      await end(id);
    });
  }

  it('opens a shell at most 20 s after the instance runs, without a refresh by the user', async () => {
    const { clock, simulator } = computer();
    const { id } = await rent3090(window);
    await computer().until('it runs', () => simulator.world.instance(id)?.actualStatus === 'running');
    const since = clock.elapsed();
    await window.view('instances').row(new RegExp(`(?:Waiting|Logging|Checking|Running).*#${id}`));
    await window.view('instances').inline(new RegExp(`#${id}`), 'Open Terminal');
    await computer().until('the shell', () =>
      window.screen.terminals.all.some(({ creationOptions }) => 'shellPath' in creationOptions),
    );
    const took = clock.elapsed() - since;
    assert.ok(took <= 20_000, `${took} ms`);
    await end(id);
  });
});
