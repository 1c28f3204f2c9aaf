import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startServer } from '../../../../src/notebooks/machine/notebookServer';
import { runProgram } from '../../../../src/ssh/run';
import { useFolder } from '../../../support/useFolder';

/** A Python with Jupyter, whose server writes down its variables and waits. */
const python = `#!/bin/sh
pwd >>"$HOME/places"
case "$1" in
-c) echo jupyter_server ;;
-m)
  env >"$HOME/variables"
  echo '{"port": 48650}' >"$JUPYTER_RUNTIME_DIR/jpserver-$$-open.html"
  echo '{"port": 48650, "token": ""}' >"$JUPYTER_RUNTIME_DIR/jpserver-$$.json"
  echo $$ >"$HOME/pid"
  while [ -e "$HOME/pid" ]; do sleep 0.1; done ;;
esac
`;

describe('The kernels of an instance', () => {
  let home = '';
  useFolder((made) => void (home = made));
  beforeEach(() => {
    const bin = path.join(home, '.gpu-rental', 'venv', 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(path.join(bin, 'python'), python, { mode: 0o755 });
  });

  it('have what the container was started with, apart from our key', async () => {
    const environ = path.join(home, 'environ');
    const values = [
      'HF_TOKEN=a b',
      'CONTAINER_API_KEY=key',
      'JUPYTER_TOKEN=of-the-image',
      'HOME=/elsewhere',
      'PATH=/opt/conda/bin',
    ];
    writeFileSync(environ, values.map((value) => `${value}\0`).join(''));
    const machine = {
      exec: (_: string, script: string, options: object = {}) =>
        runProgram('/bin/sh', ['-c', script.replace('</proc/1/environ', `<"${environ}"`)], {
          ...options,
          env: { HOME: home, PATH: '/usr/bin:/bin' },
        }),
    };
    const given = path.join(home, '.gpu-rental', 'setup');
    mkdirSync(given);
    writeFileSync(path.join(given, 'environment.want'), "# mark\nexport WANDB_API_KEY='c d'\n");
    assert.equal((await startServer(machine, 'gpu-7', 'project')).kind, 'running');
    const variables = new Map(
      readFileSync(path.join(home, 'variables'), 'utf8')
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const),
    );
    assert.deepEqual(
      ['HF_TOKEN', 'CONTAINER_API_KEY', 'JUPYTER_TOKEN', 'HOME', 'PATH', 'WANDB_API_KEY'].map((name) =>
        variables.get(name),
      ),
      ['a b', undefined, undefined, home, '/usr/bin:/bin:/opt/conda/bin', 'c d'],
    );
    assert.ok(existsSync(path.join(home, 'pid')));
    // Modules are found where a Python starts, and a project may have files that are named like some.
    const places = new Set(readFileSync(path.join(home, 'places'), 'utf8').trim().split('\n'));
    const own = path.join(home, '.gpu-rental', 'jupyter');
    assert.deepEqual([...places], [own, path.join(own, 'begin')]);
  });
});
