import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  startAnswerOf,
  installServer,
  notebookScript,
  startServer,
} from '../../../../src/notebooks/machine/notebookServer';
import type { RunResult } from '../../../../src/ssh/run';

const token = 'a'.repeat(64);

function machineThatPrints(stdout: string, more: Partial<RunResult> = {}) {
  const inputs: unknown[] = [];
  return {
    inputs,
    exec: (_alias: string, _script: string, options?: { readonly input?: unknown }) => {
      inputs.push(options?.input);
      return Promise.resolve({ code: 0, stdout, stderr: '', timedOut: false, ...more });
    },
  };
}

describe('The answer of a machine about its Jupyter server', () => {
  it('is a port and a token, or what is missing', () => {
    assert.deepEqual(startAnswerOf([`running 48650 ${token}`]), { kind: 'running', port: 48_650, token });
    assert.deepEqual(startAnswerOf(['missing /venv/main/bin/python']), {
      kind: 'missing',
      python: '/venv/main/bin/python',
    });
    assert.deepEqual(startAnswerOf(['no-python']), { kind: 'noPython' });
    assert.deepEqual(startAnswerOf(['none']), { kind: 'none' });
  });

  for (const [line, reason] of [
    ['no-folder', /Check its free space/],
    ['busy', /Another window is setting up Jupyter/],
    ['failed', /did not start: Address in use/],
    [`running 0 ${token}`, /did not start/],
    [`running 70000 ${token}`, /did not start/],
    ['running 48650 -oProxyCommand=x', /did not start/],
    ['missing relative/python', /did not start/],
    ['', /did not start/],
  ] as const) {
    it(`"${line.slice(0, 30)}" is an error that matches ${String(reason)}`, () => {
      assert.throws(() => startAnswerOf([line, 'Address in use']), reason);
    });
  }

  it('shows no token of the log of a server that did not start', () => {
    assert.throws(
      () => startAnswerOf(['failed', `http://127.0.0.1:48650/?token=${token}`]),
      ({ message }: Error) => /did not start: http/.test(message) && !message.includes(token),
    );
  });

  it('counts from our greeting on, for any output before', async () => {
    const ssh = machineThatPrints(`running 1 ${'b'.repeat(64)}\ngpu-rental notebooks\nrunning 2 ${token}\n`);
    assert.deepEqual(await startServer(ssh, 'gpu-7', 'project'), { kind: 'running', port: 2, token });
    assert.match(String(ssh.inputs[0]), /^start\n[0-9a-f]{64}\nproject\n\d+\n$/);
  });

  it('is an error where the machine was not reached', async () => {
    const refused = machineThatPrints('', { code: 255, stderr: 'Permission denied (publickey).\n' });
    await assert.rejects(startServer(refused, 'gpu-7', 'project'), /Could not reach .*Permission denied/);
    const slow = machineThatPrints('gpu-rental notebooks\n', { timedOut: true });
    await assert.rejects(startServer(slow, 'gpu-7', 'project'), /time-out/);
  });

  it('explains why Jupyter could not be installed, without escapes of a terminal', async () => {
    const full = machineThatPrints(
      'gpu-rental notebooks\n\u001b[31mERROR: No space left on device\nnot-installed\n',
    );
    await assert.rejects(
      installServer(full, 'gpu-7', () => undefined),
      ({ message }: Error) => /No space left on device/.test(message) && !message.includes('\u001b'),
    );
  });
});

describe('The script for the Jupyter server', () => {
  it('finds none where none runs, and starts none', () => {
    const home = mkdtempSync(path.join(tmpdir(), 'gpu-find-'));
    const { stdout } = spawnSync('sh', ['-c', notebookScript], {
      input: 'find\n\n\n1\n',
      env: { ...process.env, HOME: home },
      encoding: 'utf8',
    });
    const written = readdirSync(path.join(home, '.gpu-rental', 'jupyter'));
    rmSync(home, { recursive: true });
    assert.equal(stdout, 'gpu-rental notebooks\nnone\n');
    assert.ok(!written.includes('token'), written.join());
  });

  it('has nothing that shellcheck warns of', () => {
    const { status, stdout } = spawnSync('shellcheck', ['--shell=sh', '--severity=warning', '-'], {
      input: notebookScript,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout);
  });
});
