import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mayHaveTakenEffect, RentOutcomeUnknownError } from '../../src/api/errors';
import { failureKinds, isRead, runFailures, withFailures, type Outcome } from '../support/failureTable';

const page = join(__dirname, '..', '..', 'docs', 'service', 'failures.md');

describe('every operation of the interface and every failure', () => {
  let outcomes: readonly Outcome[];
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);

  before(async () => {
    process.on('unhandledRejection', note);
    outcomes = await runFailures();
  });
  after(() => {
    process.off('unhandledRejection', note);
  });

  const lines = (wrong: (outcome: Outcome) => boolean) =>
    outcomes
      .filter(wrong)
      .map(
        ({ method, failure, moment, sentence }) => `${method}: ${failure}, ${moment}: ${String(sentence)}`,
      );

  it('are 34 by twelve, before and after the request took effect', () => {
    assert.equal(failureKinds.length, 12);
    // A refused connection is before everything.
    assert.equal(outcomes.length, 34 * (12 * 2 - 1));
    assert.deepEqual(
      outcomes
        .filter(({ moment, handled }) => (moment === 'after') !== (handled === 200))
        .map(
          ({ method, failure, moment, handled }) => `${method}: ${failure}, ${moment}: ${String(handled)}`,
        ),
      [],
    );
  });

  it('end in whole sentences with a next step, and in no unhandled rejection', () => {
    assert.deepEqual(
      lines(({ sentence }) => !/^\S.*\. \S.*\.$/.test(sentence ?? '')),
      [],
    );
    assert.deepEqual(unhandled, []);
  });

  it('reports for a write that it may have taken effect if that is unknown, and for nothing else', () => {
    const isOpen = ({ method, error }: Outcome) =>
      error instanceof RentOutcomeUnknownError || (!isRead(method) && mayHaveTakenEffect(error));
    assert.deepEqual(
      lines((outcome) => isOpen(outcome) !== /\bmay have\b/.test(outcome.sentence ?? '')),
      [],
    );
  });

  it('are those of the page of failures (otherwise: npm run operations)', () => {
    const written = readFileSync(page, 'utf8');
    assert.equal(written, withFailures(written, outcomes));
  });
});
