import assert from 'node:assert/strict';
import { describeFailures } from '../support/failureMatrix';

describeFailures({
  name: 'users.current',
  method: 'GET',
  path: '/api/v0/users/current/',
  repeat: 'read',
  call: (client, _, options) => client.users.current(options),
  succeeds: (result, simulator) => {
    assert.deepEqual(Object.keys(result as object).includes('email'), true);
    const sent = simulator.received('GET', '/api/v0/users/current/').at(-1);
    assert.deepEqual([sent?.query, sent?.body, sent?.hasAuthorization], [{}, '', true]);
  },
});
