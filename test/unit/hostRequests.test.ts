import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

type Headers = Readonly<Record<string, string>>;

interface Requests {
  isToThisComputer(headers: Headers): boolean;
  isFromOwnPage(headers: Headers): boolean;
  readonly profilePath: string;
  runningEditor(file: string, profile: string): Promise<string | undefined>;
}

const scripts = path.resolve(__dirname, '..', '..', 'scripts');

describe('the browser-hosted editor, which has no password', () => {
  let requests: Requests;
  const host = '127.0.0.1:8790';

  before(async () => {
    requests = (await import(path.join(scripts, 'hostRequests.mjs'))) as Requests;
  });

  it('lets its own page open a socket, also through a proxy, and programs of this computer', () => {
    const proxied = { 'x-forwarded-host': 'box-8790.example.com', origin: 'https://box-8790.example.com' };
    for (const headers of [
      { host, origin: `http://${host}` },
      { host: 'editor.localhost', origin: 'http://editor.localhost' },
      { host: '[::1]:8790', origin: 'http://[::1]:8790' },
      { host: 'localhost:9000', ...proxied },
      { host },
    ]) {
      const name = JSON.stringify(headers);
      assert.ok(requests.isToThisComputer(headers), name);
      assert.ok(requests.isFromOwnPage(headers), name);
    }
  });

  it('lets no page of another origin open one', () => {
    for (const origin of ['https://evil.example', 'http://localhost:8790', 'http://127.0.0.1:3000', 'null']) {
      assert.ok(!requests.isFromOwnPage({ host, origin }), origin);
    }
    const server = readFileSync(path.join(scripts, 'hostServer.mjs'), 'utf8');
    assert.match(server, /'upgrade'[^}]*isFromOwnPage[^}]*403 Forbidden/);
  });

  it('answers no page whose name its owner led to this computer', () => {
    for (const name of ['evil.example:8790', '127.0.0.1.evil.example', 'localhost.evil.example:8790', '']) {
      assert.ok(!requests.isToThisComputer({ host: name }), name);
      assert.ok(!requests.isFromOwnPage({ host: name, origin: `http://${name}` }), name);
    }
    const server = readFileSync(path.join(scripts, 'hostServer.mjs'), 'utf8');
    assert.match(server, /isToThisComputer[^}]*403/);
  });

  it('is found again by its profile, and no other program at its port is taken for it', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'gpu-rental José-'));
    const file = path.join(folder, 'running.json');
    let answer: (asked: string) => string | undefined = () => undefined;
    const server = createServer(({ url = '' }, response) => {
      const body = answer(url);
      response.writeHead(body === undefined ? 404 : 200).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      assert.equal(await requests.runningEditor(file, folder), undefined);
      writeFileSync(file, JSON.stringify({ url }));
      assert.equal(await requests.runningEditor(file, folder), undefined, 'a program without this path');
      answer = () => '<html>';
      assert.equal(await requests.runningEditor(file, folder), undefined, 'a program with every path');
      answer = (asked) => (asked === requests.profilePath ? folder : undefined);
      assert.equal(await requests.runningEditor(file, folder), url);
      assert.equal(await requests.runningEditor(file, `${folder}/other`), undefined, 'another profile');
    } finally {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
