import assert from 'node:assert/strict';
import { armGuardAgain } from '../../../../src/jobs/store/armGuard';
import type { JobStepDeps } from '../../../../src/jobs/store/jobStep';
import type { Account } from '../../../../src/store/accounts/accounts';
import { CancelledError } from '../../../../src/util/errors';
import { silentLog } from '../../../../src/util/log';
import { aJobRow } from '../../../support/jobRow';

describe('A guard that is armed again during a job', () => {
  for (const [what, isAborted, error, isThrown] of [
    ['ends the work where the window closes', true, new Error('cut'), true],
    ['ends the work where it was canceled', false, new CancelledError(), true],
    ['changes nothing for the job where it fails', false, new Error('cut'), false],
  ] as const) {
    it(what, async () => {
      const over = new AbortController();
      const deps = {
        firstContact: () => {
          if (isAborted) over.abort();
          return Promise.reject(error);
        },
        clock: { now: () => 0 },
        log: silentLog,
      } as unknown as JobStepDeps; // nothing else of them is used here
      const machine = { account: {} as Account, instanceId: 5001 };
      const armed = armGuardAgain(
        deps,
        machine,
        aJobRow({}, { job: { rental: { marker: 'abcd1234' } } }),
        over.signal,
      );
      await (isThrown ? assert.rejects(armed, error) : armed.then((until) => assert.equal(until, undefined)));
    });
  }
});
