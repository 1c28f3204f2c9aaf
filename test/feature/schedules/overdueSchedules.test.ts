import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Computer } from '../../support/feature/computer';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const hour = 3_600_000;

function scheduleFile(computer: Computer, id: number): string {
  const folder = path.join(computer.ofAccounts('')[0] ?? 'none', 'schedules');
  mkdirSync(folder, { recursive: true });
  return path.join(folder, `${id}.json`);
}

/** Two windows that open eight hours after something was to happen to each of two instances. */
async function openTooLate(
  computer: Computer,
  before: (toStop: number, toDestroy: number) => void = () => undefined,
) {
  const toStop = await computer.rentRunning({ label: 'sleeper' });
  const toDestroy = await computer.rentRunning({ label: 'leaver' });
  const first = await computer.openSignedIn();
  await first.view('instances').row('leaver');
  await computer.until('the folder of the account', () => computer.ofAccounts('').length > 0);
  first.close();
  await computer.rest();
  const setAt = computer.clock.now() - 9 * hour;
  for (const [instanceId, action] of [
    [toStop, 'stop'],
    [toDestroy, 'destroy'],
  ] as const) {
    const term = { kind: 'at', at: setAt + hour };
    const id = String(instanceId).padStart(8, '0');
    writeFileSync(
      scheduleFile(computer, instanceId),
      JSON.stringify({ version: 1, id, action, term, setAt }),
    );
  }
  before(toStop, toDestroy);
  const windows = [
    await computer.openWindow({ isFocused: true }),
    await computer.openWindow({ isFocused: false }),
  ];
  return { toStop, toDestroy, windows };
}

const missed =
  /leaver was scheduled to be destroyed at .*, but was not destroyed in time: no editor was open, or the computer was asleep\. It still exists and costs money\./;
const stoppedNow =
  /sleeper was scheduled to stop at .*, when no editor was open or the computer was asleep\. It is now stopped, and storage still costs \$\d/;

function useLateWindows() {
  const computer = useComputer();
  let windows: readonly FeatureWindow[] = [];
  return {
    computer,
    open: async (before?: Parameters<typeof openTooLate>[1]) => {
      const opened = await openTooLate(computer(), before);
      ({ windows } = opened);
      return opened;
    },
    writes: (id: number) =>
      computer()
        .simulator.received(undefined, `/api/v0/instances/${id}/`)
        .filter(({ method }) => method !== 'GET')
        .map(({ method, body }) => [method, body]),
    /** Waits for the one window with this text; no other may ever have said it. */
    teller: async (text: RegExp): Promise<FeatureWindow> => {
      const window = await computer().until(`a window to say ${String(text)}`, () =>
        windows.find(({ screen }) => screen.messages.shown.some((one) => text.test(one.text))),
      );
      await window.toast(text);
      await computer().pass(20_000);
      const said = windows.flatMap(({ screen }) => screen.messages.history);
      assert.equal(said.filter((one) => text.test(one.text)).length, 1);
      return window;
    },
    scheduleEnds: (id: number) =>
      computer().until('the end of the schedule', () => !existsSync(scheduleFile(computer(), id))),
  };
}

describe('what was to happen while no editor was open', () => {
  const { computer, open, writes, teller, scheduleEnds } = useLateWindows();
  let scene: Awaited<ReturnType<typeof open>>;

  it('is stopped at once, and reported in one of two windows', async () => {
    scene = await open();
    const { toStop } = scene;
    await teller(stoppedNow);
    await teller(missed);
    assert.deepEqual(writes(toStop), [['PUT', { state: 'stopped' }]]);
    assert.equal(computer().simulator.world.instance(toStop)?.intendedStatus, 'stopped');
    await scheduleEnds(toStop);
  });

  it('is not destroyed: one window asks', async () => {
    const { toDestroy, windows } = scene;
    const asking = await teller(missed);
    assert.deepEqual(writes(toDestroy), []);
    const other = windows.find((window) => window !== asking);
    assert.ok(other);
    await asking.toastButton(missed, 'Destroy…');
    assert.match(`${(await asking.dialog()).detail}`, /lost for good/);
    await other.view('instances').row(/leaver.*was scheduled to be destroyed/);
    assert.deepEqual(writes(toDestroy), []);
    await asking.dialogButton('Destroy');
    await computer().until(
      'the destruction',
      () => computer().simulator.world.instance(toDestroy) === undefined,
    );
    await scheduleEnds(toDestroy);
    assert.deepEqual(
      writes(toDestroy).map(([method]) => method),
      ['DELETE'],
    );
  });
});

describe('what a window was doing when it was killed', () => {
  const { computer, open, teller } = useLateWindows();

  it('is not shown as in progress once it is not', async () => {
    const { toDestroy, windows } = await open((_, leaver) => {
      // What the window wrote right before its request would have left.
      const since = computer().clock.now() - 8 * hour;
      const state = { version: 1, scheduleId: String(leaver).padStart(8, '0'), warnedAt: since - 300_000 };
      writeFileSync(
        scheduleFile(computer(), leaver).replace(/json$/, 'state.json'),
        JSON.stringify({ ...state, attempts: 1, actingSince: since, nextTryAt: since + 180_000 }),
      );
    });
    await teller(missed);
    for (const window of windows) {
      await window.view('instances').row(/leaver.*was scheduled to be destroyed/);
    }
    assert.ok(computer().simulator.world.instance(toDestroy));
  });
});

describe('what was to happen while no editor was open, answered otherwise', () => {
  const { computer, open, writes, teller, scheduleEnds } = useLateWindows();

  it('is tried again where the service refuses it, with the reason, and forgotten where it is kept', async () => {
    const { toStop, toDestroy } = await open((id) => {
      const path = `/api/v0/instances/${id}/`;
      const refusal = { status: 400, error: 'invalid_request', msg: 'Not now.' };
      computer().simulator.fail({ kind: 'error', method: 'PUT', path, ...refusal });
    });
    await (await teller(missed)).toastButton(missed, 'Cancel, and Keep It');
    await scheduleEnds(toDestroy);
    const refused = /^sleeper has not ended yet.*Not now\./;
    (await (await teller(refused)).toast(refused)).close();
    await teller(/^sleeper is stopped, as scheduled\. .* \$\d/);
    await scheduleEnds(toStop);
    assert.equal(writes(toStop).length, 2);
    assert.deepEqual(writes(toDestroy), []);
  });
});
