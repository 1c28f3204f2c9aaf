import assert from 'node:assert/strict';
import {
  mayHaveTakenEffect,
  NotReachableError,
  NotSentError,
  NotUnderstoodError,
  RateLimitedError,
  RefusedError,
  ServiceFailedError,
  TimedOutError,
} from '../../../src/api/errors';
import { text } from '../../../src/util/text';

describe('a write that failed', () => {
  it('may have taken effect unless the service turned it away or it never left', () => {
    const lost = [
      new NotReachableError({ wasSent: true }),
      new TimedOutError(),
      new ServiceFailedError(),
      new NotUnderstoodError(),
      new RateLimitedError({ status: 200 }),
      new RateLimitedError({ status: 399 }),
      new RefusedError({ status: 500 }),
    ];
    for (const error of lost) {
      assert.equal(mayHaveTakenEffect(error), true, `${error.name} ${error.status ?? ''}`);
    }
    const refused = [
      new NotReachableError({ wasSent: false }),
      new NotSentError(text('Not sent.')),
      new RateLimitedError(),
      new RateLimitedError({ status: 400 }),
      new RateLimitedError({ status: 429 }),
      new RefusedError(),
      new RefusedError({ status: 499 }),
      new Error('of another kind'),
    ];
    for (const error of refused) {
      assert.equal(mayHaveTakenEffect(error), false, String(error));
    }
  });
});
