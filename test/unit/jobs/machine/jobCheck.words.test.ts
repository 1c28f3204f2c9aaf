import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readCheck } from '../../../../src/jobs/machine/jobCheck';
import { variablesOf } from '../../../../src/jobs/machine/jobFiles';
import { readOutputs } from '../../../../src/jobs/machine/jobOutputs';
import { findWords, outputsFolder, outputsProgram } from '../../../../src/jobs/machine/outputPatterns';
import { formatText } from '../../../../src/util/text';
import { jobOrder } from '../../../support/jobScene';

const hash = 'a'.repeat(64);

describe('The report of a machine about a job', () => {
  const check = (...lines: readonly string[]) =>
    readCheck(Buffer.from(`base 0\n${lines.join('\n')}base 0\n`));

  it('is read line by line up to the log, for any content of the log', async () => {
    const log = 'phase ended\nexit 0 1 itself\nlog 9 9\n\u0000';
    const found = await check(
      'phase running',
      'exit reserved',
      'beat 10 20 30 40',
      'times 4 6',
      'now 12',
      'alive',
      `log 5 ${Buffer.byteLength(log)}\n${log}`,
    );
    assert.deepEqual(found, {
      phase: 'running',
      end: undefined,
      beat: { at: 10, logSize: 20, freeKb: 30, gpuPercent: 40 },
      ago: { work: 8, script: 6, end: undefined },
      log: { offset: 5 + Buffer.byteLength(log), piece: Buffer.from(log) },
      pidAlive: true,
      hasOutputsList: false,
    });
  });

  it('is unusable if it is torn, or has a log of another length than stated', async () => {
    assert.equal(await check('phase running', 'beat'), undefined);
    assert.equal(await check('phase running', 'log 0 2\nabc'), undefined);
    assert.equal(await check('phase running', 'log 0 4\nabc'), undefined);
    assert.equal(await check('phase running', 'log x\nabc'), undefined);
    assert.equal(await check('phase running', 'base 9\nlog 9 3\nabc'), undefined);
  });

  it('shows an end without a word as killed, and after a new start as interrupted', async () => {
    const end = { code: undefined, at: 7, isOutOfMemory: false };
    const beat = 'beat 7 1 1 ';
    assert.deepEqual((await check('phase running', beat, 'samePid1', 'log 0 0\n'))?.end, {
      ...end,
      why: 'killed',
    });
    assert.deepEqual((await check('phase settingUp', beat, 'log 0 0\n'))?.end, {
      ...end,
      why: 'interrupted',
    });
    assert.equal((await check('phase synced', 'log 0 0\n'))?.end, undefined);
    const oom = await check('phase ended', 'exit 137 9 itself', 'outOfMemory', 'log 0 0\n');
    assert.deepEqual(oom?.end, { code: 137, why: 'itself', at: 9, isOutOfMemory: true });
  });
});

