import assert from 'node:assert/strict';
import { endNote, expiredText, hostEndsText } from '../../../../src/features/warnings/endText';

describe('The words of the end of a rental', () => {
  const now = new Date(2026, 0, 15, 12).getTime();
  const hour = 3_600_000;
  const at = { endsAtMs: now + 3 * hour, deletedAtMs: now + 51 * hour };
  const over = { endsAtMs: now - 3 * hour, deletedAtMs: now + 45 * hour };
  const lines = (end: Parameters<typeof endNote>[0], at: number, isOutbid = false) => {
    const note = endNote(end, at, isOutbid);
    return [note.row, ...note.lines().map(([label, value]) => `${label}: ${value}`)];
  };

  it('are in the row once the end is near or an outbid machine waits for it', () => {
    assert.deepEqual(lines({ kind: 'later', ...at }, now), ['', 'Rental ends: 3:00 PM, in 3 h']);
    assert.deepEqual(lines({ kind: 'later', ...at }, now, true), [
      'rental ends in 3 h',
      'Rental ends: 3:00 PM, in 3 h',
      'Then: the instance stops, and its data may be deleted 48 h later',
    ]);
    assert.deepEqual(lines({ kind: 'soon', endsAtMs: at.endsAtMs, isLastHour: false }, now), [
      'rental ends in 3 h',
      'Rental ends: 3:00 PM, in 3 h',
      'Then: the instance stops, and its data may be deleted 48 h later',
    ]);
  });

  it('state how long the data of one that is over is kept', () => {
    assert.deepEqual(lines({ kind: 'expired', ...over }, now), [
      'expired, data kept for 1 d 21 h',
      'Rental ended: 9:00 AM',
      'Data: kept until Sat, Jan 17, 9:00 AM, for 1 d 21 h',
    ]);
    assert.deepEqual(lines({ kind: 'expired', ...over, deletedAtMs: now }, now), [
      'expired, data can be deleted at any time',
      'Rental ended: 9:00 AM',
      'Data: can be deleted at any time',
    ]);
    assert.deepEqual(
      [
        expiredText('trainer', over.endsAtMs, over.deletedAtMs, now),
        expiredText('trainer', over.endsAtMs, now, now),
      ],
      [
        'The rental of trainer ended at 9:00 AM. Its data may be deleted in 1 d 21 h, at Sat, Jan 17, 9:00 AM.',
        'The rental of trainer ended at 9:00 AM. Its data can be deleted at any time.',
      ],
    );
    assert.equal(
      hostEndsText('trainer', at.endsAtMs, now),
      'The host ends the rental of trainer in 3 h, at 3:00 PM. Save what you need before then; its data may be deleted 48 h later.',
    );
  });
});
