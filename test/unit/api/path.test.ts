import assert from 'node:assert/strict';
import { NotSentError } from '../../../src/api/errors';
import { path } from '../../../src/api/path';

describe('path', () => {
  it('percent-encodes each value as one segment', () => {
    assert.equal(path`/api/v0/team/roles/${'a/b ü?#%'}/`, '/api/v0/team/roles/a%2Fb%20%C3%BC%3F%23%25/');
  });

  it('keeps the text between the values as it is', () => {
    assert.equal(path`/api/v0/instances/${12}/ssh/${34}/`, '/api/v0/instances/12/ssh/34/');
  });

  for (const name of ['', '.', '..']) {
    it(`refuses the name "${name}", which would change the path`, () => {
      assert.throws(() => path`/api/v0/team/roles/${name}/`, NotSentError);
    });
  }
});
