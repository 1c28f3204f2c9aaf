import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NotebookConnections } from '../../../../src/notebooks/ui/connections';
import { silentLog } from '../../../../src/util/log';
import { FakeClock } from '../../../support/fakeClock';
import { openScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

const alias = 'gpu-7';
const token = 'b'.repeat(64);

/** What a notebook learns where its instance gives no server, and when it is tried again. */
describe('A connection of notebooks', () => {
  let server: Server;
  before(async () => {
    server = createServer((_, answer) => answer.end('[]'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  function scene(
    first: string,
    {
      folders = [],
      hasEntry = true,
    }: { readonly folders?: readonly string[]; readonly hasEntry?: boolean } = {},
  ) {
    openScreen({ folders });
    const clock = new FakeClock();
    const secrets: string[] = [];
    const inputs: string[] = [];
    const said = { answer: first, hasEntry };
    const accounts: { active: { key: string } } = { active: { key: 'a' } };
    const deps = {
      ...{ accounts, clock, log: silentLog },
      redactor: { addSecret: (secret: string) => secrets.push(secret) },
      presence: { set: () => undefined },
      ssh: {
        entry: () => Promise.resolve(said.hasEntry ? {} : undefined),
        exec: (_: string, __: string, { input }: { readonly input: string }) => {
          inputs.push(input);
          const stdout = `gpu-rental notebooks\n${said.answer}\n`;
          return Promise.resolve({ code: 0, stdout, stderr: '', timedOut: false });
        },
        forward: () =>
          Promise.resolve({
            localPort: (server.address() as AddressInfo).port,
            ...{ remotePort: 1, ended: new Promise(() => undefined), close: () => undefined },
          }),
      },
    };
    const connections = new NotebookConnections(only(deps));
    return { connections, clock, secrets, inputs, said, accounts };
  }
  const works = `running 48650 ${token}`;

  for (const [what, answer, why] of [
    ['Jupyter is missing', 'missing /usr/bin/python3', /Jupyter is not installed there/],
    ['there is no Python', 'no-python', /has no Python/],
  ] as const) {
    it(`is not tried again for a while, unless the user asks: ${what}`, async () => {
      const { connections, clock, inputs, said } = scene(answer);
      await assert.rejects(connections.connect(alias), why);
      await clock.advance(14_999);
      await assert.rejects(connections.connect(alias), why);
      assert.equal(inputs.length, 1);
      await assert.rejects(connections.connect(alias, { isAsked: true }), why);
      assert.equal(inputs.length, 2);
      await clock.advance(15_000);
      said.answer = works;
      await connections.connect(alias);
      assert.equal(connections.timesConnected(alias), 1);
      connections.dispose();
    });
  }

  it('logs in nowhere by itself', async () => {
    const { connections, inputs, said } = scene(works, { hasEntry: false });
    await assert.rejects(connections.connect(alias), /has not logged in there yet/);
    assert.deepEqual(inputs, []);
    said.hasEntry = true;
    await connections.connect(alias, { isAsked: true });
    connections.dispose();
  });

  it('keeps its token out of the log', async () => {
    const { connections, secrets } = scene(works);
    assert.equal((await connections.connect(alias)).token, token);
    assert.deepEqual(secrets, [token]);
    connections.dispose();
  });

  for (const [folders, name] of [
    [['/home/me/train', '/home/me/other'], 'train'],
    [[], undefined],
  ] as const) {
    it(`works in a folder of the name of the workspace: ${name ?? 'none'}`, async () => {
      const { connections, inputs } = scene(works, { folders });
      await connections.connect(alias);
      const [verb, , folder = ''] = inputs[0]?.split('\n') ?? [];
      assert.equal(verb, 'start');
      assert.equal(folder.includes('train'), name !== undefined);
      connections.dispose();
    });
  }

  it('is used again as long as it answers, and belongs to its account', async () => {
    const { connections, inputs } = scene(works);
    let changes = 0;
    connections.onDidChange(() => {
      changes += 1;
    });
    const server = await connections.connect(alias);
    assert.equal(changes, 1);
    assert.equal(await connections.connect(alias), server);
    assert.equal(inputs.length, 1);
    connections.closeAccount('b');
    assert.equal(connections.serverOf(alias), server);
    connections.closeAccount('a');
    assert.deepEqual([connections.serverOf(alias), changes], [undefined, 2]);
    connections.dispose();
  });

  it('that is not open has no kernels, is not silent, and can be looked at', async () => {
    const { connections } = scene(works);
    await connections.readKernels(alias);
    assert.deepEqual([connections.kernelsOf(alias), connections.isSilent(alias)], [undefined, false]);
    connections.dispose();
  });
});
