import assert from 'node:assert/strict';
import { isLoopback } from '../../../src/util/loopback';

describe('isLoopback', () => {
  it('knows this computer from others', () => {
    assert.deepEqual(
      [
        '127.0.0.1',
        '127.255.0.3',
        'localhost',
        '[::1]',
        '128.0.0.1',
        '0.0.0.0',
        'example.com',
        '127.0.0.1.nip.io',
      ].map(isLoopback),
      [true, true, true, true, false, false, false, false],
    );
  });
});
