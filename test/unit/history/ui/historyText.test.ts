import assert from 'node:assert/strict';
import * as words from '../../../../src/history/ui/historyText';
import { fromDollars } from '../../../../src/model/money';
import type { PastRental } from '../../../../src/model/rentals/pastRental';
import { anInstance } from '../../../support/builders';

describe('The words of a past rental', () => {
  const now = new Date(2026, 0, 15, 12).getTime();
  const startedAt = now / 1000 - 2 * 3600;
  const past = (more: object = {}, instance = {}): PastRental => ({
    ...{
      instance: anInstance({ id: 7, label: 'trainer', startedAt, ...instance }),
      end: 'destroyed',
      endedAt: now,
      version: 1,
    },
    ...more,
  });
  const page = (one: PastRental, verdict?: string, log?: string) =>
    words.pageOfPast(one, { verdict, log, now }).split('\n');

  it('show in the row what it was, what it cost at most or was charged, and who rented it', () => {
    assert.deepEqual(
      [
        past(),
        past({ charged: { amount: fromDollars(0.7), at: now }, agent: 'claude' }),
        past(
          {},
          {
            totalPerHour: undefined,
            storagePerHour: undefined,
            startedAt: undefined,
            gpuName: undefined,
            gpuCount: 2,
          },
        ),
      ].map((one) => words.descriptionOfPast(one, now)),
      [
        '1× RTX 4090 · ≤ $0.80 · 2 h · 12:00 PM',
        'by agent · 1× RTX 4090 · $0.70 · 2 h · 12:00 PM',
        '2× ? · 12:00 PM',
      ],
    );
  });

  it('show how it ended', () => {
    const ends = ['destroyed', 'replaced', 'failed', 'gone'] as const;
    assert.deepEqual(
      ends.map((end) => words.endText(past({ end }))),
      [
        'destroyed',
        'replaced by another machine',
        'its start failed',
        'no longer listed by the service, and not destroyed from here',
      ],
    );
  });

  it('fill a page with what is known, and leave out the rest', () => {
    const facts = {
      ...{
        location: 'Sweden, SE',
        image: 'a/b',
        templateName: 'PyTorch',
        diskSpaceGb: 20.4,
        isInterruptible: true,
      },
    };
    assert.deepEqual(
      page(past({ agent: 'claude', message: 'no space left' }, facts), 'fine', 'line 1\nline 2'),
      [
        'trainer',
        '',
        'Instance: #7',
        'GPU: 1× RTX 4090',
        'Rented by agent (unverified name): “claude”',
        'Rented: 10:00 AM',
        'Ended: 12:00 PM',
        'Duration: 2 h',
        'How it ended: destroyed',
        'The host said: no space left',
        'Cost: at most $0.80: an estimate from its price, assuming that it always ran, without traffic',
        'Price: $0.400/h',
        'Rental type: interruptible',
        'Machine: #178',
        'Location: Sweden',
        'Image: a/b',
        'Template: PyTorch',
        'Disk: 20 GB',
        'Check of the machine: fine',
        'Log: kept, see below',
        '',
        'line 1',
        'line 2',
      ],
    );
    const bare = {
      machineId: undefined,
      totalPerHour: undefined,
      storagePerHour: undefined,
      startedAt: undefined,
    };
    assert.deepEqual(page(past({}, { ...bare, isInterruptible: false })), [
      'trainer',
      '',
      'Instance: #7',
      'GPU: 1× RTX 4090',
      'Ended: 12:00 PM',
      'How it ended: destroyed',
      'Cost: unknown: the service stated no price',
      'Rental type: on demand',
      'Check of the machine: not made',
      'Log: not read before the instance ended',
    ]);
  });
});
