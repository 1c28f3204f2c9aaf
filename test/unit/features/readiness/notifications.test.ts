import assert from 'node:assert/strict';
import { isShownByWindow, ReadinessNotifications } from '../../../../src/features/readiness/notifications';
import type { Instance } from '../../../../src/model/instances/instance';
import { windowTroubleOf } from '../../../../src/model/instances/windowTrouble';
import { fromDollars } from '../../../../src/model/money';
import type { CheckResult, NotCheckedReason } from '../../../../src/model/rentals/machineCheck';
import type { FailureReason } from '../../../../src/model/rentals/startWatch';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { useFailedMachine } from '../../../support/failedMachineScene';
import { FakeClock, settle } from '../../../support/fakeClock';
import type { Screen } from '../../../support/fakeEditor/screen';
import { noBudget } from '../../../support/fakeWindows';
import { openScreen, textsOn } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('The message about a machine that runs', () => {
  let screen: Screen;
  const shown = () => screen.messages.history;
  const readyAt = Date.UTC(2026, 0, 15);
  const refused: CheckResult = { kind: 'unproved', stage: 'login', problem: 'authentication' };

  /** A window that is told of a machine which another window has checked, if any has. */
  function scene(kept?: { readonly at: number; readonly check: CheckResult }) {
    screen = openScreen();
    const deps = {
      fleet: { find: () => anInstance({ id: 7, label: 'trainer' }) },
      rentals: { find: () => ({ phase: { kind: 'ready', instanceId: 7, at: readyAt } }) },
      machineProofs: { ready: Promise.resolve(), find: () => kept },
      connectedWindows: { isOpen: () => false },
      accounts: { active: undefined },
      clock: new FakeClock(),
      log: silentLog,
    };
    type Deps = ConstructorParameters<typeof ReadinessNotifications>[0];
    return new ReadinessNotifications(deps as unknown as Deps, () => false);
  }

  const reasons: readonly (readonly [NotCheckedReason, RegExp])[] = [
    ['noKey', /: no SSH key of this computer is registered\.$/],
    ['noClient', /: no SSH client was found\.$/],
    ['network', /: this computer has no network path to it\.$/],
  ];
  for (const [reason, why] of reasons) {
    it(`does not call it ready if no login was tried, and explains why: ${reason}`, async () => {
      const check = { kind: 'notChecked', reason } as const;
      await scene().show({ kind: 'ready', instanceId: 7, check });
      await settle();
      assert.match(
        shown()[0]?.text ?? '',
        /^trainer is running, but its login and GPUs could not be checked/,
      );
      assert.match(shown()[0]?.text ?? '', why);
      assert.deepEqual(shown()[0]?.buttons, ['Connect', 'Check Again']);
    });
  }

  it('leads to the log where the check failed here', async () => {
    const check = { kind: 'notChecked', reason: 'failed' } as const;
    await scene().show({ kind: 'ready', instanceId: 7, check });
    await settle();
    assert.deepEqual(shown()[0]?.buttons, ['Connect', 'Check Again', 'Show Log']);
  });

  it('shows what one costs that runs after its start was reported as failed, and what is wrong with it', async () => {
    await scene().show({ kind: 'ready', instanceId: 7, isLate: true });
    assert.match(shown()[0]?.text ?? '', /^trainer is running after all and costs \$[\d.]+\/h\.$/);
    assert.deepEqual(shown()[0]?.buttons, ['Connect', 'Destroy…']);
    await scene().show({ kind: 'ready', instanceId: 7, isLate: true, check: refused });
    await settle();
    assert.match(shown()[1]?.text ?? '', /^trainer is running, but it refuses the SSH key/);
  });

  it('has the result of a check whose window closed before it showed it', async () => {
    await scene({ at: readyAt + 60_000, check: refused }).show({ kind: 'ready', instanceId: 7 });
    await settle();
    assert.match(shown()[0]?.text ?? '', /^trainer is running, but it refuses the SSH key/);
  });

  it('does not have the result of an earlier start', async () => {
    await scene({ at: readyAt - 60_000, check: refused }).show({ kind: 'ready', instanceId: 7 });
    await settle();
    assert.equal(shown()[0]?.text, 'trainer is ready.');
  });
});

