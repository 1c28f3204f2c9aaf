import assert from 'node:assert/strict';
import { plainLabel } from '../../../src/util/plainLabel';

describe('text of a stranger in one line', () => {
  it('has no icon, no hidden character and no link', () => {
    assert.equal(plainLabel(' a\n$(bug)\u202eb '), 'a $ (bug) b');
    assert.equal(plainLabel('[free](command:gpuRental.signOut)'), '[free] - (command:gpuRental.signOut)');
    assert.equal(plainLabel('[free] \n (https://example.com)'), '[free] - (https://example.com)');
    assert.equal(plainLabel('a [b] c (d)'), 'a [b] c (d)');
  });
});
