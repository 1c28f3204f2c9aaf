import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Serves } from '../../../../src/jobs/model/serves';
import { readServing } from '../../../../src/models/model/servingLog';
import { installedEngine } from '../../../support/installed';
import { assertNothingLeft, useTiny } from '../../../support/tinyEngine';
import { tinyContext, writeTinyModel } from '../../../support/tinyModel';
import { useFolder } from '../../../support/useFolder';

describe('the script that serves a model by llama.cpp itself', () => {
  const serve = useTiny();
  let file: string;
  let hub: Server;
  let downloads: number;
  useFolder((folder) => {
    file = path.join(folder, 'tiny.gguf');
  });
  /** As the hub answers an engine that downloads one file. */
  beforeEach(async () => {
    writeTinyModel(file);
    downloads = 0;
    const weights = readFileSync(file);
    const commit = '0123456789abcdef0123456789abcdef01234567';
    const oid = createHash('sha256').update(weights).digest('hex');
    const answers: Readonly<Record<string, object>> = {
      '/api/models/org/tiny/refs': { branches: [{ name: 'main', targetCommit: commit }] },
      [`/api/models/org/tiny/tree/${commit}`]: [
        { type: 'file', path: 'tiny.gguf', size: weights.length, lfs: { oid } },
      ],
    };
    hub = createServer(({ method, url = '' }, response) => {
      const answer = answers[url.split('?')[0] ?? ''];
      const isFile = url.endsWith(`/resolve/${commit}/tiny.gguf`);
      downloads += isFile && method === 'GET' ? 1 : 0;
      response.writeHead(answer || isFile ? 200 : 404, { etag: `"${oid}"` });
      response.end(answer ? JSON.stringify(answer) : isFile ? weights : '{}');
    });
    await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    hub.close();
  });

  function serveReal(serves: Partial<Serves> = {}, cacheFolder?: string) {
    const { port } = hub.address() as AddressInfo;
    return serve(
      '',
      { engine: 'llamaCpp', file: 'tiny.gguf', ...serves },
      {
        cacheFolder,
        env: { HF_ENDPOINT: `http://127.0.0.1:${port}`, LLAMA_ARG_THREADS: '1' },
        prepare: (home) => {
          const program = path.join(home, 'bin', 'llama-server');
          rmSync(program);
          symlinkSync(installedEngine(), program);
        },
      },
    );
  }

  it('downloads it, is ready with its context and its tools, counts what is used, and ends once nothing is', async () => {
    const run = await serveReal({ idleMinutes: 0.1 });
    await run.said(/^gpu-rental: Ready\. Context: \d+ tokens\. Tool calls: yes\.$/m);
    assert.equal(await run.chat(JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] })), 200);
    await run.said(/In use: \d+ prompt tokens, [1-9]\d* output tokens/);
    assert.ok(!run.log().includes((await run.key()).key));
    assert.equal(await run.code, 0);
    const { stage, failure, contextTokens, hasTools } = readServing(undefined, run.log());
    assert.deepEqual([stage, failure, contextTokens, hasTools], ['ended', undefined, tinyContext, true]);
    assertNothingLeft(run);
  });

  it('downloads it once to a volume', async () => {
    const volume = path.join(path.dirname(file), 'volume');
    const serveOnce = async () => {
      const run = await serveReal({}, volume);
      await run.said(/^gpu-rental: Ready\./m);
      await run.close();
    };
    await serveOnce();
    await serveOnce();
    assert.equal(downloads, 1);
    const kept = readdirSync(volume, { recursive: true, encoding: 'utf8' });
    assert.ok(
      kept.some((name) => name.endsWith('/tiny.gguf')),
      kept.join('\n'),
    );
  });

  it('ends with the reason where the hub has no such model', async () => {
    const run = await serveReal({ repository: 'org/none' });
    assert.equal(await run.code, 1);
    const { failure } = readServing(undefined, run.log());
    assert.deepEqual(failure?.kind, 'notFound', run.log());
  });
});