const now = 1_000_000_000;
/** How a machine is listed whose start failed. */
const listed: Readonly<Record<FailureReason, Partial<Instance>>> = {
  exited: { actualStatus: 'exited' },
  unknown: { actualStatus: 'unknown' },
  offline: { actualStatus: 'offline' },
  gaveUp: { actualStatus: 'created', currentState: 'stopped' },
  timedOut: { actualStatus: 'loading' },
};

describe('a failed start of a machine that has a window', () => {
  for (const [reason, part] of Object.entries(listed) as [FailureReason, Partial<Instance>][]) {
    it(`is shown once: ${reason}`, () => {
      const machine: Instance = { id: 7, intendedStatus: 'running', ...part };
      const asksInItsWindow = windowTroubleOf(machine, {}, now) !== undefined;
      for (const hadData of [false, true]) {
        const event = { instanceId: 7, kind: 'failed', reason, hadData } as const;
        assert.equal(isShownByWindow(event), asksInItsWindow);
      }
    });
  }

  it('leaves to it what became of a machine that ran, and nothing that it can’t see', () => {
    assert.equal(isShownByWindow({ instanceId: 7, kind: 'ready' }), true);
    assert.equal(isShownByWindow({ instanceId: 7, kind: 'trouble', trouble: 'outbid' }), true);
    assert.equal(isShownByWindow({ instanceId: 7, kind: 'notDestroyed' }), false);
  });
});

describe('A failed machine is replaced without a question', () => {
  const scene = useFailedMachine();

  /** The messages once the setting has done its part. */
  async function fails({
    onFailure = 'replace',
    hadData = false,
    budget = noBudget,
  }: {
    readonly onFailure?: string;
    readonly hadData?: boolean;
    readonly budget?: object;
  }): Promise<string> {
    const screen = openScreen();
    const { clock } = scene.computer;
    const logged: string[] = [];
    const deps = {
      ...{ ...scene.window, budget, failedMachines: scene.machines, clock },
      log: { error: (words: string) => logged.push(words), warn: () => undefined, info: () => undefined },
      settings: { get: (key: string) => (key.endsWith('onFailure') ? onFailure : 0) },
      ssh: { aliasOf: () => 'gpu-6001' },
      connectedWindows: { isOpen: () => false },
      machineProofs: { ready: Promise.resolve(), find: () => undefined },
    };
    const notifications = new ReadinessNotifications(only(deps), () => false);
    const event = { kind: 'failed', instanceId: 6001, reason: 'exited', hadData } as const;
    await clock.through(notifications.show(event));
    await settle();
    return [...textsOn(screen), ...logged].join('\n');
  }

  const rented = () => scene.service.count('offers.rent') - 1;
  const destroyed = () => scene.service.count('instances.destroy');

  it('if the setting allows it', async () => {
    assert.match(await fails({}), /As configured, it is destroyed and the next best offer is rented/);
    assert.deepEqual([rented(), destroyed()], [1, 1]);
  });

  it('and not where it is gone: it was destroyed elsewhere', async () => {
    scene.service.instances = [];
    assert.match(await fails({}), /has changed, so it was not replaced/);
    assert.equal(rented(), 0);
  });

  for (const [what, given] of [
    ['the setting asks', { onFailure: 'ask' }],
    ['data would be lost', { hadData: true }],
    [
      'the budget is spent',
      {
        budget: {
          current: () =>
            Promise.resolve({ parts: [{ limit: fromDollars(1), spent: { amount: fromDollars(2) } }] }),
        },
      },
    ],
  ] as const) {
    it(`and not where ${what}`, async () => {
      const said = await fails(given);
      assert.match(
        said,
        what === 'the budget is spent'
          ? /So it is not replaced without asking/
          : /^error training will not get ready/,
      );
      assert.deepEqual([rented(), destroyed()], [0, 0]);
    });
  }

  it('and the log shows why nothing was rented in its place', async () => {
    scene.service.failsBefore('offers.rent', () => new Error('No network'));
    assert.match(await fails({}), /^Nothing was rented in place of 6001$/m);
    assert.equal(destroyed(), 1);
  });
});
