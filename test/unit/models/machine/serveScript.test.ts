import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readEngineKey } from '../../../../src/models/machine/engineKey';
import { serveScript } from '../../../../src/models/machine/serveScript';
import { readServing } from '../../../../src/models/model/servingLog';
import { assertNothingLeft, processesIn, tiny, useTiny } from '../../../support/tinyEngine';

describe('the script that serves a model', () => {
  const serve = useTiny();

  it('is clean in shellcheck', () => {
    const { status, stdout } = spawnSync('shellcheck', ['-s', 'bash', '-'], {
      input: serveScript({ ...tiny, revision: 'main', toolParser: 'hermes' }, { cacheFolder: "/vol'ume" }),
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout);
  });

  it('becomes ready with a real answer, counts what is used, and ends once nothing is', async () => {
    const run = await serve(
      `
      print('Loading safetensors checkpoint shards:  40% Completed | 2/5');
      process.stdout.write('Loading safetensors checkpoint shards:  60% Completed | 3/5\\rLoading safetensors checkpoint shards:  80% Completed | 4/5\\r');
      fs.mkdirSync(hub, { recursive: true });
      fs.writeFileSync(hub + '/weights', Buffer.alloc(1000));
      setTimeout(() => { print('', 'Application startup complete.'); serve(); }, 1500);`,
      {
        idleMinutes: 0.05,
        toolParser: 'hermes',
        reasoningParser: 'qwen3',
        gpus: 2,
        revision: 'v1',
        downloadBytes: 1000,
      },
    );
    await run.said(/shards: {2}80%/);
    assert.doesNotMatch(run.log(), /shards: {2}60%/, 'only the last state of a bar');
    await run.said(/^gpu-rental: Downloaded \d+ of 1000 bytes\.$/m);
    await run.said(/^gpu-rental: Ready\. Context: 4096 tokens\. Tool calls: yes\.$/m);
    assert.equal(await run.chat(), 200);
    await run.said(/In use: 3 requests/);
    assert.equal(await run.code, 0);
    await run.said(
      /Ends in 1 s, because there are no requests\.\ngpu-rental: Ended after 0 minutes without requests\.\n$/,
    );
    const { stage, failure, counters } = readServing(undefined, run.log());
    assert.deepEqual(
      [stage, failure, counters?.requests, counters?.promptTokens],
      ['ended', undefined, 3, 30],
    );
    const args = run.starts()[0]?.args ?? [];
    const port = args[args.indexOf('--port') + 1] ?? '';
    assert.deepEqual(args, [
      ...['serve', 'org/tiny', '--host', '127.0.0.1', '--port', port, '--served-model-name', 'tiny'],
      ...['--max-model-len', 'auto', '--max-num-seqs', '8', '--enable-prompt-tokens-details'],
      ...['--disable-access-log-for-endpoints', '/health,/metrics', '--tensor-parallel-size', '2'],
      ...['--revision', 'v1', '--tokenizer-revision', 'v1'],
      ...['--enable-auto-tool-choice', '--tool-call-parser', 'hermes', '--reasoning-parser', 'qwen3'],
    ]);
    assertNothingLeft(run);
  });

  it('has its key and the token of the user in no log and no argument', async () => {
    const run = await serve(
      "print('key=' + key + ' token ' + process.env.HF_TOKEN, key.split('').join('\\r')); serve();",
      {},
      { env: { HF_TOKEN: 'hf_[a-z]*' } },
    );
    await run.said(/Ready/);
    const { key, port } = await run.key();
    assert.equal(statSync(run.file('key')).mode & 0o777, 0o600);
    assert.equal(statSync(path.dirname(run.file('key'))).mode & 0o777, 0o700);
    await run.said(/^key=… token …$/m);
    assert.ok(!run.log().includes(key) && !run.log().includes('hf_['));
    const lines = processesIn(run.home).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
    assert.ok(lines.length > 1 && lines.every((line) => !line.includes(key)), lines.join('\n'));
    const other = await serve('serve();', {}, { port });
    await other.said(/Ready/);
    assert.deepEqual([(await other.key()).port > port, (await other.key()).key === key], [true, false]);
    run.signal('SIGTERM');
    assert.equal(await run.code, 143);
    assertNothingLeft(run);
  });

  it('is refused for a value that is more than a value', () => {
    for (const odd of [
      { name: 'a b' },
      { repository: '--config/x' },
      { repository: 'a/$(touch x)' },
      { revision: '-x' },
      { toolParser: 'a;b' },
      { file: '../x' },
      { contextTokens: Number.NaN },
      { gpus: -1 },
    ]) {
      assert.throws(() => serveScript({ ...tiny, ...odd }), RangeError);
    }
    assert.match(serveScript(tiny, { cacheFolder: "/a'b $(c)" }), /^cache='\/a'\\''b \$\(c\)'$/m);
  });

  it('names what the machine lacks in one line, and ends', () => {
    const home = path.join(__dirname);
    const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv) =>
      spawnSync(program, [...args, '-s'], { input: serveScript(tiny), encoding: 'utf8', env, cwd: home });
    const bash = run('/bin/bash', ['-eo', 'pipefail'], { PATH: '/nowhere' });
    assert.deepEqual(
      [bash.status, bash.stdout],
      [1, 'gpu-rental: Missing on this machine: awk dd df du grep head mkfifo od sed tr wc.\n'],
    );
    const dash = run('/bin/dash', ['-e'], { PATH: process.env['PATH'] });
    assert.deepEqual(
      [dash.status, dash.stdout, dash.stderr],
      [1, 'gpu-rental: Missing on this machine: bash.\n', ''],
    );
  });

  it('has a key that is read from what a login prints, if it is one', () => {
    const key = 'a'.repeat(64);
    assert.deepEqual(
      readEngineKey(`motd\ngpu-rental engine 1 ${'b'.repeat(64)}\r\ngpu-rental engine 18000 ${key}\n`),
      {
        port: 18_000,
        key,
      },
    );
    for (const odd of [
      '',
      `gpu-rental engine 99999 ${key}`,
      `gpu-rental engine 18000 ${key}0`,
      'gpu-rental engine 0 a',
    ]) {
      assert.equal(readEngineKey(odd), undefined);
    }
  });

  it('is refused by a full or a read-only place in a sentence', async () => {
    const full = await serve('serve();', { downloadBytes: 10 ** 14 });
    assert.equal(await full.code, 1);
    assert.equal(readServing(undefined, full.log()).failure?.kind, 'disk', full.log());
    assert.deepEqual(full.starts(), []);
    writeFileSync(path.join(full.home, 'file'), '');
    const noFolder = await serve('serve();', {}, { cacheFolder: path.join(full.home, 'file', 'x') });
    assert.equal(await noFolder.code, 1);
    assert.deepEqual(readServing(undefined, noFolder.log()).failure, {
      kind: 'folder',
      name: path.join(full.home, 'file', 'x'),
    });
  });
});
