import assert from 'node:assert/strict';
import { bytesText } from '../../../src/util/bytes';

describe('A size in bytes', () => {
  it('is shown with two or three digits in a unit that fits', () => {
    const shown = [0, 7, 999, 1000, 1500, 9_949, 9_960, 999_499, 999_500, 4_200_000, 137e9, 2e15].map(
      bytesText,
    );
    assert.deepEqual(shown, [
      ...['0 B', '7 B', '999 B', '1.0 kB', '1.5 kB', '9.9 kB', '10 kB', '999 kB', '1.0 MB'],
      ...['4.2 MB', '137 GB', '2000 TB'],
    ]);
  });
});
