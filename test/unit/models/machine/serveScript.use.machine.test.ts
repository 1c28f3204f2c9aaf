import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { isKept, keepServingProgram } from '../../../../src/models/machine/engineKey';
import { assertNothingLeft, tinyJobId, useTiny } from '../../../support/tinyEngine';

describe('the use of a served model', () => {
  const serve = useTiny();

  it('starts the server of llama.cpp with the same surface', async () => {
    const run = await serve('serve();', {
      engine: 'llamaCpp',
      file: 'Q4_K_M',
      contextTokens: 8192,
      idleMinutes: 0.05,
    });
    await run.said(/^gpu-rental: Ready\. Context: 4096 tokens\. Tool calls: yes\.$/m);
    assert.equal(await run.code, 0);
    assert.match(run.log(), /In use: 20 prompt tokens, 8 output tokens, 0\.0 tokens\/s, 0 running/);
    const args = run.starts()[0]?.args ?? [];
    const port = args[args.indexOf('--port') + 1] ?? '';
    assert.deepEqual(args, [
      ...['--host', '127.0.0.1', '--port', port, '--alias', 'tiny', '--metrics', '--jinja'],
      ...['-c', '8192', '-np', '8', '--kv-unified', '-hf', 'org/tiny:Q4_K_M'],
    ]);
    assertNothingLeft(run);
  });

  it('counts neither refused calls nor open connections as use, but the word of the user', async () => {
    const run = await serve('serve();', { idleMinutes: 0.1 });
    await run.said(/Ready/);
    const { port } = await run.key();
    const refused = async () =>
      (await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, { method: 'POST', body: '{}' })).status;
    assert.equal(await refused(), 401);
    await run.said(/Ends in/);
    assert.equal(await refused(), 401);
    const { stdout } = spawnSync('sh', ['-c', keepServingProgram(tinyJobId)], {
      env: { HOME: run.home },
      encoding: 'utf8',
    });
    assert.ok(isKept(stdout), stdout);
    await run.said(/Ends in [^]*last use 0 s ago, ends in 6 s\.\n/);
    assert.equal(await run.code, 0);
    assertNothingLeft(run);
    assert.ok(
      !isKept(
        spawnSync('sh', ['-c', keepServingProgram(tinyJobId)], { env: { HOME: run.home }, encoding: 'utf8' })
          .stdout,
      ),
    );
  });
});
