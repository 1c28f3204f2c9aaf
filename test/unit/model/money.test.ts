import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  add,
  formatCents,
  formatMoney,
  fromDollars,
  roundUp,
  times,
  toDollars,
  zero,
} from '../../../src/model/money';

describe('money', () => {
  it('converts dollars to whole millionths exactly', () => {
    assert.equal(fromDollars(0.3467), 346_700);
    assert.equal(fromDollars(0.1 * 3), 300_000);
    assert.equal(fromDollars(128), 128_000_000);
    assert.equal(fromDollars(0), 0);
  });

  it('rounds a part of a millionth up', () => {
    assert.equal(fromDollars(0.0000001), 1);
    assert.equal(fromDollars(0.35121234), 351_213);
    assert.equal(fromDollars(1.0000005), 1_000_001);
  });

  it('never gives a minus zero', () => {
    assert.ok(Object.is(roundUp(-0.4), 0));
    assert.ok(Object.is(fromDollars(-0), 0));
  });

  it('is never less than the dollars it represents', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e6, noNaN: true }), (dollars) => {
        const micros = fromDollars(dollars);
        assert.ok(Number.isInteger(micros));
        assert.ok(toDollars(micros) >= dollars * (1 - 1e-14));
        assert.ok(micros - dollars * 1e6 < 1 + 1e-3);
      }),
    );
  });

  it('gives every whole number of cents back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (cents) => {
        assert.equal(
          formatCents(fromDollars(cents / 100)).replaceAll(',', ''),
          `$${(cents / 100).toFixed(2)}`,
        );
      }),
    );
  });

  it('adds and multiplies exactly', () => {
    assert.equal(add(), zero);
    assert.equal(add(fromDollars(0.1), fromDollars(0.2)), fromDollars(0.3));
    assert.equal(times(fromDollars(0.0046), 50), fromDollars(0.23));
    assert.equal(times(fromDollars(0.000001), 0.5), 1);
  });

  it('shows four digits below a cent, three below a dollar, and two above', () => {
    assert.equal(formatMoney(fromDollars(0.0046)), '$0.0046');
    assert.equal(formatMoney(fromDollars(0.423)), '$0.423');
    assert.equal(formatMoney(fromDollars(12.5)), '$12.50');
    assert.equal(formatMoney(fromDollars(1_234_567.891)), '$1,234,567.90');
    assert.equal(formatMoney(fromDollars(999.999), 4), '$999.9990');
    assert.equal(formatMoney(zero), '$0.00');
  });

  it('rounds up at the last digit shown', () => {
    assert.equal(formatMoney(fromDollars(0.4201)), '$0.421');
    assert.equal(formatMoney(fromDollars(1.001)), '$1.01');
    assert.equal(formatCents(fromDollars(0.000001)), '$0.01');
    assert.equal(formatMoney(fromDollars(0.9999)), '$1.000');
  });

  it('shows a debt with its sign', () => {
    assert.equal(formatCents(fromDollars(-3.456)), '-$3.45');
    assert.equal(formatCents(fromDollars(-0.001)), '$0.00');
  });

  it('never shows less than the amount', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e12 }),
        fc.constantFrom(undefined, 2, 3, 4),
        (amount, digits) => {
          // A whole number of millionths is what the type stands for.
          const micros = amount as ReturnType<typeof fromDollars>;
          const shown = digits === undefined ? formatMoney(micros) : formatMoney(micros, digits);
          assert.ok(Math.round(Number(shown.slice(1).replaceAll(',', '')) * 1e6) >= amount, shown);
        },
      ),
    );
  });
});
