import assert from 'node:assert/strict';
import { plainLabel, plainLines } from '../../../src/util/plainLabel';

describe('text of a stranger in one line', () => {
  it('has no icon, no hidden character and no link', () => {
    assert.equal(plainLabel(' a\n$(bug)\u202eb '), 'a $ (bug) b');
    assert.equal(plainLabel('[free](command:gpuRental.signOut)'), '[free] - (command:gpuRental.signOut)');
    assert.equal(plainLabel('[free] \n (https://example.com)'), '[free] - (https://example.com)');
    assert.equal(plainLabel('a [b] c (d)'), 'a [b] c (d)');
  });

  it('keeps lines of a program exactly, and shows where something is hidden', () => {
    const program = 'if [ "$(x)" ]; then\n\techo [a](b)\nfi';
    assert.equal(plainLines(program), program);
    assert.equal(plainLines('a\u202e\u001b[8m\rb\u2028'), 'a\ufffd\ufffd[8m\ufffdb\ufffd');
  });
});
