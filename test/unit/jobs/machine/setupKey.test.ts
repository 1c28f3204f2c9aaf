import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setupKey } from '../../../../src/jobs/machine/setupKey';
import { filesBelow } from '../../../support/jobScene';
import { useFolder } from '../../../support/useFolder';

describe('A finished set-up', () => {
  let workspace = '';
  useFolder((made) => void (workspace = made));

  const put = (name: string, content: string) => {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), content);
  };
  const key = (setup: string, setupInputs?: readonly string[], image = 'python:3') =>
    setupKey(
      { setup, workdir: '.', ...(setupInputs && { setupInputs }) },
      workspace,
      filesBelow(workspace),
      image,
    );

  /** Whether it runs again once a file has another content, or is there at all. */
  async function runsAgain(name: string, setup: string, setupInputs?: readonly string[]): Promise<boolean> {
    const before = await key(setup, setupInputs);
    put(name, 'one');
    const there = await key(setup, setupInputs);
    put(name, 'two');
    const changed = await key(setup, setupInputs);
    assert.equal(before !== there, there !== changed, name);
    assert.equal(await key(setup, setupInputs), changed);
    return there !== changed;
  }

  for (const name of [
    'requirements.txt',
    'requirements-dev.txt',
    'requirements_gpu.txt',
    'pyproject.toml',
    'uv.lock',
    'poetry.lock',
    'environment.yml',
  ]) {
    it(`runs again where ${name} was changed, unless its job names other files`, async () => {
      assert.equal(await runsAgain(name, 'sh install'), true);
      assert.equal(await runsAgain(name, 'sh install', ['conda/*.yml']), false);
    });
  }

  it('runs again where a file was changed that its script names', async () => {
    const setup = 'pip install -r deps/all.in && sh ./tools/build.sh';
    assert.equal(await runsAgain('deps/all.in', setup), true);
    assert.equal(await runsAgain('tools/build.sh', setup), true);
    assert.equal(await runsAgain('deps/other.in', setup), false);
    assert.equal(await runsAgain('train.py', setup), false);
  });

  it('runs again where one of the files was changed that its job names, by patterns too', async () => {
    const inputs = ['conda/*.yml', '/third_party/'];
    assert.equal(await runsAgain('conda/gpu.yml', 'sh install', inputs), true);
    assert.equal(await runsAgain('third_party/lib/a.c', 'sh install', inputs), true);
    assert.equal(await runsAgain('src/third_party/a.c', 'sh install', inputs), false);
  });

  it('runs again where a file was changed in a folder that it installs', async () => {
    assert.equal(await runsAgain('lib/a.py', 'pip install --no-deps "./lib[dev]"'), true);
    assert.equal(await runsAgain('pkg/a.py', 'pip install .'), true);
    assert.equal(await runsAgain('other/a.py', 'pip install torch ./lib'), false);
    assert.equal(await runsAgain('other/a.py', '. /opt/venv/bin/activate && pip install torch'), false);
  });

  it('runs for each job where what it makes belongs to the folder of the job', async () => {
    put('train.py', '');
    for (const setup of [
      'uv sync --frozen',
      'pip install -e .',
      'pip install -qe ".[dev]"',
      'pip install \\\n  --editable=./lib',
      'poetry install',
      'python setup.py develop',
      'ln -s "$PWD/data" /data',
      'echo "$GPU_RENTAL_JOB_ID"',
    ]) {
      assert.equal(await key(setup), undefined, setup);
    }
    for (const setup of ['set -e\npip install torch', 'bash -e x && uv pip install --system torch']) {
      assert.notEqual(await key(setup), undefined, setup);
    }
    put('requirements.txt', 'torch\n-e ./lib\n');
    assert.equal(await key('pip install -r requirements.txt'), undefined);
    put('requirements.txt', 'torch\n');
    put('environment.yml', 'dependencies:\n  - pip:\n      - -e .\n');
    assert.equal(await key('sh install'), undefined);
    put('environment.yml', '');
    put('tools/install.sh', 'pip install -e .');
    assert.equal(await key('sh tools/install.sh', ['conda/*.yml']), undefined);
  });

  it('runs again where a file is gone, or has taken the place of another one', async () => {
    put('requirements.txt', 'torch');
    put('requirements-dev.txt', 'pytest');
    const both = await key('sh install');
    rmSync(join(workspace, 'requirements-dev.txt'));
    const one = await key('sh install');
    put('requirements-dev.txt', 'torch');
    rmSync(join(workspace, 'requirements.txt'));
    const other = await key('sh install');
    assert.equal(new Set([both, one, other]).size, 3);
  });

  it('runs again for another text or image, and is none without a script', async () => {
    const keys = [
      await key('sh install'),
      await key('sh install 2'),
      await key('sh install', [], 'python:4'),
    ];
    assert.equal(new Set(keys).size, 3);
    assert.match(keys[0] ?? '', /^[0-9a-f]{64}$/);
    assert.equal(await setupKey({ workdir: '.' }, workspace, [], 'python:3'), undefined);
  });
});
