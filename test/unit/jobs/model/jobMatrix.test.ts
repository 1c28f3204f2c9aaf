import assert from 'node:assert/strict';
import { findJobProblems } from '../../../../src/jobs/model/jobDiagnostics';
import { variantsOf } from '../../../../src/jobs/model/jobMatrix';
import { readJob } from '../../../../src/jobs/model/jobSpec';
import { JsonPlaces } from '../../../../src/model/documents/jsonPlaces';

const limits = { hours: 2, costDollars: 6 };
const file = (job: Readonly<Record<string, unknown>>) =>
  JSON.stringify({ jobs: { train: { run: 'a', outputs: [], limits, ...job } } });
const codes = (job: Readonly<Record<string, unknown>>) =>
  findJobProblems(new JsonPlaces(file(job))).map(({ code }) => code);

describe('A matrix of jobs', () => {
  it('makes one job for each combination, with its values, a folder of its own and its share of the dollars', () => {
    const matrix = { LR: [0.1, 0.01], SEED: [1, 2, 3] };
    const variants = variantsOf(readJob(file({ matrix, env: { A: 'b' }, outputsTo: 'out' }), 'train'));
    assert.deepEqual(
      variants.map(({ name }) => name),
      [0.1, 0.01].flatMap((lr) => [1, 2, 3].map((seed) => `train LR=${lr} SEED=${seed}`)),
    );
    const [, , third] = variants;
    assert.deepEqual(third?.env, { A: 'b', LR: '0.1', SEED: '3' });
    assert.equal(third.outputsTo, 'out/LR=0.1 SEED=3');
    assert.equal(third.nameInFile, 'train');
    assert.equal(third.matrix, undefined);
    assert.equal(
      variants.reduce((sum, { costDollars }) => sum + costDollars, 0),
      6,
    );
  });

  it('is not there for most jobs, which stay as they are', () => {
    const spec = readJob(file({}), 'train');
    assert.deepEqual(variantsOf(spec), [spec]);
  });

  for (const [what, job, expected] of [
    ['a fair one', { matrix: { LR: [0.1, 'b-1', true] }, maxParallel: 3 }, []],
    ['a name that no variable has', { matrix: { 'L R': [1] } }, ['variableName']],
    ['a value that leaves its folder', { matrix: { LR: ['../x'] } }, ['matrixValue']],
    ['a value that is hidden', { matrix: { LR: ['.x', ''] } }, ['matrixValue', 'matrixValue']],
    ['too many jobs', { matrix: { A: Array.from({ length: 65 }, (_, at) => at) } }, ['matrixSize']],
    ['a machine that is rented', { matrix: { A: [1] }, machine: 'new' }, []],
    ['a secret of the same name', { matrix: { A: [1] }, secrets: ['A'] }, ['secretInEnv']],
  ] as const) {
    it(`has ${expected.length === 0 ? 'no' : 'a'} finding for ${what}`, () => {
      assert.deepEqual(codes(job), expected);
    });
  }
});
