import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { kernelUseOf, readKernelUse } from '../../../../src/notebooks/machine/kernelUse';
import type { HostEntry } from '../../../../src/ssh/hostConfig';
import { runProgram } from '../../../../src/ssh/run';
import { jupyterStandIn } from '../../../support/jupyterStandIn';
import { only } from '../../../support/only';
import { useFolder } from '../../../support/useFolder';

describe('What the kernels of a machine do', () => {
  let home = '';
  useFolder((made) => void (home = made));
  beforeEach(() => {
    mkdirSync(path.join(home, '.gpu-rental', 'jupyter', 'run'), { recursive: true });
    writeFileSync(path.join(home, '.gpu-rental', 'jupyter', 'token'), 'f'.repeat(64));
  });

  const machine = (entry: object | undefined = {}) => ({
    entry: () => Promise.resolve(only<HostEntry | undefined>(entry)),
    exec: (_: string, script: string, options: object = {}) =>
      runProgram('/bin/sh', ['-c', script], { ...options, env: { HOME: home } }),
  });
  const read = () => readKernelUse(machine(), 'gpu-7');
  const server = async (state: string, kernel?: 'waits' | 'works') => {
    writeFileSync(path.join(home, 'state'), state);
    const started = await jupyterStandIn(home, kernel);
    const facts = path.join(home, '.gpu-rental', 'jupyter', 'run', `jpserver-${started.pid}.json`);
    writeFileSync(facts, JSON.stringify({ port: started.port }));
    return started;
  };

  it('is reported by their server', async () => {
    const { end } = await server('busy', 'waits');
    try {
      for (const [state, use] of [
        ['busy', 'busy'],
        ['idle', 'idle'],
        ['broken', 'silent'],
        ['elsewhere', 'silent'],
      ] as const) {
        writeFileSync(path.join(home, 'state'), state);
        assert.equal(await read(), use, state);
      }
    } finally {
      end();
    }
    assert.equal(await read(), 'idle');
  });

  it('is nothing where their server has none, or there is no server', async () => {
    assert.equal(await read(), 'idle');
    const { end } = await server('broken');
    try {
      assert.equal(await read(), 'idle');
    } finally {
      end();
    }
  });

  it('is not asked of a machine that no login of ours has reached', async () => {
    assert.equal(
      await readKernelUse({ ...machine(), entry: () => Promise.resolve(undefined) }, 'gpu-7'),
      'unknown',
    );
  });

  it('is unknown for any other answer of the machine', () => {
    for (const said of [
      '',
      'busy',
      'gpu-rental kernels',
      'gpu-rental kernels\nbusy!\n',
      'busy\ngpu-rental kernels\n',
    ]) {
      assert.equal(kernelUseOf(said), 'unknown', said);
    }
    assert.equal(kernelUseOf('Welcome\ngpu-rental kernels\r\nsilent 12\r\n'), 'silent');
  });
});
