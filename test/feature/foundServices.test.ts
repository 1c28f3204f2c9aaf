import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { PageDriver } from '../support/feature/pageDriver';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('the services of an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let server: Server;
  let port = 0;
  let asked: (string | undefined)[] = [];
  let id = 0;
  const view = () => window.view('instances');

  /** What the program of the service's images prints there. */
  const says = (services: readonly object[]) =>
    writeFileSync(
      path.join(computer().root, 'instances', `${id}.machine`, 'bin', 'vast-capabilities'),
      `#!/bin/sh\ncat <<'END'\n${JSON.stringify({ schema_version: 1, services })}\nEND\n`,
      { mode: 0o700 },
    );

  before(async () => {
    server = createServer((request, response) => {
      asked.push(request.url);
      response.end('here');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    id = await reachableInstance(computer(), 'trainer');
    says([
      { name: 'Notes [a](command:b)', internal_port: port, open_path: '/lab?reset', state: 'RUNNING' },
      {
        ...{ name: 'Syncthing', internal_port: 18_384, open_path: '/', state: 'STOPPED' },
        supervisor_process: 'syncthing',
      },
      { name: 'Elsewhere', internal_port: 80, open_path: '//evil.example/' },
    ]);
    window = await computer().openSignedIn();
    await view().row('trainer');
  });
  after(() => server.close());

  it('are read by the login of a terminal, once for each start', async () => {
    await view().expand('trainer');
    assert.ok(!(await view().texts()).some((text) => text.includes('Notes')));
    await view().inline('trainer', 'Open Terminal');
    await view().row(`Notes [a] - (command:b) ${port}/tcp, running`);
    await view().row('Syncthing 18384/tcp, stopped');
    assert.ok(!(await view().texts()).some((text) => text.includes('Elsewhere')));
    says([]);
    await view().inline('trainer', 'Open Terminal');
    await computer().until('a terminal', () => window.screen.terminals.all.length === 2);
    await view().row(/^Notes/);
  });

  it('open over SSH, on this computer alone and a port of no meaning, with an address that is ours', async () => {
    await view().inline(/^Notes/, 'Open in Browser');
    const link = await computer().until('the browser', () => window.screen.externalLinks[0]);
    const url = new URL(link);
    assert.equal(
      `${url.protocol}//${url.hostname}${url.pathname}${url.search}`,
      'http://127.0.0.1/lab?reset',
    );
    assert.notEqual(Number(url.port), port);
    assert.equal(await (await fetch(link)).text(), 'here');
    assert.ok(asked.includes('/lab?reset'));
    await view().row(`Port ${port} localhost:${url.port}, this computer only`);
    // The second one uses the same connection.
    await view().inline(/^Notes/, 'Open in Browser');
    await computer().until('the browser', () => window.screen.externalLinks.length === 2);
    assert.equal(window.screen.externalLinks[1], link);
  });

  /** What the supervisor of the machine does. */
  const supervises = (lines: string) =>
    writeFileSync(
      path.join(computer().root, 'instances', `${id}.machine`, 'bin', 'supervisorctl'),
      `#!/bin/sh\n${lines}\n`,
      { mode: 0o700 },
    );

  it('stay stopped where their machine refuses to start them, with its reason', async () => {
    supervises('if [ "$1" = start ]; then echo "$2: ERROR (spawn error)"; else echo "$2 FATAL"; fi');
    await view().inline(/^Syncthing/, 'Start Service');
    (await window.toast('Could not start Syncthing: syncthing: ERROR (spawn error)')).close();
    await view().row('Syncthing 18384/tcp, stopped');
  });

  it('run once they are started', async () => {
    supervises('if [ "$1" = start ]; then echo "$2: started"; else echo "$2 RUNNING pid 7"; fi');
    await view().inline(/^Syncthing/, 'Start Service');
    await view().row('Syncthing 18384/tcp, running');
    await view().menu(/^Syncthing/, 'Open in Browser');
    await computer().until('the browser', () => window.screen.externalLinks.length === 3);
  });

  it('are on the page, and are read again by a click', async () => {
    await view().click('trainer');
    const page = new PageDriver(window, 'instance');
    await page.shows('the services', ({ sections }) => sections.some((section) => section.id === 'services'));
    assert.deepEqual(
      page.rows('services').map(([name]) => name),
      [`Port ${port}`, 'Port 18384', 'Notes [a] - (command:b)', 'Syncthing'],
    );
    const tensorBoard = { name: 'TensorBoard', internal_port: 16_006, open_path: '/' };
    says([{ ...tensorBoard, state: 'STOPPED', supervisor_process: 'tensorboard' }]);
    await page.press('Find Services');
    await page.shows('what can be started', () =>
      page.rows('services').some(([, state]) => state === '16006/tcp, stopped · Start Service'),
    );
    says([{ ...tensorBoard, state: 'RUNNING' }]);
    await page.press('Find Services');
    await page.shows('what is there now', () =>
      page.rows('services').some(([, state]) => state === '16006/tcp, running'),
    );
    assert.deepEqual(page.rows('services').at(-1), ['TensorBoard', '16006/tcp, running']);
  });

  it('close with their window', async () => {
    const [link = ''] = window.screen.externalLinks;
    window.close();
    await assert.rejects(async () => {
      for (;;) {
        await fetch(link);
      }
    });
  });

  it('are those of the present start', async () => {
    asked = [];
    window = await computer().openWindow();
    await view().expand('trainer');
    await view().inline('trainer', 'Open Terminal');
    await view().row(/^TensorBoard/);
    for (const state of ['stopped', 'running']) {
      await computer().simulator.call('PUT', `/api/v0/instances/${id}/`, { state });
      await view().noRow(/^TensorBoard/);
      await computer().until(
        state,
        () =>
          computer().simulator.world.instance(id)?.actualStatus ===
          (state === 'running' ? 'running' : 'exited'),
      );
      await computer().pass(60_000);
    }
    assert.ok(!(await view().texts()).some((text) => text.startsWith('TensorBoard')));
  });
});
