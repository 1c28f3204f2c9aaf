import assert from 'node:assert/strict';
import type { FaultOrder } from '../../src/simulator/faults';
import type { Computer } from '../support/feature/computer';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const tenMinutesMs = 10 * 60_000;
const aWindowMs = 30_000;
const listPath = /^\/api\/v[01]\/instances\/$/;
const views = ['instances', 'templates', 'sshKeys', 'account', 'hosting'] as const;
const accountParts = /^(Two-Factor Authentication|API Keys|Secrets|Team|Serverless Deployments)/;

/** Everything that a window can show is in sight, so that all of it is read. */
async function showAll(window: FeatureWindow): Promise<void> {
  for (const name of views) {
    window.view(name).show();
  }
  const account = window.view('account');
  for (const row of await account.rows()) {
    if (accountParts.test(row.text)) {
      account.tree.expand(row);
    }
  }
  // Looking at what is open now is what makes it read.
  await account.rows();
}

async function openShowingAll(computer: Computer, count: number): Promise<void> {
  for (let opened = 0; opened < count; opened += 1) {
    await showAll(await computer.openWindow());
  }
}

/** Requests since `seq`, as "GET /api/v0/volumes/ 429". */
function asked(computer: Computer, since = 0): readonly string[] {
  return computer.simulator
    .requests(since)
    .map(({ method, path, status }) => `${method} ${path} ${String(status)}`);
}

describe('eight windows that show everything', () => {
  const computer = useComputer({ simulator: { limits: true } });

  before(async () => {
    const first = await computer().openSignedIn();
    await computer().rentRunning();
    await openShowingAll(computer(), 7);
    await showAll(first);
  });

  it('stay within the limits of the service', async () => {
    await computer().pass(tenMinutesMs);
    const refused = asked(computer()).filter((line) => line.endsWith(' 429'));
    assert.deepEqual(refused, []);
    for (const part of ['volumes', 'deployments', 'machines', 'secrets', 'auth/apikeys']) {
      assert.ok(asked(computer()).includes(`GET /api/v0/${part}/ 200`), `${part} were read`);
    }
  });

  it('handle requests of the user before background reads', async () => {
    const { simulator, windows } = computer();
    // What came or went makes every window read the volumes, 5.5 seconds apart.
    await simulator.call('DELETE', `/api/v0/instances/${String(simulator.world.instances[0]?.id)}/`);
    const last = windows.at(-1);
    assert.ok(last);
    await last.view('instances').noRow('Running');
    const since = simulator.requests().at(-1)?.seq ?? 0;
    const begun = computer().clock.elapsed();
    let isDone = false;
    void last.screen.commands.execute('gpuRental.refreshVolumes').then(() => {
      isDone = true;
    });
    await computer().until('the volumes', () => isDone);
    assert.ok(computer().clock.elapsed() - begun <= 12_000, 'two intervals at most');
    await computer().pass(60_000);
    assert.deepEqual(
      asked(computer(), since).filter((line) => line.endsWith(' 429')),
      [],
    );
    for (const window of windows) {
      window.clearToasts();
    }
  });
});

describe('one window and a service that failed for minutes', () => {
  const computer = useComputer();

  it('reads the list at once where anything else shows that the service works again', async () => {
    const { simulator } = computer();
    const window = await computer().openSignedIn();
    await computer().rentRunning();
    simulator.fail({ kind: 'dropBefore', path: '/api/*', times: 0 });
    await computer().pass(6 * 60_000);
    await window.view('instances').row(/Could not/);
    simulator.faults.clear();
    await window.screen.commands.execute('gpuRental.refreshVolumes');
    await computer().pass(3_000);
    const rows = await window.view('instances').texts();
    assert.ok(!rows.some((row) => row.includes('Could not')), rows.join());
    window.clearToasts();
  });
});

describe('eight windows and a service that refuses', () => {
  const refusals: readonly (readonly [string, Omit<FaultOrder, 'path'>])[] = [
    ['with its limit and a time to wait', { kind: 'rateLimit', threshold: 5 }],
    ['with its limit', { kind: 'rateLimitText' }],
    ['with a failure of its own', { kind: 'html500' }],
    ['by not answering', { kind: 'stall' }],
  ];
  for (const [how, order] of refusals) {
    describe(how, () => {
      const computer = useComputer({ simulator: { limits: true } });

      it('ask for the list twenty times in ten minutes at most', async () => {
        const { simulator } = computer();
        const first = await computer().openSignedIn();
        await computer().rentRunning();
        await openShowingAll(computer(), 3);
        await showAll(first);
        await computer().pass(60_000);
        const since = simulator.requests().at(-1)?.seq ?? 0;
        simulator.fail({ ...order, path: '/api/*', times: 0 });
        // The others are opened while it refuses.
        for (let opened = 0; opened < 4; opened += 1) {
          await openShowingAll(computer(), 1);
          await computer().pass(aWindowMs);
        }
        await computer().pass(tenMinutesMs - 4 * aWindowMs);
        const lists = simulator.requests(since).filter(({ path }) => listPath.test(path));
        assert.ok(lists.length <= 20, `${String(lists.length)} lists`);
        for (const window of computer().windows) {
          window.clearToasts();
        }
      });

      it('show what costs money within 90 seconds after it answers again, unasked', async () => {
        const { simulator, windows } = computer();
        const since = simulator.requests().at(-1)?.seq ?? 0;
        simulator.faults.clear();
        await computer().until('the end of what it held back', () => simulator.heldBack() === 0);
        await computer().pass(90_000);
        for (const window of windows) {
          const rows = await window.view('instances').texts();
          assert.ok(
            rows.some((row) => row.includes('Running')) && !rows.some((row) => /Could not/.test(row)),
            rows.join(),
          );
        }
        const volumes = asked(computer(), since).filter((line) => line === 'GET /api/v0/volumes/ 200');
        assert.ok(volumes.length >= 4, `${String(volumes.length)} windows read their volumes again`);
      });
    });
  }
});
