import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { InstanceNote } from '../../../../src/editor/treeGroups';
import { instanceItem, instanceTooltip } from '../../../../src/features/instances/instanceItem';
import type { Instance } from '../../../../src/model/instances/instance';
import { fromDollars } from '../../../../src/model/money';
import { anInstance } from '../../../support/builders';
import { labelOf } from '../../../support/fakeEditor/trees';

describe('The row of an instance', () => {
  const now = Date.UTC(2026, 0, 15, 12);
  const shown = (instance: Instance, notes: readonly InstanceNote[] = [], hasTwin = false) => {
    const item = instanceItem(instance, {}, now, notes, hasTwin);
    const { id, color } = item.iconPath as vscode.ThemeIcon;
    return [
      `${labelOf(item)} | ${String(item.description)} | ${id} ${color?.id ?? ''}`.trim(),
      item.accessibilityInformation?.label,
      item.contextValue,
    ];
  };
  const states: Readonly<Record<string, object>> = {
    running: {},
    loading: { actualStatus: 'loading' },
    stopped: { actualStatus: 'exited', intendedStatus: 'stopped' },
    exited: { actualStatus: 'exited' },
    outbid: { actualStatus: 'exited', isInterruptible: true, uptimeMinutes: 5 },
    offline: { actualStatus: 'offline' },
    stopping: { intendedStatus: 'stopped' },
    odd: { actualStatus: 'odd' },
    'without a price': { totalPerHour: undefined, storagePerHour: undefined },
    'interruptible, without SSH': { isInterruptible: true, runtype: 'args' },
  };
  const expected: Readonly<Record<string, readonly string[]>> = {
    running: [
      'training | $0.400/h · Running | vm-running charts.green',
      'training, $0.400/h, Running',
      ';instance;canStop;canReboot;canDestroy;canConnect;canDownload;canRunCommand;',
    ],
    loading: [
      'training | $0.400/h · Loading image | sync charts.blue',
      'training, $0.400/h, Loading image',
      ';instance;canStop;canDestroy;',
    ],
    stopped: [
      'training | $0.120/day · Stopped | vm-outline',
      'training, $0.120/day, Stopped',
      ';instance;canStart;canDestroy;canDownload;canRunCommand;',
    ],
    exited: [
      'training | Exited · $0.120/day | error list.errorForeground',
      'training, Exited, $0.120/day',
      ';instance;canStop;canDestroy;canReplace;',
    ],
    outbid: [
      'training | Outbid · $0.120/day | warning list.warningForeground',
      'training, Outbid, $0.120/day',
      ';instance;canStop;canDestroy;canDownload;canReplace;canChangeBid;',
    ],
    offline: [
      'training | Host disconnected · $0.120/day | error list.errorForeground',
      'training, Host disconnected, $0.120/day',
      ';instance;canStop;canDestroy;canReplace;',
    ],
    stopping: [
      'training | $0.400/h · Stopping | sync charts.blue',
      'training, $0.400/h, Stopping',
      ';instance;canDestroy;',
    ],
    odd: [
      'training | $0.400/h · State "odd" | vm',
      'training, $0.400/h, State "odd"',
      ';instance;canStop;canDestroy;',
    ],
    'without a price': [
      'training | Running | vm-running charts.green',
      'training, Running',
      ';instance;canStop;canReboot;canDestroy;canConnect;canDownload;canRunCommand;',
    ],
    'interruptible, without SSH': [
      'training | $0.400/h · Running | vm-running charts.green',
      'training, $0.400/h, Running',
      ';instance;canStop;canReboot;canDestroy;canChangeBid;canRunCommand;',
    ],
  };

  for (const [name, more] of Object.entries(states)) {
    it(`begins with its price and state, and shows what can be done: ${name}`, () => {
      assert.deepEqual(shown(anInstance(more as Partial<Instance>)), expected[name]);
    });
  }

  it('has notes of other features in their places, and their icon where they warn or wait', () => {
    const note = (row: string, more: Partial<InstanceNote> = {}): InstanceNote => ({
      row,
      lines: () => [],
      ...more,
    });
    const notes = [
      note('GPU 40 %', { isFigure: true }),
      note('stops 5 PM'),
      note('by agent', { isWhose: true }),
      note('rental ends in 3 h', { isUrgent: true }),
      note(''),
    ];
    assert.deepEqual(shown(anInstance(), notes).slice(0, 2), [
      'training | $0.400/h · Running · rental ends in 3 h · by agent · stops 5 PM · GPU 40 % | vm-running charts.green',
      'training, $0.400/h, Running, rental ends in 3 h, by agent, stops 5 PM, GPU 40 %',
    ]);
    assert.match(
      shown(anInstance(), [note('x', { isWarning: true })])[0] ?? '',
      /\| warning list\.warningForeground$/,
    );
    const both = [note('x', { isWarning: true }), note('y', { isPending: true })];
    assert.match(shown(anInstance(), both)[0] ?? '', /\| sync charts\.blue$/);
  });

  it('begins with its GPU where it has no name, unless another row would begin the same', () => {
    const bare = anInstance({ label: undefined } as unknown as Partial<Instance>);
    assert.deepEqual(
      [shown(bare)[0], shown(bare, [], true)[0]],
      [
        '1× RTX 4090 | $0.400/h · Running · #5001 | vm-running charts.green',
        '1× RTX 4090 #5001 | $0.400/h · Running | vm-running charts.green',
      ],
    );
  });

  it('explains itself line by line, without unknown values', () => {
    const lines = (more: Partial<Instance>, notes: readonly InstanceNote[] = []) =>
      instanceTooltip(anInstance(more), {}, now, notes)
        .value.replaceAll('\\', '')
        .replaceAll('&nbsp;', ' ')
        .split(/\n+/);
    const whole = {
      image: 'a/b',
      statusMessage: 'up',
      location: 'Sweden, SE',
      gpuCount: 2,
      totalPerHour: fromDollars(0.5),
    };
    assert.deepEqual(lines(whole, [{ row: '', lines: () => [['Check', 'fine']] }]), [
      '**Instance**: #5001  ',
      '**State**: Running  ',
      '**Host says**: up  ',
      '**GPU**: 2× RTX 4090  ',
      '**Image**: a/b  ',
      '**Running**: $0.500/h, $12.00/day  ',
      '**Stopped**: $0.120/day for storage  ',
      '**Cost so far**: at most $0.50, without traffic  ',
      '**Rented for**: 1 h  ',
      '**Location**: Sweden  ',
      '**Check**: fine',
    ]);
    const bare = {
      gpuName: undefined,
      totalPerHour: undefined,
      storagePerHour: undefined,
      startedAt: undefined,
    };
    assert.deepEqual(lines(bare as unknown as Partial<Instance>), [
      '**Instance**: #5001  ',
      '**State**: Running',
    ]);
  });
});
