/**
 * The server of the browser-hosted editor, in one process. Run by the host's own Node with one argument, a JSON
 * object: `codeServer` (package folder), `port` (0 = any), `dataDir`, `extensionsDir`, `patches` (names), and
 * optionally `driver` (the smoke-test driver that in-host suites need), `configuration` (merged into what the
 * workbench is started with), `serverArguments`. Prints `listening URL`; ends when its standard input closes.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { applyPatches } from './hostPatches.mjs';
import { isFromOwnPage, isToThisComputer, profilePath } from './hostRequests.mjs';

const options = JSON.parse(process.argv[2]);
const editor = path.join(options.codeServer, 'lib', 'vscode');
const workbenchScript = '/out/vs/code/browser/workbench/workbench.js';
const userData = path.join(options.dataDir, 'data');
mkdirSync(userData, { recursive: true });

// With this variable set the module exports its parts instead of starting a server by itself.
process.env['CODE_SERVER_PARENT_PID'] = String(process.pid);
const { loadCodeWithNls } = await import(pathToFileURL(path.join(editor, 'out', 'server-main.js')).href);
const { createServer } = await loadCodeWithNls();
const remote = await createServer(null, {
  _: [],
  'server-data-dir': options.dataDir,
  'user-data-dir': userData,
  'extensions-dir': options.extensionsDir,
  'without-connection-token': true,
  'accept-server-license-terms': true,
  'telemetry-level': 'off',
  'disable-telemetry': true,
  'disable-update-check': true,
  'disable-workspace-trust': true,
  'disable-experiments': true,
  'disable-getting-started-override': true,
  // The default keeps the processes of a vanished window for three hours.
  'reconnection-grace-time': '5',
  auth: 'none',
  compatibility: '1.64',
  ...(options.driver === true ? { 'enable-smoke-test-driver': true } : {}),
  ...options.serverArguments,
});

/** Half of the key that seals the secrets in the browser; without it they are lost with the page. */
const keyFile = path.join(userData, 'serve-web-key-half');
if (!existsSync(keyFile)) writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });

const patchedWorkbench = Buffer.from(
  applyPatches(
    readFileSync(path.join(editor, ...workbenchScript.split('/').slice(1)), 'utf8'),
    options.patches ?? [],
  ),
);
/** Part of its address. Under that, and no other, browsers may keep it, compiled too. */
const patchedHash = createHash('sha256').update(patchedWorkbench).digest('hex').slice(0, 16);

const server = http.createServer((request, response) => {
  if (!isToThisComputer(request.headers)) {
    response
      .writeHead(403, { 'content-type': 'text/plain' })
      .end('Open the editor under 127.0.0.1 or localhost.\n');
    return;
  }
  const { pathname, search } = new URL(request.url, 'http://localhost');
  if (pathname === profilePath) {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(options.dataDir);
    return;
  }
  if (request.method === 'POST' && pathname.endsWith('/mint-key')) {
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(readFileSync(keyFile));
    return;
  }
  if (pathname.endsWith(workbenchScript)) {
    const keeping = search === `?${patchedHash}` ? 'public, max-age=31536000' : 'no-cache';
    response
      .writeHead(200, { 'content-type': 'text/javascript', 'cache-control': keeping })
      .end(patchedWorkbench);
    return;
  }
  if (pathname === '/') changePage(response);
  remote.handleRequest(request, response);
});

/** Names the script as we changed it, and merges our part into the configuration that stands as an attribute. */
function changePage(response) {
  const end = response.end.bind(response);
  response.end = (body, ...rest) => {
    const page = String(body ?? '')
      .replace(`${workbenchScript}"`, `${workbenchScript}?${patchedHash}"`)
      .replace(/(id="vscode-workbench-web-configuration" data-settings=")([^"]*)"/, (_match, start, json) => {
        const configuration = JSON.parse(json.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
        const merged = JSON.stringify({ ...configuration, ...options.configuration });
        return `${start}${merged.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
      });
    return end(page, ...rest);
  };
}

server.on('upgrade', (request, socket, head) => {
  if (!isFromOwnPage(request.headers)) {
    socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
    return;
  }
  remote.handleUpgrade(request, socket, head);
  socket.resume();
});
server.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
server.listen(options.port ?? 0, '127.0.0.1', () => {
  process.stdout.write(`listening http://127.0.0.1:${server.address().port}\n`);
});

function shutDown() {
  remote.dispose();
  setTimeout(() => process.exit(0), 50);
}
process.on('SIGTERM', shutDown);
process.on('SIGINT', shutDown);
process.stdin.on('end', shutDown).on('error', shutDown).resume();
