import assert from 'node:assert/strict';
import {
  goneTexts,
  troubleText,
  type WindowInput,
  windowTexts,
} from '../../../../src/features/connectedWindow/windowText';
import type { WindowTrouble } from '../../../../src/model/instances/windowTrouble';
import { anInstance } from '../../../support/builders';

describe('The item of a window on an instance', () => {
  const now = Date.UTC(2026, 0, 15, 12);
  const shown = (more: Partial<WindowInput>) => {
    const words = windowTexts({ instance: anInstance(), kind: 'running', isStale: false, now, ...more });
    assert.equal(words.spoken, words.tooltip.replaceAll('\n', ', '));
    return [words.text, words.isWarning, ...words.tooltip.split('\n')];
  };
  const table: readonly (readonly [text: string, Partial<WindowInput>, ...rest: readonly unknown[]])[] = [
    [
      '$(vm-running) training · $0.400/h · 1 h · 41 ms · ≤ $0.400',
      { latencyMs: 41 },
      false,
      'This window works on training: Running',
      'It costs $0.400/h now',
      'Rented 1 h ago',
      'At most $0.400 so far, assuming that it always ran, without traffic',
      'Latency to the machine: 41 ms',
    ],
    [
      '$(warning) training · $0.400/h · 1 h · ≤ $0.400',
      { isStale: true },
      false,
      'This window works on training: Running',
      'It costs $0.400/h now',
      'Rented 1 h ago',
      'At most $0.400 so far, assuming that it always ran, without traffic',
      'The service is unreachable; this is the last known state',
    ],
    [
      '$(warning) training · Stopped · $0.120/day · ≤ $0.400',
      { kind: 'stopped', latencyMs: 41 },
      true,
      'This window works on training: Stopped',
      'It costs $0.120/day now',
      'Rented 1 h ago',
      'At most $0.400 so far, assuming that it always ran, without traffic',
    ],
    [
      '$(warning) training · Outbid · $0.120/day · ≤ $0.400',
      { kind: 'outbid', isStale: true },
      false,
      'This window works on training: Outbid',
      'It costs $0.120/day now',
      'Rented 1 h ago',
      'At most $0.400 so far, assuming that it always ran, without traffic',
      'The service is unreachable; this is the last known state',
    ],
    ['$(vm-running) #5001', { instance: { id: 5001 } }, false, 'This window works on #5001: Running'],
  ];

  for (const [text, more, ...rest] of table) {
    it(`shows ${text}`, () => {
      assert.deepEqual(shown(more), [text, ...rest]);
    });
  }

  it('shows that the instance is gone', () => {
    assert.deepEqual(goneTexts('gpu-7'), {
      text: '$(warning) gpu-7',
      tooltip: 'The instance of this window is destroyed',
      spoken: 'The instance of this window is destroyed',
      isWarning: true,
    });
  });

  it('shows what each trouble costs and what becomes of the data', () => {
    const all: readonly WindowTrouble[] = [
      'stopped',
      'destroyed',
      'outbid',
      'exited',
      'unknown',
      'offline',
      'moved',
    ];
    assert.deepEqual(
      all.map((trouble) => Object.values(troubleText('trainer', trouble, anInstance())).join(' // ')),
      [
        "trainer is stopped, so this window can't work on it. // Its data is kept, and storage still costs $0.120/day.",
        'trainer is destroyed, so this window can no longer work on it. // You are no longer charged for it. Its files are lost.',
        "trainer was outbid and is paused, so this window can't work on it. // It runs again when your bid is the highest. Its data is kept, and storage still costs $0.120/day.",
        "trainer has exited, so this window can't work on it. // Its data is kept, and storage still costs $0.120/day.",
        'The host of trainer sends no heartbeat, so this window may not work. // Its data may come back with the host, and storage still costs $0.120/day.',
        "The host of trainer is disconnected, so this window can't work on it. // Its data may come back with the host, and storage still costs $0.120/day.",
        'trainer has a new address. Reload this window to connect to it. // The entry in your SSH config is up to date. Unsaved files are kept.',
      ],
    );
  });
});
