import assert from 'node:assert/strict';
import { NotSentError } from '../../../src/api/errors';
import { read, write } from '../../../src/api/request';

describe('The address of a request', () => {
  it('has method, path and route, and states whether the call may be repeated', () => {
    assert.deepEqual(read('GET /api/v0/instances/'), {
      method: 'GET',
      path: '/api/v0/instances/',
      route: 'GET /api/v0/instances/',
      repeat: 'read',
    });
    assert.deepEqual(write('DELETE /api/v0/instances/{id}/ssh/{ssh_key_id}/', { id: 12, ssh_key_id: 34 }), {
      method: 'DELETE',
      path: '/api/v0/instances/12/ssh/34/',
      route: 'DELETE /api/v0/instances/{id}/ssh/{ssh_key_id}/',
      repeat: 'write',
    });
  });

  it('percent-encodes each value as one segment', () => {
    const { path } = read('GET /api/v0/team/roles/{id}/', { id: 'a/b ü?#%{id}' });
    assert.equal(path, '/api/v0/team/roles/a%2Fb%20%C3%BC%3F%23%25%7Bid%7D/');
  });

  for (const id of ['', '.', '..']) {
    it(`refuses the name "${id}", which would change the path`, () => {
      assert.throws(() => read('GET /api/v0/team/roles/{id}/', { id }), NotSentError);
    });
  }
});
