import assert from 'node:assert/strict';
import { recipeForJobs } from '../../../../src/jobs/model/jobsInFile';
import { refState, remember } from '../../../../src/model/templates/templateRef';
import {
  machineNames,
  parseWorkspaceFile,
  WorkspaceFileError,
} from '../../../../src/model/workspace/workspaceFile';
import { formatText } from '../../../../src/util/text';

describe('the workspace file', () => {
  it('becomes a recipe, comments allowed and unknown keys passed over', () => {
    const recipe = parseWorkspaceFile(`{
      // what we train on
      "template": { "id": 12, "name": "PyTorch", "hash": "abc" },
      "filters": { "gpu_ram": { "gte": 24000 } },
      "diskGb": 40,
      "env": "-e A=1",
      "ports": ["8080:8080"],
      "onStart": "make",
      "maxPricePerHour": 0.8,
      "end": { "idleMinutes": 15 },
      "folder": "/workspace",
      "whenRunning": "connect",
      "colour": "red",
    }`);
    assert.deepEqual(recipe, {
      template: { id: 12, name: 'PyTorch', hash: 'abc' },
      filters: { gpu_ram: { gte: 24000 } },
      diskGb: 40,
      env: { A: '1', '-p 8080:8080': '1' },
      onStart: 'make',
      maxPricePerHour: 0.8,
      end: { idleMinutes: 15 },
      folder: '/workspace',
      whenRunning: 'connect',
    });
  });

  it('has a run type, a highest bid and volumes, each machine its own', () => {
    const file = {
      ...{ image: 'a', maxPricePerHour: 1, runType: 'jupyter_direct', interruptible: { maxBid: 0.3 } },
      volumes: [{ name: 'data', mount: '/data', sizeGb: 100 }],
      machines: {
        big: { runType: 'ssh_direct', volumes: [{ name: 'other_1', mount: '/mnt/a', optional: true }] },
      },
    };
    const shown = (machine?: string) => {
      const { runtype, maxBid, volumes } = parseWorkspaceFile(JSON.stringify(file), machine);
      return { runtype, maxBid, volumes };
    };
    assert.deepEqual(shown(), { runtype: 'jupyter_direct', maxBid: 0.3, volumes: file.volumes });
    // The price limit holds for bids as well.
    const cheap = JSON.stringify({ ...file, maxPricePerHour: 0.2 });
    assert.equal(parseWorkspaceFile(cheap).maxBid, 0.2);
    const { volumes } = file.machines.big;
    assert.deepEqual(shown('big'), { runtype: 'ssh_direct', maxBid: 0.3, volumes });
  });

  for (const [what, wrong] of [
    ['a volume with a name that the service refuses', { volumes: [{ name: 'a b', mount: '/data' }] }],
    ['a volume that leaves its folder', { volumes: [{ name: 'a', mount: '/data/../root' }] }],
    ['a volume at the root', { volumes: [{ name: 'a', mount: '/' }] }],
    ['a volume with a command in its folder', { volumes: [{ name: 'a', mount: '/data:$(rm)' }] }],
    ['a volume with a second line', { volumes: [{ name: 'a\n', mount: '/data\n' }] }],
    ['a volume of half a GB', { volumes: [{ name: 'a', mount: '/data', sizeGb: 0.5 }] }],
    ['an unknown run type', { runType: 'ssh_direct; rm' }],
    ['a bid of nothing', { interruptible: { maxBid: 0 } }],
    ['a bid without a limit', { interruptible: {} }],
    ['data outside of the folder', { data: [{ from: 'hf://o/n', to: '../x' }] }],
    ['data with an option for a name', { data: [{ from: 'hf://o/n', to: '-rf' }] }],
    ['data with a second line', { data: [{ from: 'hf://o/n', to: 'x\ny' }] }],
    ['a pattern with a command', { data: [{ from: 'hf://o/n', to: 'x', include: ['$(rm)'] }] }],
    ['a secret that is an option', { data: [{ from: 'hf://o/n', to: 'x', secret: 'A=1;rm' }] }],
  ] as const) {
    it(`is refused for ${what}, by the name of the field`, () => {
      assert.throws(
        () => parseWorkspaceFile(JSON.stringify({ image: 'a', maxPricePerHour: 1, ...wrong })),
        (error) =>
          error instanceof WorkspaceFileError &&
          formatText(error.text).includes(Object.keys(wrong)[0] ?? '?'),
      );
    });
  }

  it('needs little, and asks when a machine exists already', () => {
    assert.deepEqual(parseWorkspaceFile('{"image":"a","maxPricePerHour":1}'), {
      image: 'a',
      filters: {},
      env: {},
      maxPricePerHour: 1,
      whenRunning: 'ask',
    });
    assert.deepEqual(parseWorkspaceFile('{"template":5,"maxPricePerHour":1}').template, { id: 5 });
  });

  for (const [source, path] of [
    ['', ''],
    ['[]', ''],
    ['{"image":"a"}', ''],
    ['{"maxPricePerHour":1}', ''],
    ['{"image":"a","template":1,"maxPricePerHour":1}', ''],
    ['{"image":"a","maxPricePerHour":0}', 'maxPricePerHour'],
    ['{"image":"a","maxPricePerHour":1,"diskGb":4}', 'diskGb'],
    ['{"image":"a","maxPricePerHour":1,"end":{"idleMinutes":0}}', 'end.idleMinutes'],
    ['{"image":"a","maxPricePerHour":1,"ports":["80:80","x"]}', 'ports.1'],
    ['{"image":"a","maxPricePerHour":1,"env":"-e A=1 -p 8080"}', 'env'],
    ['{"image":"a","maxPricePerHour":1,"env":"-e A=1 -e"}', 'env'],
    ['{"image":"a","maxPricePerHour":1,"env":"-e A=1 -e 7=x"}', 'env'],
    ['{"image":"a","maxPricePerHour":1,"env":"-e A=1 --shm-size 1g"}', 'env'],
    ['{"image":"a","maxPricePerHour":1,"env":{"-p 8080":"1"}}', 'env'],
    ['{"image":"a","maxPricePerHour":1,"env":{"MY VAR":"1"}}', 'env'],
    ['{"image":"a","maxPricePerHour":1,"env":{"T":"${secret:T}"}}', 'env'],
    ['{"image":"a","maxPricePerHour":1,"env":"-e T=x-${secret:T}"}', 'env'],
  ] as const) {
    it(`is refused as ${source || 'an empty file'}`, () => {
      assert.throws(
        () => parseWorkspaceFile(source),
        (error) => error instanceof WorkspaceFileError && error.path.join('.') === path,
      );
    });
  }

  for (const [what, source, line] of [
    [
      'the marks of a merge conflict',
      '{"image":"a",\n<<<<<<< HEAD\n"maxPricePerHour":1,\n=======\n"maxPricePerHour":2,\n>>>>>>> b\n"diskGb":9}',
      2,
    ],
    ['no end', '{"image":"a","maxPricePerHour":1,\n"filters":{"gpu_ram":{"gte":24000', 2],
    ['a missing comma', '{"image":"a",\n"maxPricePerHour":1\n"filters":{}}', 3],
  ] as const) {
    it(`is refused with ${what}, because only a part of it would be read`, () => {
      const refused = new RegExp(`is not valid JSON in line ${line}`);
      assert.throws(() => parseWorkspaceFile(source), refused);
      assert.throws(() => recipeForJobs(source), refused);
    });
  }

  it('may have comments and a comma too many', () => {
    assert.equal(parseWorkspaceFile('// ours\n{"image":"a",/* $ */"maxPricePerHour":1,}').image, 'a');
  });

  it('sends the last value of a variable that it sets twice', () => {
    const { env } = parseWorkspaceFile('{"image":"a","maxPricePerHour":1,"env":"-e A=1 -e B=2 -e A=3"}');
    assert.deepEqual(env, { A: '3', B: '2' });
  });

  it('gives a job no machine where it names none, and is refused for one where its machine is wrong', () => {
    assert.equal(recipeForJobs('{"jobs":{}}'), undefined);
    assert.equal(recipeForJobs('{"image":"a","maxPricePerHour":1,"jobs":{}}')?.image, 'a');
    assert.deepEqual(recipeForJobs('{"maxPricePerHour":1,"env":{"A":"1"},"jobs":{}}'), {
      ...{ filters: {}, env: { A: '1' }, maxPricePerHour: 1, whenRunning: 'ask' },
    });
    assert.equal(recipeForJobs('{"diskGb":40,"jobs":{}}')?.maxPricePerHour, undefined);
    for (const env of ['-p 8080', { '-p 8080': '1' }]) {
      const source = JSON.stringify({ image: 'a', maxPricePerHour: 1, env, jobs: {} });
      assert.throws(
        () => recipeForJobs(source),
        /"env" in \.vscode\/gpu-rental\.json has an entry that can't be sent\./,
      );
    }
  });

  it('has machines with names, which inherit what they leave out', () => {
    const file = {
      ...{ image: 'a', maxPricePerHour: 1, diskGb: 40, ports: ['80:80'] },
      filters: { num_gpus: { eq: 1 }, gpu_ram: { gte: 24_000 } },
      env: { A: '1', B: '2' },
      machines: {
        train: { maxPricePerHour: 9, filters: { num_gpus: { eq: 8 } }, env: { B: '3' } },
        eval: { template: 5, whenRunning: 'connect' },
        new: { image: 'b' },
      },
      jobs: {},
    };
    const source = JSON.stringify(file);
    assert.deepEqual(machineNames(source), [undefined, 'train', 'eval']);
    assert.deepEqual(parseWorkspaceFile(source, 'train'), {
      ...{ machine: 'train', image: 'a', maxPricePerHour: 9, diskGb: 40, whenRunning: 'ask' },
      filters: { num_gpus: { eq: 8 }, gpu_ram: { gte: 24_000 } },
      env: { A: '1', B: '3', '-p 80:80': '1' },
    });
    const { template, image, whenRunning } = parseWorkspaceFile(source, 'eval');
    assert.deepEqual([template, image, whenRunning], [{ id: 5 }, undefined, 'connect']);
    assert.equal(parseWorkspaceFile(source).machine, undefined);
    assert.equal(recipeForJobs(source, 'train')?.maxPricePerHour, 9);
    for (const name of ['new', 'other', '__proto__', 'constructor']) {
      assert.throws(() => parseWorkspaceFile(source, name), /describes no machine with the name/);
    }
  });

  it('may have machines with names only', () => {
    const source = '{"machines":{"train":{"image":"a","maxPricePerHour":1},"cheap":{"image":"a"}}}';
    assert.deepEqual(machineNames(source), ['train', 'cheap']);
    assert.equal(parseWorkspaceFile(source, 'train').image, 'a');
    assert.throws(() => parseWorkspaceFile(source, 'cheap'), /names no "maxPricePerHour"/);
    assert.throws(() => parseWorkspaceFile(source), /names no "maxPricePerHour"/);
    assert.deepEqual(machineNames('{"machines":[1]}'), [undefined]);
  });

  it('is refused in words that run nothing, for any names of its keys', () => {
    const key = '[Fix it](command:workbench.extensions.installExtension?%22%2Ftmp%2Fevil.vsix%22)';
    const source = { image: 'a', maxPricePerHour: 1, filters: { [key]: 5 } };
    assert.throws(
      () => parseWorkspaceFile(JSON.stringify(source)),
      (error) => {
        assert.ok(error instanceof WorkspaceFileError);
        assert.match(error.message, /Fix it/);
        assert.doesNotMatch(formatText(error.text), /\]\(/);
        return true;
      },
    );
  });
});

describe('a remembered template', () => {
  it('shows whether it was edited since or deleted, and gives the hash to rent with', () => {
    const ref = { id: 1, hash: 'old' };
    assert.deepEqual(refState(ref, { hashId: 'old' }), { kind: 'current', hash: 'old' });
    assert.deepEqual(refState(ref, { hashId: 'new' }), { kind: 'edited', hash: 'new' });
    assert.deepEqual(refState({ id: 1 }, { hashId: 'new' }), { kind: 'current', hash: 'new' });
    assert.deepEqual(refState(ref, undefined), { kind: 'deleted' });
  });

  it('moves to the front of its list, once', () => {
    const list = [{ id: 1, name: 'a' }, { id: 2 }, { id: 3 }];
    assert.deepEqual(remember(list, { id: 2, name: 'b' }, 3), [
      { id: 2, name: 'b' },
      { id: 1, name: 'a' },
      { id: 3 },
    ]);
    assert.deepEqual(remember(list, { id: 4 }, 2), [{ id: 4 }, { id: 1, name: 'a' }]);
  });
});
