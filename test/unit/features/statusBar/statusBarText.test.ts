import assert from 'node:assert/strict';
import { type StatusBarInput, statusBarText } from '../../../../src/features/statusBar/statusBarText';
import type { Instance } from '../../../../src/model/instances/instance';
import { fromDollars } from '../../../../src/model/money';
import { hourlyRate } from '../../../../src/model/quote';
import type { Burn } from '../../../../src/store/instances/burn';
import { anInstance } from '../../../support/builders';
import { only } from '../../../support/only';

type Input = StatusBarInput;

const now = 1_000_000_000_000;
const minute = 60_000;
const burnOf = (dollars: number, more: Partial<Burn> = {}): Burn => ({
  ...{
    rate: hourlyRate(fromDollars(dollars)),
    perHour: fromDollars(dollars),
    volumesPerHour: fromDollars(0),
  },
  ...{ isPartial: false, isEarly: false, isAtMost: false },
  ...more,
});
const listed = (instances: readonly Instance[], more: object = {}): Input['state'] => ({
  ...{ kind: 'ready', value: { instances, skipped: 0 }, fetchedAt: now },
  ...more,
});
const stopped = anInstance({ id: 2, label: 'old', actualStatus: 'exited', intendedStatus: 'stopped' });
const loading = anInstance({ id: 3, label: 'new', actualStatus: 'loading' });
const watchOf = (instanceId: number, more: object = {}) =>
  ({ instanceId, since: now - 2 * minute, isLong: false, ...more }) as Input['watches'][number];
const budgetOf = (spent: number, isWhole = true): Input['budget'] => {
  const amount = fromDollars(spent);
  const part = {
    period: 'day',
    limit: fromDollars(10),
    span: { from: 0, until: 1 },
    spent: { amount, least: amount },
  };
  return only({ parts: [part], isWhole, rate: hourlyRate(fromDollars(1)), at: 0, isProved: true });
};