describe('A list of outputs', () => {
  const listFor = (patterns: readonly string[], ...parts: readonly string[]) =>
    readOutputs(Buffer.from([...parts, '//end\n'].join('')), patterns);
  const list = (...parts: readonly string[]) => listFor(['**', '/data/**'], ...parts);
  const leftOutOf = (outputs: ReturnType<typeof list>) =>
    Object.fromEntries((outputs?.leftOut ?? []).map(({ name, why }) => [name, formatText(why)]));

  it('names files with their hashes, once each, and refuses names that do harm', () => {
    const found = list(
      '//81a4 3 9 ./out/a\n',
      '//81a4 3 9 ./out/a\n',
      '//a1ff 3 9 ./out/link\n',
      '//81a4 3 9 /data/x\n',
      '//81a4 3 9 ./out/back\\slash\n',
      '//81a4 3 9 ./-rf\n',
      '//81a4 1 1 ./../up\n',
      '//81a4 1 1 ./a\nb\n',
      '//1180 1 1 ./fifo\n',
      `//hashed\n${hash}  ./out/a\n${hash} *./-rf\n${hash}  /data/x\n\\${hash}  ./out/back\\\\slash\n`,
    );
    const file = { kind: 'file', size: 3, modified: 9, sha256: hash };
    assert.deepEqual(found?.files, [
      { ...file, path: 'out/a' },
      { ...file, path: 'out/link', kind: 'link', sha256: undefined },
      { ...file, path: '/data/x' },
      { ...file, path: 'out/back\\slash' },
      { ...file, path: '-rf' },
    ]);
    assert.deepEqual(leftOutOf(found), {
      '../up': 'a name that leads out of the folder',
      'a\nb': 'a name with control characters',
      fifo: 'neither a file nor a folder',
    });
  });

  it('has the hash of its bytes, and is none where it is torn', () => {
    const bytes = '//unhashed\n//end\n';
    assert.deepEqual(list('//unhashed\n'), {
      files: [],
      leftOut: [],
      hash: createHash('sha256').update(bytes).digest('hex'),
      areHashed: false,
    });
    for (const torn of [
      '',
      '//81a4 3 9 ./a\n',
      '//hashed\n',
      '//81a4 3 9 ./a\n//hashed\n',
      '//x\n//hashed\n//end\n',
    ]) {
      assert.equal(readOutputs(Buffer.from(torn), ['**']), undefined, torn);
    }
  });

  it('is taken only as far as the patterns of the job name its files', () => {
    const found = listFor(
      ['outputs/**', '/data/*.bin'],
      '//81a4 3 9 ./outputs/a/b\n',
      '//81a4 3 9 ./train.py\n',
      '//81a4 3 9 ./.bashrc\n',
      '//81a4 3 9 /data/x.bin\n',
      '//81a4 3 9 /data/x/y.bin\n',
      '//81a4 3 9 /outputs/a\n',
      '//unhashed\n',
    );
    assert.deepEqual(
      found?.files.map(({ path }) => path),
      ['outputs/a/b', '/data/x.bin'],
    );
    const why = 'no pattern of the job names it';
    assert.deepEqual(leftOutOf(found), {
      'train.py': why,
      '.bashrc': 'Git, an editor, a shell or an assistant may act on its name',
      '/data/x/y.bin': why,
      '/outputs/a': why,
    });
  });

  it('brings nothing that git or an editor runs because of its name, for any patterns', () => {
    const found = listFor(
      ['**', '/data/**', '.git/**'],
      ...['HEAD', 'config', 'objects/x', 'refs/x'].map((name) => `//81a4 3 9 ./.git/${name}\n`),
      '//81a4 3 9 ./outputs/repo/.GIT/config\n',
      '//81a4 3 9 ./outputs/bare/HEAD\n',
      '//81a4 3 9 ./outputs/bare/config\n',
      '//a1ff 3 9 ./outputs/link/.git\n',
      '//81a4 3 9 ./.vscode/settings.json\n',
      '//81a4 3 9 /data/.git/config\n',
      '//81a4 3 9 ./.gitignore\n',
      '//unhashed\n',
    );
    assert.deepEqual(
      found?.files.map(({ path }) => path),
      ['outputs/bare/config', '.gitignore'],
    );
    const why = 'Git, an editor, a shell or an assistant may act on its name';
    assert.deepEqual(leftOutOf(found), {
      '.git': why,
      'outputs/repo/.GIT': why,
      'outputs/bare/HEAD': why,
      'outputs/link/.git': why,
      '.vscode': why,
      '/data/.git': why,
    });
  });
});

describe('A pattern of outputs', () => {
  it('becomes words for find that need no shell to be spelled out', () => {
    const cases: Readonly<Record<string, readonly string[]>> = {
      'outputs/**': ["./outputs '(' -path './outputs/*' ')'"],
      '**/*.ckpt': [". '(' -path './*.ckpt' -o -path './*/*.ckpt' ')'"],
      'runs/*/best.pt': ["./runs '(' -path './runs/*/best.pt' ')' '!' -path '*/*/*/*/*'"],
      'model.pt': ["./model.pt -path '*'"],
      '/data/out/*': ["/data/out '(' -path '/data/out/*' ')' '!' -path '*/*/*/*/*'"],
      "it's $(x)": ["'./it'\\''s $(x)' -path '*'"],
    };
    for (const [pattern, expected] of Object.entries(cases)) {
      assert.deepEqual([findWords(pattern).join(' ')], expected, pattern);
    }
  });

  it('is spelled out for each choice in braces', () => {
    const lines = outputsProgram(['a/{x,y}.pt'])
      .split('\n')
      .filter((line) => line.includes('"$1" ./'));
    assert.deepEqual(lines, [`  "$1" ./a/x.pt -path '*'`, `  "$1" ./a/y.pt -path '*'`]);
  });

  it('names the folder that the job finds made', () => {
    assert.equal(outputsFolder(['outputs/**']), './outputs');
    assert.equal(outputsFolder(['*.pt']), '.');
    assert.equal(outputsFolder(['out/model.pt']), './out');
    assert.equal(outputsFolder(['/data/{a,b}/**']), '/data');
    assert.equal(outputsFolder([]), undefined);
  });
});

describe('The variables of a job', () => {
  it('are quoted for its shell, and refused where they are none', () => {
    const lines = variablesOf(jobOrder('x', { env: { A: "it's $HOME" }, secrets: { TOKEN: 's' } }));
    assert.match(lines, /^export A='it'\\''s \$HOME'$/m);
    assert.match(lines, /^export GPU_RENTAL_OUTPUTS="\$GPU_RENTAL_JOB_FOLDER"\/src\/outputs$/m);
    assert.ok(lines.endsWith('\n# end\n'));
    assert.throws(() => variablesOf(jobOrder('x', { env: { 'A;rm': '' } })), /name of a variable/);
    assert.throws(() => variablesOf(jobOrder('x', { secrets: { A: '\0' } })), /zero byte/);
  });
});
