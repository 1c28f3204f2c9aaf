import assert from 'node:assert/strict';
import { join } from 'node:path';
import { variantsOf } from '../../../../src/jobs/model/jobMatrix';
import { readJob } from '../../../../src/jobs/model/jobSpec';
import { withOutputs } from '../../../../src/jobs/store/outputsFolders';

const at = Date.UTC(2026, 10, 25, 4, 10, 5);

function foldersOf(fields: Readonly<Record<string, unknown>>, known: readonly string[] = []) {
  const job = { run: 'train', limits: { hours: 1, costDollars: 5 }, ...fields };
  const spec = readJob(JSON.stringify({ jobs: { train: job } }), 'train');
  return withOutputs(variantsOf(spec), '/workspace', at, known).map(({ outputsTo }) => outputsTo);
}

describe('The folders of outputs of jobs that are ordered together', () => {
  const start = '2026-11-25 04.10.05';

  it('are named by the job and its start', () => {
    assert.deepEqual(foldersOf({}), [join('/workspace', 'gpu-outputs', 'train', start)]);
    assert.deepEqual(foldersOf({ outputsTo: 'results/last' }), [join('/workspace', 'results', 'last')]);
  });

  for (const [what, matrix] of [
    [
      'names are too long for a folder',
      {
        MODEL: ['meta-llama_Llama-3.1-8B-Instruct-AWQ-INT4'.slice(0, 40)],
        DATASET: ['a-dataset-with-a-long-name'],
        SEED: [1, 2, 3],
      },
    ],
    ['values differ in case', { SIZE: ['xl', 'XL'] }],
    ['values differ in a dot at the end', { LR: ['1', '1.'] }],
  ] as const) {
    for (const outputsTo of [undefined, 'results']) {
      it(`differ where ${what}${outputsTo === undefined ? '' : ', in a folder of the file'}`, () => {
        const folders = foldersOf({ matrix, outputsTo });
        const asOnWindows = folders.map((path) => path.toLowerCase().replace(/[. ]+(?=\/|$)/g, ''));
        assert.equal(new Set(asOnWindows).size, folders.length, folders.join('\n'));
      });
    }
  }

  it('are no folder of another job that began in the same second, and the same again where the file names one', () => {
    const [first = ''] = foldersOf({});
    assert.deepEqual(foldersOf({}, [first]), [`${first} (2)`]);
    assert.deepEqual(foldersOf({}, [first, `${first} (2)`]), [`${first} (3)`]);
    const [named = ''] = foldersOf({ outputsTo: 'results' });
    assert.deepEqual(foldersOf({ outputsTo: 'results' }, [named]), [named]);
  });
});