describe('The item in the status bar', () => {
  const words = (more: Partial<Input>) =>
    statusBarText({
      ...{ state: listed([anInstance()]), facts: () => ({}), burn: burnOf(0.4), watches: [], notKnown: 0 },
      ...{ credit: fromDollars(12), now },
      ...more,
    });

  it('is hidden while nothing costs money and nothing is open', () => {
    const nothing = { state: listed([]), burn: burnOf(0) };
    assert.equal(words(nothing), undefined);
    assert.notEqual(words({ ...nothing, notKnown: 1 }), undefined);
    assert.notEqual(words({ ...nothing, burn: burnOf(0.1) }), undefined);
    assert.notEqual(words({ ...nothing, state: listed([stopped]) }), undefined);
  });

  const table: readonly (readonly [text: string, tooltip: string, more: Partial<Input>])[] = [
    [
      '$(server) 1 running · $0.400/h · credit for 30 h',
      '1 running, 0 stopped or failed, of 1\nTotal: $0.400/h\nCredit lasts 30 h',
      {},
    ],
    [
      '$(warning) GPU',
      'GPU Rental: could not load your instances',
      { state: only({ kind: 'failed', error: new Error('x') }) },
    ],
    [
      '$(server) 1 running · $0.400/h',
      '1 running, 1 stopped or failed, of 2\nTotal: $0.400/h',
      { state: listed([anInstance(), stopped]), credit: undefined },
    ],
    [
      '$(server) 1 running · ≥ $0.400/h · credit for ≤ 30 h',
      '1 running, 0 stopped or failed, of 1\nTotal: ≥ $0.400/h\nOf which volumes: $0.100/h\nCredit lasts ≤ 30 h',
      { burn: burnOf(0.4, { isPartial: true, volumesPerHour: fromDollars(0.1) }) },
    ],
    [
      '$(server) 1 running · ≤ $0.400/h · credit for ≥ 30 h',
      '1 running, 0 stopped or failed, of 1\nTotal: ≤ $0.400/h\nCredit lasts ≥ 30 h',
      { burn: burnOf(0.4, { isPartial: true, isEarly: true, isAtMost: true }) },
    ],
    [
      '$(server) 1 running · ≈ $0.400/h · credit for ≈ 30 h',
      '1 running, 0 stopped or failed, of 1\nTotal: ≈ $0.400/h\nCredit lasts ≈ 30 h',
      { burn: burnOf(0.4, { isPartial: true, isAtMost: true }) },
    ],
    [
      '$(server) 1 running · $0.400/h · credit for 30 h',
      '1 running, 0 stopped or failed, of 1\nTotal: $0.400/h\nCredit lasts 30 h',
      { burn: burnOf(0.4, { isPartial: true, isEarly: true }) },
    ],
    [
      '$(warning) $(server) 1 running · $0.400/h · credit for 30 h',
      '1 running, 0 stopped or failed, of 1\nTotal: $0.400/h\nCredit lasts 30 h\nShown as of 5 min ago.',
      { state: listed([anInstance()], { error: new Error('x'), fetchedAt: now - 5 * minute }) },
    ],
    [
      '$(warning) $(server) 1 running · $0.400/h · credit for 30 h',
      '1 running, 0 stopped or failed, of 1\nTotal: $0.400/h\nCredit lasts 30 h\nShown as of 1 h ago.',
      { state: listed([anInstance()], { fetchedAt: now - 60 * minute }) },
    ],
    [
      '$(server) 1 running · $0.400/h · credit for 1 h',
      '1 running, 0 stopped or failed, of 1\nTotal: $0.400/h\nCredit lasts 1 h',
      { credit: fromDollars(0.7) },
    ],
    [
      '$(server) 1 running · $0.400/h · credit for 30 h · $3.00 of $10/day',
      '1 running, 0 stopped or failed, of 1\nTotal: $0.400/h\nCredit lasts 30 h\nBudget: $3.00 of $10/day\nCharges and the cost since the last of them, in UTC days and months',
      { budget: budgetOf(3) },
    ],
    [
      '$(server) 1 running · $0.400/h · credit for 30 h · $10.00 of $10/day',
      '1 running, 0 stopped or failed, of 1\nTotal: $0.400/h\nCredit lasts 30 h\nBudget: $10.00 of $10/day\nAt least this much, because not all charges and instances could be read, in UTC days and months',
      { budget: budgetOf(10, false) },
    ],
    [
      '$(sync~spin) rental not confirmed yet · 1 running · $0.400/h',
      '1 running, 0 stopped or failed, of 1\nTotal: $0.400/h\nCredit lasts 30 h\nrental not confirmed yet',
      { notKnown: 1 },
    ],
    [
      '$(sync~spin) Loading image 2 min · 0 running · $0.400/h',
      '0 running, 0 stopped or failed, of 1\nTotal: $0.400/h\nCredit lasts 30 h\nBudget: $3.00 of $10/day\nCharges and the cost since the last of them, in UTC days and months\nLoading image 2 min',
      { state: listed([loading]), watches: [watchOf(3)], budget: budgetOf(3) },
    ],
    [
      '$(sync~spin) Loading image 2 min · 0 running · $0.400/h · $10.00 of $10/day',
      '0 running, 0 stopped or failed, of 1\nTotal: $0.400/h\nCredit lasts 30 h\nBudget: $10.00 of $10/day\nCharges and the cost since the last of them, in UTC days and months\nLoading image 2 min',
      { state: listed([loading]), watches: [watchOf(3)], budget: budgetOf(10) },
    ],
    [
      '$(sync~spin) new: Loading image 2 min, 1 more · 0 running · $0.400/h · credit for 1 h',
      '0 running, 0 stopped or failed, of 1\nTotal: $0.400/h\nCredit lasts 1 h\nnew: Loading image 2 min, 1 more',
      { state: listed([loading]), watches: [watchOf(3), watchOf(4)], credit: fromDollars(0.7) },
    ],
    [
      '$(sync~spin) Preparing 2 min · 0 running · $0.400/h',
      '0 running, 0 stopped or failed, of 0\nTotal: $0.400/h\nCredit lasts 30 h\nPreparing 2 min',
      { state: listed([]), burn: burnOf(0.4), watches: [watchOf(9)] },
    ],
    [
      ...([
        '$(sync~spin) Logging in… 20 s longer than usual: its SSH port is closed · 1 running · $0.400/h',
        '1 running, 0 stopped or failed, of 1\nTotal: $0.400/h\nCredit lasts 30 h\nLogging in… 20 s longer than usual: its SSH port is closed',
      ] as const),
      {
        watches: [
          watchOf(5001, {
            check: { stage: 'login', runningAt: now, since: now - 20_000, problem: 'refused' },
          }),
        ],
      },
    ],
  ];

  for (const [text, tooltip, more] of table) {
    it(`shows ${text}`, () => {
      const shown = words(more);
      assert.deepEqual([shown?.text, shown?.tooltip], [text, tooltip]);
    });
  }

  it('is read again while a time in it passes, and warns of little credit and of a used budget', () => {
    const marks = (more: Partial<Input>) => [words(more)?.isMoving, words(more)?.isWarning];
    assert.deepEqual(marks({}), [false, false]);
    assert.deepEqual(marks({ watches: [watchOf(3)] }), [true, false]);
    assert.deepEqual(marks({ notKnown: 1 }), [true, false]);
    assert.deepEqual(marks({ credit: fromDollars(0.8) }), [false, false]);
    assert.deepEqual(marks({ credit: fromDollars(0.7) }), [false, true]);
    assert.deepEqual(marks({ budget: budgetOf(9.9) }), [false, false]);
    assert.deepEqual(marks({ budget: budgetOf(10) }), [false, true]);
    assert.deepEqual(marks({ state: only({ kind: 'failed', error: new Error('x') }) }), [false, true]);
  });

  it('shows the time of a wait as of the moment at which the other places redraw it', () => {
    const watches = [watchOf(3, { since: now - 10_000 })];
    const text = (at: number) => words({ state: listed([loading]), watches, now: at })?.text;
    assert.match(text(now + 4999) ?? '', /Loading image 10 s/);
    assert.match(text(now + 5000) ?? '', /Loading image 15 s/);
  });

  it('speaks the lines of its tooltip without the seconds that pass', () => {
    const spoken = words({ state: listed([loading]), watches: [watchOf(3)] })?.spoken ?? '';
    assert.match(spoken, /^GPU Rental, 0 running, /);
    assert.doesNotMatch(spoken, /2 min/);
  });
});
