import assert from 'node:assert/strict';
import { lacksOutputs, newJobState, type JobState } from '../../../../src/jobs/model/job';
import { hardLimit } from '../../../../src/jobs/model/jobLimits';
import { plainLog } from '../../../../src/jobs/model/logText';
import { namedFiles } from '../../../../src/jobs/model/namedFiles';
import { fromDollars } from '../../../../src/model/money';
import { secretNames, sentNames } from '../../../../src/model/workspace/sentNames';
import { formatText } from '../../../../src/util/text';
import { aJob } from '../../../support/jobWindows';

const rules = { include: [], exclude: [], git: false, maxMb: 200, maxFiles: 5000 };
const files = { outputFolders: [], workdir: '.' };
const chosen = (listed: readonly string[], more: object = {}, of: object = {}) =>
  sentNames(listed, { ...rules, ...more }, { ...files, ...of });

describe('What a job sends', () => {
  it('leaves out secrets by name, and folders that are made again', () => {
    const { names, leftOut } = chosen([
      'train.py',
      '.env',
      'a/.env.local',
      'key.pem',
      'id_ed25519',
      '.aws/config',
      'my-credentials.json',
      'node_modules/a/index.js',
      'src/__pycache__/x.pyc',
      '.git/HEAD',
      '.vscode/settings.json',
    ]);
    assert.deepEqual(names, ['train.py']);
    assert.deepEqual(
      leftOut.map(({ name, why }) => `${name}: ${formatText(why)}`),
      ['.env', 'a/.env.local', 'key.pem', 'id_ed25519', '.aws/config', 'my-credentials.json'].map(
        (name) => `${name}: may be a secret`,
      ),
    );
  });

  it('leaves out all of a folder of secrets that is the folder of the job itself', () => {
    for (const workdir of ['.aws', 'deploy/.ssh', 'a/.KUBE/b']) {
      assert.deepEqual(chosen(['config', 'train.py'], {}, { workdir }).names, []);
      assert.deepEqual(secretNames(['config'], workdir), ['config']);
    }
    assert.deepEqual(chosen(['config'], {}, { workdir: 'aws' }).names, ['config']);
  });

  it('includes each name that a disk allows, such as one of dots alone', () => {
    const listed = ['...', '.../a.py', '....', 'train.py'];
    assert.deepEqual(chosen(listed, { exclude: ['....'], include: ['/b.py'] }).names, [
      '...',
      '.../a.py',
      'train.py',
    ]);
  });

  it('includes what is included by name, even if something else leaves it out', () => {
    const listed = ['.env', 'data/x.bin', 'data/y.bin', 'train.py'];
    const more = { include: ['/.env', 'data/x.bin'], exclude: ['data/'] };
    assert.deepEqual(chosen(listed, more).names, ['.env', 'data/x.bin', 'train.py']);
    assert.deepEqual(chosen(['.git/HEAD'], { git: true }).names, ['.git/HEAD']);
  });

  it('follows the ignore file and the rules of the job, with case', () => {
    const { names, leftOut } = chosen(
      ['a.log', 'b.LOG', 'c.py', 'keep.log'],
      { exclude: ['c.py'] },
      {
        ignoreFile: '*.log\n!keep.log\n',
      },
    );
    assert.deepEqual(names, ['b.LOG', 'keep.log']);
    assert.deepEqual(leftOut.map(({ name }) => name).sort(), ['a.log', 'c.py']);
  });

  it('never sends the outputs of jobs back, even where they are included', () => {
    const listed = ['results/1/a', 'results.py', 'gpu-outputs/train/x'];
    const { names } = chosen(listed, { include: ['**'] }, { outputFolders: ['results', 'gpu-outputs'] });
    assert.deepEqual(names, ['results.py']);
  });

  it('finds names of files in a script', () => {
    assert.deepEqual(
      namedFiles('python -u ./train.py --data data/x --lr 0.1 && ../up.sh; /abs/b.py; ls -l'),
      ['train.py', 'data/x', '0.1'],
    );
  });
});

describe('The hard limit of a job', () => {
  const spec = { setupMinutes: 30, hours: 6, costDollars: 5, graceSeconds: 120 };
  const limit = (more: object, dollars?: number, used?: number) =>
    hardLimit({ ...spec, ...more }, dollars === undefined ? undefined : fromDollars(dollars), used);

  it('is the hours where the dollars last longer', () => {
    assert.deepEqual([limit({}, 0.5)?.runSeconds, limit({}, 0.5)?.isByCost], [6 * 3600, false]);
    assert.deepEqual([limit({})?.runSeconds, limit({})?.most], [6 * 3600, undefined]);
  });

  it('never costs more than its dollars, with set-up, time to end and what was used before', () => {
    for (const [more, used] of [
      [{}, 0],
      [{ setup: 'x' }, 0],
      [{ setup: 'x' }, 900],
    ] as const) {
      const found = limit(more, 2, used);
      assert.ok(found?.isByCost === true && found.most !== undefined);
      assert.ok(found.most <= fromDollars(5));
      assert.equal(found.runSeconds + found.setupSeconds + 120 + used, 9000);
    }
  });

  it('is none where the script could not even start', () => {
    assert.equal(limit({ setup: 'x' }, 10), undefined);
    assert.equal(limit({}, 2, 9000), undefined);
  });
});

describe('The log of a job', () => {
  it('shows the last state of a line that was written over', () => {
    assert.equal(plainLog('a\n 10%\r 50%\r100%\r\nb\r\n'), 'a\n100%\nb\n');
    assert.equal(plainLog(' 10%\r 50%'), ' 50%');
  });

  it('has no commands to a terminal, no control characters and no links', () => {
    const hostile =
      '\u001b[31mred\u001b[0m \u001b]8;;command:x\u0007click\u001b]8;;\u0007 \u0000\u0008\u202eabc\tx';
    assert.equal(plainLog(hostile), 'red click abc\tx');
    assert.doesNotMatch(plainLog('see https://x.example/y and file:///etc/passwd'), /:\/\//);
  });
});

describe('outputs of a job that is over', () => {
  const outputsOf = (outputs: readonly string[], more: Partial<JobState>) => {
    const job = { ...aJob(7, { outputs }), id: '0123456789abcdef', orderedAt: 0 };
    return lacksOutputs({ job, state: { ...newJobState(job), phase: 'over', ...more } });
  };
  const fetched = (leftOut: number) => ({
    startedAt: 1,
    fetchedAt: 2,
    outputs: { files: 1, bytes: 1, hash: '', areHashed: true, leftOut },
  });

  it('may be on its machine alone where they were not fetched, or not all of them', () => {
    assert.ok(outputsOf(['a'], { startedAt: 1 }));
    assert.ok(outputsOf(['a'], fetched(2)));
    assert.ok(!outputsOf(['a'], fetched(0)));
    assert.ok(!outputsOf(['a'], { startedAt: 1, fetchedAt: 2 }));
  });

  it('are none of a job that never started, or that names none', () => {
    assert.ok(!outputsOf(['a'], {}));
    assert.ok(!outputsOf([], { startedAt: 1 }));
  });
});
