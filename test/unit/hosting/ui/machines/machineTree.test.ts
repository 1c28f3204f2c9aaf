import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { Machine } from '../../../../../src/api/records/machine';
import { MachineTree, occupancyText } from '../../../../../src/hosting/ui/machines/machineTree';
import { fromDollars } from '../../../../../src/model/money';
import { FakeEventEmitter } from '../../../../support/fakeEditor/events';
import { labelOf } from '../../../../support/fakeEditor/trees';
import { only } from '../../../../support/only';

describe('The row of a machine that is hosted', () => {
  const now = new Date(2026, 0, 15, 12).getTime();
  const shown = async (machine: Partial<Machine>, state: object = {}) => {
    const whole = { id: 178, ...machine };
    const list = {
      onDidChange: new FakeEventEmitter<undefined>().event,
      state: { kind: 'ready', value: [whole], fetchedAt: now, ...state },
      find: () => whole,
      windows: { onDidChange: new FakeEventEmitter<undefined>().event, state: { kind: 'loading' } },
      windowsOf: () => [],
    };
    const deps = { accounts: { active: undefined }, clock: { now: () => now } };
    const tree = new MachineTree(only(deps), only(list));
    const rows = (await tree.getChildren()).map((node) => tree.getTreeItem(node));
    tree.dispose();
    return rows.flatMap((item) => [
      `${labelOf(item)} | ${String(item.description ?? '')} | ${item.accessibilityInformation?.label ?? ''}`,
      ...((item.tooltip as vscode.MarkdownString | undefined)?.value ?? '')
        .replaceAll('\\', '')
        .replaceAll('&nbsp;', ' ')
        .split(/\n+/),
    ]);
  };

  it('shows its price and how much of it is rented, and explains the rest below', async () => {
    assert.deepEqual(
      await shown({
        ...{
          gpuName: 'RTX 4090',
          gpuCount: 4,
          gpuPerHour: fromDollars(0.4),
          occupancy: 'D x X R',
          hostname: 'rack-1',
        },
        ...{ minBidPerHour: fromDollars(0.2), storagePerGbMonth: fromDollars(0.1), reliability: 0.99567 },
        ...{ verification: 'verified', location: 'Sweden, SE', listedUntil: now / 1000 + 3600 },
      }),
      [
        '#178 4× RTX 4090 | $0.400/h · 2 of 4 rented | #178 4× RTX 4090, $0.400/h · 2 of 4 rented, ' +
          'Machine: #178, Host name: rack-1, Rented: 2 of 4 rented, Price: $0.400 an hour per GPU, ' +
          'Minimum bid: $0.200 an hour per GPU, Storage: $0.100 per GB and month, Reliability: 99.56 %, ' +
          'Verification: verified, Location: Sweden, Offered until: 1:00 PM',
        '**Machine**: #178  ',
        '**Host name**: rack-1  ',
        '**Rented**: 2 of 4 rented  ',
        '**Price**: $0.400 an hour per GPU  ',
        '**Minimum bid**: $0.200 an hour per GPU  ',
        '**Storage**: $0.100 per GB and month  ',
        '**Reliability**: 99.56 %  ',
        '**Verification**: verified  ',
        '**Location**: Sweden  ',
        '**Offered until**: 1:00 PM',
      ],
    );
    assert.deepEqual(await shown({}), ['#178 |  | #178, Machine: #178', '**Machine**: #178']);
    assert.deepEqual((await shown({ gpuName: 'H100' }))[0], '#178 1× H100 |  | #178 1× H100, Machine: #178');
  });

  it('counts letters only', () => {
    assert.deepEqual(
      [' ', '', 'x', 'D  D'].map((occupancy) => occupancyText({ id: 1, occupancy })),
      [undefined, undefined, '0 of 1 rented', '2 of 2 rented'],
    );
  });

  it('is below the problem of the list, and hidden while it is read', async () => {
    assert.equal((await shown({}, { kind: 'loading' })).length, 0);
    assert.equal((await shown({}, { kind: 'idle' })).length, 0);
    assert.match((await shown({}, { skipped: 2 }))[0] ?? '', /Could not be read: 2/);
    assert.match((await shown({}, { skipped: 1 }))[0] ?? '', /Could not be read: 1/);
  });
});
