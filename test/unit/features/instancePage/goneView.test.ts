import assert from 'node:assert/strict';
import { goneView, type GoneFacts } from '../../../../src/features/instancePage/goneView';
import { fromDollars } from '../../../../src/model/money';
import type { PastRental } from '../../../../src/model/rentals/pastRental';
import { anInstance } from '../../../support/builders';

const now = new Date(2026, 0, 15, 12).getTime();

function past(change: Partial<PastRental> = {}, instance: object = {}): PastRental {
  const startedAt = now / 1000 - 2 * 3600;
  const record = anInstance({ id: 7, label: 'trainer', startedAt, ...instance });
  return { version: 1, instance: record, endedAt: now, end: 'destroyed', ...change };
}

function page(rental: PastRental | undefined, facts: Partial<GoneFacts> = {}) {
  const nothing = {
    isListed: true,
    hasEnded: true,
    check: undefined,
    log: undefined,
    now,
    endedBy: undefined,
    canReadEnd: true,
  };
  return goneView('trainer', rental, { ...nothing, ...facts });
}
const rows = (view: ReturnType<typeof page>, id: string) =>
  (view.sections.find((section) => section.id === id)?.table.rows ?? []).map(({ cells }) =>
    cells.map(({ text }) => text).join(': '),
  );

describe('the text of the page of an instance that is gone', () => {
  it('shows what it cost, how long it lasted and how it ended, and offers the same again', () => {
    const view = page(past({ agent: 'claude', message: 'no space left' }));
    assert.deepEqual(
      view.tiles.map(({ label, value }) => `${label}: ${value}`),
      ['Ended: 12:00 PM', 'Rented for: 2 h', 'Cost: ≤ $0.80'],
    );
    assert.deepEqual(rows(view, 'status'), [
      'How it ended: destroyed',
      'Host says: no space left',
      'Cost: at most $0.80: an estimate from its price, assuming that it always ran, without traffic',
      'Rented by agent (unverified name): “claude”',
      'Log: not read before the instance ended',
    ]);
    assert.deepEqual(
      view.buttons.map(({ label }) => label),
      ['Rent Again…'],
    );
    assert.ok(rows(view, 'configuration').includes('Rented: 10:00 AM'));
    assert.ok(rows(page(past({}, { diskSpaceGb: 20.4 })), 'machine').includes('Disk: 20 GB'));
  });

  it('shows what was charged, or that the service stated no price', () => {
    const charged = page(past({ charged: { amount: fromDollars(0.7), at: now } }));
    assert.ok(rows(charged, 'status').includes('Cost: $0.70, as the service charged'));
    const bare = { totalPerHour: undefined, storagePerHour: undefined, startedAt: undefined };
    const unknown = page(past({}, bare));
    assert.ok(rows(unknown, 'status').includes('Cost: unknown: the service stated no price'));
    assert.deepEqual(
      unknown.tiles.map(({ label }) => label),
      ['Ended'],
    );
  });

  it('shows the end of its log, with a button for the rest', () => {
    const { output } = page(past(), { log: 'line 1' });
    assert.deepEqual(output, {
      title: 'Last Lines of the Log',
      text: 'line 1',
      buttons: [{ id: 'gpuRental.history.showLog', label: 'Show Log' }],
    });
  });

  it('warns only of an end that was not asked for', () => {
    const severity = (end: PastRental['end']) => page(past({ end })).notices[0]?.severity;
    assert.deepEqual([severity('destroyed'), severity('gone')], ['info', 'warning']);
    const missing = page(undefined, { hasEnded: false }).notices[0];
    assert.equal(missing?.text, 'trainer is missing from the list of instances.');
    assert.deepEqual(page(undefined, { isListed: false }).notices, []);
  });

  it('shows hostile words of the host and an agent in one line', () => {
    const hostile = '<b>\n[x](command:y)\u202e';
    const shown = rows(page(past({ message: hostile, agent: hostile, end: 'failed' })), 'status').join('');
    assert.doesNotMatch(shown, /\n|\u202e/);
  });
});
