import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import path from 'node:path';
import type { MachineManner } from '../../src/simulator/login/manners';
import { endAll, machineTooltip, openToRent, rentWith, replaceable } from '../support/feature/checkedMachine';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('what the check of a machine finds', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;

  before(async () => {
    window = await openToRent(computer());
  });

  const table: readonly (readonly [MachineManner, RegExp, readonly string[]])[] = [
    ['latePort', /is ready\. .*OK$/, ['Connect']],
    ['lateKey', /is ready\. .*OK$/, ['Connect']],
    ['noNvidiaSmi', /is ready\. .*The image has no nvidia-smi, so only/, ['Connect']],
    ['fullDisk', /it is not what was rented: the disk (?:of the host )?is full \(\d+ MB free\)/, replaceable],
    [
      'refusedKey',
      /is running, but it refuses the SSH key of this computer\.$/,
      ['Replace', 'Attach SSH Key…', 'Connect', 'Keep It'],
    ],
    ['endedShell', /accepts the login, but its shell exits immediately\. A start-up file/, replaceable],
    ['otherGpu', /it is not what was rented: GTX 1050 Ti instead of RTX 3090/, replaceable],
    ['hungNvidiaSmi', /it is not what was rented: nvidia-smi does not answer\.$/, replaceable],
    ['failedNvidiaSmi', /it is not what was rented: nvidia-smi fails: .*driver\.$/, replaceable],
    ['mig', /it is not what was rented: A100-SXM4-80GB instead of RTX 3090\.$/, replaceable],
    ['recorded', /it is not what was rented: A800 80GB PCIe instead of RTX 3090\.$/, replaceable],
  ];
  const sentences: Partial<Record<MachineManner, RegExp>> = {
    mig: /The GPU is partitioned \(MIG\), so only the memory of its partitions is compared\./,
    noNvidiaSmi: /The image has no nvidia-smi, so only the number and model of the GPUs can be checked/,
  };
  for (const [manner, said, wanted] of table) {
    it(`shows the problem of a machine: ${manner}`, async () => {
      const id = await rentWith(window, manner);
      const { text, buttons } = await window.toast(/is ready|is running/);
      assert.match(text, said);
      assert.deepEqual(buttons, wanted);
      const row = (await window.view('instances').row(new RegExp(`#${id}`))).text;
      const isFailed = row.includes('failed its check');
      assert.equal(isFailed, /is running/.test(text), row);
      const sentence = sentences[manner];
      assert.match((await machineTooltip(window, id)).replaceAll('\\', ''), sentence ?? /Check \d+ s ago/);
      await endAll(window);
    });
  }

  it('shows which of several GPUs is missing', async () => {
    await rentWith(window, 'missingGpu', '4x 4090', /4× RTX 4090/);
    const { text, buttons } = await window.toast(/is running/);
    assert.match(text, /it is not what was rented: 3 of 4 GPUs answer\.$/);
    assert.deepEqual(buttons, replaceable);
    await endAll(window);
  });

  it('costs the service no more requests than a connection does, and this computer a few programs', async () => {
    const { simulator, settings } = computer();
    const programs: string[] = [];
    const note = (one: unknown) => {
      const { process: child } = one as { readonly process: ChildProcess };
      // What a program is called is known once it was started.
      queueMicrotask(() => {
        if (path.basename(child.spawnfile).startsWith('ssh')) {
          programs.push(child.spawnargs.join(' '));
        }
      });
    };
    /** Kinds of requests and programs: of the five minutes from the list that shows it running, and a terminal after them. */
    const follow = async (checks: boolean, manner: MachineManner) => {
      settings.set('gpuRental.ready.checkLogin', checks);
      const id = await rentWith(window, manner);
      await computer().until('it runs', () => simulator.world.instance(id)?.actualStatus === 'running');
      const before = simulator.requests().length;
      programs.length = 0;
      const since = await computer().until('the list that says so', () => {
        const at = simulator
          .requests()
          .findIndex(({ path: asked }, index) => index >= before && asked === '/api/v1/instances/');
        return at < 0 ? undefined : at + 1;
      });
      await computer().pass(5 * 60_000);
      assert.ok(window.toasts().some((text) => /is ready/.test(text)));
      const ofCheck = [...programs];
      const terminals = window.screen.terminals.history.length;
      await window.view('instances').inline(new RegExp(`#${id}`), 'Open Terminal');
      await computer().until('the terminal', () => window.screen.terminals.history.length > terminals);
      const asked = simulator
        .requests()
        .slice(since)
        .map(
          ({ method, path: at }) =>
            `${method} ${at.replace(/\/results\/.*/, '/results/').replace(/\d{3,}/g, '')}`,
        )
        // At times of their own.
        .filter((one) => !/users\/current|pending-price-increases/.test(one));
      await endAll(window);
      const isList = (one: string) => one === 'GET /api/v1/instances/';
      return {
        lists: asked.filter(isList).length,
        others: asked.filter((one) => !isList(one)).sort(),
        programs: ofCheck.length,
      };
    };
    diagnostics.subscribe('child_process', note);
    try {
      const without = await follow(false, 'usual');
      assert.equal(without.programs, 0);
      // The log of the machine, for its host key, is read once in its life: by the check or by the first connection.
      assert.equal(without.others.filter((one) => one.includes('request_logs')).length, 1);
      // The timer of the agreed end starts with it, and is proved.
      const most = { usual: 10, latePort: 30, lateKey: 30 };
      for (const manner of ['usual', 'latePort', 'lateKey'] as const) {
        const { lists, others, programs: ran } = await follow(true, manner);
        assert.deepEqual(others, without.others, manner);
        assert.ok(
          Math.abs(lists - without.lists) <= 1,
          `${manner}: ${lists} lists, ${without.lists} without a check`,
        );
        assert.ok(ran >= 2 && ran <= most[manner], `${manner}: ${ran} programs`);
      }
    } finally {
      diagnostics.unsubscribe('child_process', note);
    }
  });
});
