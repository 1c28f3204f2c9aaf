import assert from 'node:assert/strict';
import { ReadinessNotifications } from '../../../../src/features/readiness/notifications';
import { fromDollars } from '../../../../src/model/money';
import { noBudget } from '../../../support/fakeWindows';
import { settle } from '../../../support/fakeClock';
import { useFailedMachine } from '../../../support/failedMachineScene';
import { openScreen, saidOn } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('A failed machine is replaced without a question', () => {
  const scene = useFailedMachine();

  /** What is said once the setting has done its part. */
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
    return [...saidOn(screen), ...logged].join('\n');
  }

  const rented = () => scene.service.count('offers.rent') - 1;
  const destroyed = () => scene.service.count('instances.destroy');

  it('where the setting says so', async () => {
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

  it('and the log says why nothing was rented in its place', async () => {
    scene.service.failsBefore('offers.rent', () => new Error('No network'));
    assert.match(await fails({}), /^Nothing was rented in place of 6001$/m);
    assert.equal(destroyed(), 1);
  });
});
