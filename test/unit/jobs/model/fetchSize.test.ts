import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { questionAbout } from '../../../../src/jobs/model/fetchSize';
import { fromDollars } from '../../../../src/model/money';
import { formatText } from '../../../../src/util/text';
import { aJob } from '../../../support/jobWindows';
import { sized, testSeed } from '../../../support/seeded';

const job = (costDollars: number, fetchBytes?: number) => ({
  spec: aJob(7, { limits: { hours: 2, costDollars } }).spec,
  fetchBytes,
});
const bytes = fc.oneof(
  fc.constantFrom(0, 9_999_999_999, 10e9, 10_000_000_001, 2e12, Number.MAX_SAFE_INTEGER),
  fc.integer({ min: 0, max: 4e12 }),
);

describe('What a fetch would bring', () => {
  it('begins unasked only if it is small, cheap and has room, or less than what was agreed to', () => {
    fc.assert(
      fc.property(
        bytes,
        fc.option(bytes, { nil: undefined }),
        fc.option(bytes, { nil: undefined }),
        fc.integer({ min: 0, max: 200 }),
        fc.constantFrom(0.5, 1, 40),
        (size, freeBytes, agreed, cents, limit) => {
          const traffic = fromDollars(cents / 100);
          const question = questionAbout(job(limit, agreed), { bytes: size, traffic, freeBytes });
          const isAgreed = size <= (agreed ?? 0);
          const isSmall = size <= 10e9;
          const isCheap = cents / 100 <= Math.min(1, limit);
          const hasRoom = freeBytes === undefined || size <= freeBytes;
          assert.equal(question === undefined, isAgreed || (isSmall && isCheap && hasRoom));
        },
      ),
      { seed: testSeed, numRuns: sized(500, 5000) },
    );
  });

  it('is asked about with its size and each reason', () => {
    const question = questionAbout(job(1), {
      bytes: 2e12,
      traffic: fromDollars(40),
      freeBytes: 100e9,
    });
    assert.equal(
      question && formatText(question),
      '2.0 TB would be fetched. That is more than the 10 GB that are fetched without a question. The host charges about $40.00 for the traffic. The disk of this computer has 100 GB free.',
    );
  });
});
