import assert from 'node:assert/strict';
import type * as product from '../../../../src/features/readiness/notifications';
import type { CheckResult, NotCheckedReason } from '../../../../src/model/rentals/machineCheck';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { FakeClock, settle } from '../../../support/fakeClock';
import { translate } from '../../../support/fakeEditor/l10n';
import { loadSource } from '../../../support/fakeEditor/product';

describe('The message about a machine that runs', () => {
  const shown: { readonly words: string; readonly buttons: readonly string[] }[] = [];
  const show = (words: string, _: unknown, ...items: readonly { readonly title: string }[]) => {
    shown.push({ words, buttons: items.map(({ title }) => title) });
    return Promise.resolve(undefined);
  };
  const { ReadinessNotifications } = loadSource('src/features/readiness/notifications.ts', {
    vscode: {
      window: { showInformationMessage: show, showWarningMessage: show },
      l10n: { t: translate },
    },
  }) as typeof product;

  const readyAt = Date.UTC(2026, 0, 15);
  const refused: CheckResult = { kind: 'unproved', stage: 'login', problem: 'authentication' };

  /** A window that is told of a machine which another window has checked, if any has. */
  function scene(kept?: { readonly at: number; readonly check: CheckResult }) {
    shown.length = 0;
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
      assert.match(shown[0]?.words ?? '', /^trainer is running, but its login and GPUs could not be checked/);
      assert.match(shown[0]?.words ?? '', why);
      assert.deepEqual(shown[0]?.buttons, ['Connect', 'Check Again']);
    });
  }

  it('leads to the log where the check failed here', async () => {
    const check = { kind: 'notChecked', reason: 'failed' } as const;
    await scene().show({ kind: 'ready', instanceId: 7, check });
    await settle();
    assert.deepEqual(shown[0]?.buttons, ['Connect', 'Check Again', 'Show Log']);
  });

  it('says what one costs that runs after its start was told as failed, and what is wrong with it', async () => {
    await scene().show({ kind: 'ready', instanceId: 7, isLate: true });
    assert.match(shown[0]?.words ?? '', /^trainer is running after all and costs \$[\d.]+\/h\.$/);
    assert.deepEqual(shown[0]?.buttons, ['Connect', 'Destroy…']);
    await scene().show({ kind: 'ready', instanceId: 7, isLate: true, check: refused });
    await settle();
    assert.match(shown[1]?.words ?? '', /^trainer is running, but it refuses the SSH key/);
  });

  it('has the result of a check whose window closed before it told it', async () => {
    await scene({ at: readyAt + 60_000, check: refused }).show({ kind: 'ready', instanceId: 7 });
    await settle();
    assert.match(shown[0]?.words ?? '', /^trainer is running, but it refuses the SSH key/);
  });

  it('does not have the result of an earlier start', async () => {
    await scene({ at: readyAt - 60_000, check: refused }).show({ kind: 'ready', instanceId: 7 });
    await settle();
    assert.equal(shown[0]?.words, 'trainer is ready.');
  });
});
