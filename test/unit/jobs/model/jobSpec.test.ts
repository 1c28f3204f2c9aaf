import assert from 'node:assert/strict';
import { findJobProblems } from '../../../../src/jobs/model/jobDiagnostics';
import { mostJobs } from '../../../../src/jobs/model/jobFields';
import { jobNames, readJob } from '../../../../src/jobs/model/jobSpec';
import { applyChanges, JsonPlaces } from '../../../../src/model/documents/jsonPlaces';
import { formatText } from '../../../../src/util/text';

const limits = { hours: 2, costDollars: 3 };
const file = (job: unknown, name = 'train') => JSON.stringify({ jobs: { [name]: job } }, null, 2);
const codes = (source: string) => findJobProblems(new JsonPlaces(source)).map(({ code }) => code);

describe('a job of the workspace file', () => {
  it('has defaults for all but its script and its limits', () => {
    const job = readJob(file({ run: ['a', 'b'], limits }), 'train');
    assert.equal(job.run, 'a\nb');
    assert.deepEqual(job.outputs, ['outputs/**']);
    assert.deepEqual(job.ends, { success: 'keep', failure: 'keep', limit: 'keep' });
    assert.equal(job.workdir, '.');
    assert.deepEqual([job.hours, job.costDollars, job.setupMinutes, job.graceSeconds], [2, 3, 30, 120]);
    assert.equal(job.sync?.maxFiles, 5000);
  });

  it('is read from no file with the marks of a merge conflict, which may name another command', () => {
    const job = file({ run: 'python ours.py', limits });
    const source = `${job.slice(0, -1)},\n<<<<<<< HEAD\n"image": "a"\n=======\n"image": "b"\n>>>>>>> b\n}`;
    assert.throws(() => readJob(source, 'train'), /is not valid JSON in line \d+/);
  });

  it('is reported as idle, and ends for that only if the file sets an end for its machine', () => {
    const read = (idleMinutes: unknown, idle?: string) =>
      readJob(file({ run: 'a', limits: { ...limits, idleMinutes }, whenDone: { idle } }), 'train');
    const parts = ({ idleMinutes, endsIfIdle, ends }: ReturnType<typeof read>) => [
      idleMinutes,
      endsIfIdle,
      ends.idle,
    ];
    assert.deepEqual(parts(read(undefined)), [undefined, undefined, undefined]);
    assert.deepEqual(parts(read(false)), [undefined, undefined, undefined]);
    assert.deepEqual(parts(read(30)), [30, undefined, undefined]);
    assert.deepEqual(parts(read(30, 'tell')), [30, undefined, undefined]);
    assert.deepEqual(parts(read(30, 'destroy')), [30, true, 'destroy']);
    assert.throws(() => read(4), /"limits\.idleMinutes" of the job train/);
  });

  it('lists the names in the order of the file, also where one of them is wrong', () => {
    assert.deepEqual(jobNames('{ "jobs": { "b": {}, "a": { "run": 1 }, } }'), ['b', 'a']);
    assert.deepEqual(jobNames('{ "jobs": [] }'), []);
  });

  for (const [what, job, code] of [
    ['no script', { limits, outputs: [] }, 'runMissing'],
    ['an empty script', { run: ['', ' '], limits, outputs: [] }, 'script'],
    ['a script that is too long', { run: 'x'.repeat(70_000), limits, outputs: [] }, 'script'],
    ['a NUL in the script', { run: 'a\0b', limits, outputs: [] }, 'script'],
    ['no limits', { run: 'a', outputs: [] }, 'limitsMissing'],
    ['no limit in dollars', { run: 'a', limits: { hours: 1 }, outputs: [] }, 'limitMissing'],
    [
      'an end when idle that never comes',
      { run: 'a', limits, outputs: [], whenDone: { idle: 'stop' } },
      'idleMinutesMissing',
    ],
    ['a folder outside', { run: 'a', limits, outputs: [], workdir: '../x' }, 'outsideWorkspace'],
    ['the home folder', { run: 'a', limits, outputs: [], workdir: '~' }, 'outsideWorkspace'],
    ['the root folder', { run: 'a', limits, outputs: [], workdir: '/' }, 'outsideWorkspace'],
    ['a Windows path', { run: 'a', limits, outputs: [], outputsTo: 'C:\\x' }, 'outsideWorkspace'],
    ['braces for 128 names', { run: 'a', limits, outputs: ['{a,b}'.repeat(7)] }, 'patternTooLarge'],
    ['a pattern of a stranger', { run: 'a', limits, outputs: ['a'.repeat(1001)] }, 'patternTooLarge'],
    ['outputs outside', { run: 'a', limits, outputs: ['a/../../b'] }, 'outsideWorkdir'],
    ['a machine that the file lacks', { run: 'a', limits, outputs: [], machine: 'big' }, 'machineUnknown'],
    ['the whole machine as outputs', { run: 'a', limits, outputs: ['/**'] }, 'outsideWorkdir'],
    ['any top folder as outputs', { run: 'a', limits, outputs: ['/*/model.bin'] }, 'outsideWorkdir'],
    ['an absolute output that leads elsewhere', { run: 'a', limits, outputs: ['/a/../b'] }, 'outsideWorkdir'],
    ['processes as outputs', { run: 'a', limits, outputs: ['/proc/1/**'] }, 'outsideWorkdir'],
    ['devices as outputs', { run: 'a', limits, outputs: ['/dev'] }, 'outsideWorkdir'],
    ['absolute checkpoints', { run: 'a', limits, outputs: [], checkpoints: ['/a/b'] }, 'outsideWorkdir'],
    ['a repository as outputs', { run: 'a', limits, outputs: ['out/.git/**'] }, 'actingName'],
    [
      'settings of the editor as checkpoints',
      { run: 'a', limits, outputs: [], checkpoints: ['.vscode'] },
      'actingName',
    ],
    ['outputs in its repository', { run: 'a', limits, outputs: [], outputsTo: '.git/x' }, 'actingName'],
    ['a bad variable', { run: 'a', limits, outputs: [], env: { 'A B': '1' } }, 'variableName'],
    ['a variable of ours', { run: 'a', limits, outputs: [], secrets: ['GPU_RENTAL_JOB'] }, 'variableName'],
    [
      'a secret of a template',
      { run: 'a', limits, outputs: [], env: { T: 'x ${secret:T}' } },
      'secretNotSent',
    ],
    ['a secret in clear', { run: 'a', limits, outputs: [], env: { T: '1' }, secrets: ['T'] }, 'secretInEnv'],
  ] as const) {
    it(`is refused with ${what}, at its place`, () => {
      assert.deepEqual(codes(file(job)), [code]);
      assert.throws(() => readJob(file(job), 'train'), /The job train can't run|has a wrong value/);
    });
  }

  it('brings absolute outputs of the machine', () => {
    const outputs = ['outputs/**', '/workspace/results/**', '/root/model.bin', '/develop/*.pt'];
    assert.deepEqual(codes(file({ run: 'a', limits, outputs })), []);
    assert.deepEqual(readJob(file({ run: 'a', limits, outputs }), 'train').outputs, outputs);
  });

  it('runs where only another job of the file is wrong, and not where the file has too many', () => {
    const sound = { run: 'a', limits };
    for (const other of [{ limits }, { run: ' ', limits }]) {
      const source = JSON.stringify({ jobs: { other, train: sound } });
      assert.equal(readJob(source, 'train').run, 'a');
      assert.throws(() => readJob(source, 'other'), /The job other can't run: "run" is (missing|empty)/);
    }
    const jobs = (count: number) =>
      JSON.stringify({
        jobs: Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, sound])),
      });
    assert.equal(readJob(jobs(mostJobs), 'a0').run, 'a');
    assert.throws(() => readJob(jobs(mostJobs + 1), 'a0'), /The job a0 can't run: A file has at most/);
  });

  it('is refused as no object, and as soon as its script is longer than 64 KB', () => {
    assert.throws(
      () => readJob('{ "jobs": { "train": [] } }', 'train'),
      /The job train in .* is not a JSON object/,
    );
    const sizes = [64 * 1024, 64 * 1024 + 1].map((size) =>
      file({ run: 'x'.repeat(size), limits, outputs: [] }),
    );
    assert.deepEqual(sizes.map(codes), [[], ['script']]);
  });

  it('warns of what has no effect, and runs all the same', () => {
    const source = file({ run: 'a', limits, outputs: [], retires: 3 });
    assert.deepEqual(codes(source), ['unknownField']);
    assert.equal(readJob(source, 'train').run, 'a');
  });

  it('warns of what has no effect inside of a field as well', () => {
    const inner = {
      limits: { ...limits, idleMinuts: 30 },
      whenDone: { sucess: 'destroy' },
      sync: { exlude: ['data/'] },
      retries: { interupted: 3, exitCodes: { 75: 2 } },
    };
    const source = file({ run: 'a', outputs: [], env: { ANY: 'x' }, ...inner });
    const found = findJobProblems(new JsonPlaces(source));
    assert.deepEqual(
      found.map(({ code, severity, path }) => [code, severity, path.slice(2).join('.')]),
      ['limits.idleMinuts', 'whenDone.sucess', 'sync.exlude', 'retries.interupted'].map((path) => [
        'unknownField',
        'warning',
        path,
      ]),
    );
    assert.deepEqual(codes(file({ run: 'a', limits, outputs: [], sync: false })), []);
  });

  it('refuses a name that is no folder name, and offers the nearest one that is free', () => {
    assert.deepEqual(codes(file({ run: 'a', limits, outputs: [] }, '../x')), ['jobName']);
    const job = { run: 'a', limits, outputs: [] };
    const name = `José’s ${'long '.repeat(20)}`;
    let source = JSON.stringify({ jobs: { x: job, '../x': job, [name]: job, '…': job } });
    for (let count = 0; count < 3; count += 1) {
      const [fix] = findJobProblems(new JsonPlaces(source)).flatMap(({ fixes }) => fixes);
      assert.ok(fix?.action.kind === 'edit');
      source = applyChanges(source, fix.action.changes);
    }
    assert.deepEqual(Object.keys((JSON.parse(source) as { jobs: object }).jobs), [
      'x',
      'x-2',
      'Jos--s long long long long long long lon',
      'job',
    ]);
    assert.deepEqual(codes(source), []);
  });

  it('names the field whose type is wrong', () => {
    assert.throws(() => readJob(file({ run: 1, limits }), 'train'), /"run" of the job train/);
    assert.throws(() => readJob(file({ run: 'a', limits }), 'other'), /no job named other/);
  });

  it('mends missing limits, scripts and outputs by quick fixes', () => {
    let source = file({ env: { A: '1' }, whenDone: { idle: 'stop' } });
    for (;;) {
      const fix = findJobProblems(new JsonPlaces(source)).flatMap(({ fixes }) => fixes)[0];
      if (fix?.action.kind !== 'edit') {
        break;
      }
      assert.match(formatText(fix.title), /^Add "/);
      source = applyChanges(source, fix.action.changes);
    }
    assert.deepEqual(codes(source), []);
    const job = readJob(source, 'train');
    assert.deepEqual([job.hours, job.costDollars, job.outputs], [6, 5, ['outputs/**']]);
    assert.equal(job.idleMinutes, 30);
    // Fixes keep the layout of the file.
    assert.equal(source, JSON.stringify(JSON.parse(source), null, 2));
  });
});
