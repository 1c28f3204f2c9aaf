import * as assert from 'node:assert/strict';
import { agreedEndText, shortened, type AgreedEnd } from '../../../../src/model/rentals/agreedEnd';
import { formatText } from '../../../../src/util/text';

const usual: AgreedEnd = { idleMinutes: 30, destroyAfterDays: 7 };

describe('The end of a rental', () => {
  for (const [wish, expected] of [
    [{}, usual],
    [{ idleMinutes: 15 }, { ...usual, idleMinutes: 15 }],
    [{ idleMinutes: 60, destroyAfterDays: 30 }, usual],
    [{ idleMinutes: 0, destroyAfterDays: 0 }, usual],
    [{ destroyAfterDays: 1 }, { ...usual, destroyAfterDays: 1 }],
  ] as const) {
    it(`is shortened by a file, never made longer: ${JSON.stringify(wish)}`, () => {
      assert.deepEqual(shortened(usual, wish), expected);
    });
  }

  it('is set by a file where the user has chosen none', () => {
    assert.deepEqual(shortened({ idleMinutes: 0, destroyAfterDays: 0 }, { idleMinutes: 45 }), {
      idleMinutes: 45,
      destroyAfterDays: 0,
    });
  });

  for (const [end, expected] of [
    [usual, 'stops after 30 min idle; destroyed 7 d later, asks unless all is saved'],
    [{ ...usual, destroyAfterDays: 0 }, 'stops after 30 min idle'],
    [{ ...usual, idleMinutes: 0 }, 'never stops by itself; asks to destroy after 7 d stopped'],
    [{ idleMinutes: 0, destroyAfterDays: 0 }, 'never stops by itself'],
  ] as const) {
    it(`is one line of the confirmation: ${expected}`, () => {
      assert.equal(formatText(agreedEndText(end)), expected);
    });
  }
});
