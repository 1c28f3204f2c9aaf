import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { isKept, keepServingProgram } from '../../../../src/models/machine/engineKey';
import { readServing } from '../../../../src/models/model/servingLog';
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

  it('is measured by no clock that is set', async () => {
    const run = await serve('serve();', { idleMinutes: 0.1 });
    const jump = '[ ! -e "$HOME/jump" ] || set -- -d "+2 days" "$@"';
    writeFileSync(path.join(run.home, 'bin', 'date'), `#!/bin/sh\n${jump}\nexec /bin/date "$@"\n`, {
      mode: 0o755,
    });
    await run.said(/last use 0 s ago/);
    writeFileSync(path.join(run.home, 'jump'), '');
    await run.said(/Ends in [1-3] s/);
    assert.equal(await run.code, 0);
    const agos = [...run.log().matchAll(/last use (\d+) s ago/g)].map(([, ago]) => Number(ago));
    assert.ok(Math.max(...agos) < 60, run.log());
  });

  it('begins again where the machine was suspended', async () => {
    const run = await serve(
      'serve();',
      { idleMinutes: 2 },
      {
        env: { HOST_PROC: '.' },
        prepare: (home) => {
          writeFileSync(path.join(home, 'uptime'), '1000.00 1\n');
        },
      },
    );
    await run.said(/Ready/);
    // Both clocks jump by ten hours.
    writeFileSync(path.join(run.home, 'bin', 'date'), '#!/bin/sh\nexec /bin/date -d "+10 hours" "$@"\n', {
      mode: 0o755,
    });
    writeFileSync(path.join(run.home, 'uptime'), `${10 * 3600 + 1000}.00 1\n`);
    await run.said(/last use [0-9]{1,2} s ago, ends in 1[0-2]\d s\.\n$/);
    await run.close();
    assert.doesNotMatch(run.log(), /Ended after/);
  });

  it('starts again once with a context and once with the answers at a time that fit', async () => {
    const run = await serve(
      `
      const [context, mamba] = ['To serve at least one request. the estimated maximum model length is 4321. Try', 'max_num_seqs (8) exceeds available Mamba cache blocks (3).'];
      if (start === 1) { print(context); process.exit(1); }
      if (start === 2) { print(mamba); process.exit(1); }
      serve({ '/health': () => { print(mamba); process.exit(7); } });`,
      { contextTokens: 100_000 },
    );
    assert.equal(await run.code, 7);
    assert.deepEqual(
      run
        .starts()
        .map(({ args }) => [
          args[args.indexOf('--max-model-len') + 1],
          args[args.indexOf('--max-num-seqs') + 1],
        ]),
      [
        ['100000', '8'],
        ['4321', '8'],
        ['4321', '3'],
      ],
    );
    await run.said(
      /Starting again with a context of 4321 tokens\.[^]*Starting again with 3 answers at a time\.[^]*The inference server ended with code 7\.\n$/,
    );
    assert.equal(readServing(undefined, run.log()).failure?.kind, 'sequences');
    assertNothingLeft(run);
  });
});
