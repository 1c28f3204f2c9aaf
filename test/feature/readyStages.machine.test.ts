import assert from 'node:assert/strict';
import type { MachineManner } from '../../src/simulator/login/manners';
import { registerKey } from '../support/feature/reachable';
import { evenPrices, rent3090 } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('the stages of a machine between running and ready', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;

  before(async () => {
    await registerKey(computer());
    await evenPrices(computer());
    window = await computer().openSignedIn();
  });

  async function rentWith(manner: MachineManner): Promise<number> {
    window.clearToasts();
    computer().simulator.orders.behave(manner, 1);
    return (await rent3090(window)).id;
  }

  async function endAll(): Promise<void> {
    const { simulator } = computer();
    for (const { id } of simulator.world.instances) {
      await simulator.call('DELETE', `/api/v0/instances/${id}/`, {});
    }
    window.run('Refresh');
    await computer().pass(60_000);
    window.clearToasts();
  }

  /** What each place says of the start until its end is told, without the figures that move. */
  async function followed(id: number): Promise<Readonly<Record<string, string>>> {
    const said = new Map<string, Set<string>>();
    const check = async () => {
      const row = (await window.view('instances').rows()).find(({ text }) => text.includes(`#${id}`));
      const progress = window.screen.messages.shown.find(({ kind }) => kind === 'progress');
      const texts = {
        row: row?.text ?? '',
        tooltip: row ? await window.view('instances').tree.tooltip(row) : '',
        status: window.status(),
        progress: progress?.text ?? '',
      };
      for (const [place, text] of Object.entries(texts)) {
        const words = text.replaceAll('\\', '').replace(/\d+ s(?: ·)?/g, 'N s');
        said.set(place, (said.get(place) ?? new Set()).add(words));
      }
      return window.toasts().some((text) => /is ready|is running/.test(text));
    };
    // While a program asks the machine, the clock of the product stands still.
    const timer = setInterval(() => void check(), 20);
    try {
      await computer().until('the end of the start', check);
    } finally {
      clearInterval(timer);
    }
    return Object.fromEntries([...said].map(([place, texts]) => [place, [...texts].join('\n')]));
  }

  const places = ['row', 'tooltip', 'status', 'progress'];
  const stages: readonly (readonly [MachineManner, string, string?])[] = [
    ['latePort', 'Waiting for its SSH port', 'its SSH port is closed'],
    ['lateKey', 'Logging in…'],
    ['refusedKey', 'Logging in…', 'it refuses the key'],
    ['endedShell', 'Logging in…', 'its shell exits immediately'],
    ['hungNvidiaSmi', 'Checking its GPUs'],
  ];
  for (const [manner, stage, why] of stages) {
    it(`are shown in each place, with their time and why they last longer: ${manner}`, async () => {
      const said = await followed(await rentWith(manner));
      assert.deepEqual(Object.keys(said), places);
      for (const place of places) {
        const text = said[place] ?? '';
        assert.match(text, new RegExp(`${stage} (?:· )?N s`), place);
        const late = why === undefined ? '' : `${stage} (?:· )?N s longer than usual: ${why}`;
        assert.match(text, new RegExp(late), place);
      }
      await window.toast(/is ready|is running/);
      await endAll();
    });
  }

  it('of one machine hold no other one up', async () => {
    const [refusing, good] = [await rentWith('refusedKey'), await rentWith('usual')];
    for (const id of [refusing, good]) {
      await window.toast(new RegExp(`#${id} is (?:ready|running)`));
    }
    window.clearToasts();
    // Both boot at the same moment.
    const since = computer().clock.elapsed();
    await window.view('instances').menu(new RegExp(`#${refusing}`), 'Reboot…', [new RegExp(`#${good}`)]);
    await window.dialogButton('Reboot');
    await window.toast(new RegExp(`#${good} is ready`));
    const took = computer().clock.elapsed() - since;
    const row = (await window.view('instances').row(new RegExp(`#${refusing}`))).text;
    assert.match(row, /Waiting for its SSH port|Logging in/, `ready after ${took} ms`);
    await window.toast(new RegExp(`#${refusing} is running, but it refuses`));
    await endAll();
  });
});
