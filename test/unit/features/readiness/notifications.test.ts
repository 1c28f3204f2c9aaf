import assert from 'node:assert/strict';
import { ReadinessNotifications } from '../../../../src/features/readiness/notifications';
import type { CheckResult, NotCheckedReason } from '../../../../src/model/rentals/machineCheck';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { FakeClock, settle } from '../../../support/fakeClock';
import type { Screen } from '../../../support/fakeEditor/screen';
import { openScreen } from '../../../support/onScreen';

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
    it(`does not call it ready where no login was tried, and says why: ${reason}`, async () => {
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

  it('says what one costs that runs after its start was told as failed, and what is wrong with it', async () => {
    await scene().show({ kind: 'ready', instanceId: 7, isLate: true });
    assert.match(shown()[0]?.text ?? '', /^trainer is running after all and costs \$[\d.]+\/h\.$/);
    assert.deepEqual(shown()[0]?.buttons, ['Connect', 'Destroy…']);
    await scene().show({ kind: 'ready', instanceId: 7, isLate: true, check: refused });
    await settle();
    assert.match(shown()[1]?.text ?? '', /^trainer is running, but it refuses the SSH key/);
  });

  it('has the result of a check whose window closed before it told it', async () => {
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
