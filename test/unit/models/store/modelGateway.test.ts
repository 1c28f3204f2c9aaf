import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { GatewayServer } from '../../../../src/models/machine/gatewayServer';
import type { EngineAddress } from '../../../../src/models/model/engineAddress';
import { ModelGateway } from '../../../../src/models/store/modelGateway';
import type { ServedModel } from '../../../../src/models/store/servedModels';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog } from '../../../../src/util/log';
import { text } from '../../../../src/util/text';
import { FakeClock } from '../../../support/fakeClock';
import { freePort } from '../../../support/sshMachine';
import { until } from '../../../support/until';
import { useFolder } from '../../../support/useFolder';

const model = (more: Partial<ServedModel> = {}): ServedModel => ({
  id: 'job1',
  name: 'qwen3-8b',
  repository: 'Qwen/Qwen3-8B',
  engine: 'vllm',
  gpus: 1,
  maxSequences: 8,
  idleMinutes: 30,
  instanceId: 7,
  serving: { stage: 'ready', contextTokens: 32_768 },
  state: text('loading weights'),
  isOver: false,
  isRecent: true,
  ...more,
});

const engine: EngineAddress = { place: { host: '127.0.0.1', port: 9 }, key: 'engine-key' };

/** Windows of one computer; the first leads until it is closed. */
class Scene {
  readonly models: ServedModel[] = [model()];
  readonly modelsChanged = new Emitter<void>();
  readonly secrets = new Map<string, string>();
  readonly secretsChanged = new Emitter<string>();
  readonly clock = new FakeClock();
  readonly hidden: (string | undefined)[] = [];
  readonly tunnels: {
    id: string;
    renewed: number;
    isOpen: boolean;
    changed: Emitter<void>;
    address: EngineAddress | undefined;
  }[] = [];
  readonly windows: { gateway: ModelGateway; close(): void }[] = [];
  wantedPort = 0;
  private readonly hubs: {
    isLeader: boolean;
    led: Emitter<boolean>;
    topics: Map<string, (data: unknown) => void>;
  }[] = [];

  constructor(readonly folder: string) {}

  get file(): string {
    return path.join(this.folder, 'gateway.json');
  }

  open(): ModelGateway {
    const led = new Emitter<boolean>();
    const topics = new Map<string, (data: unknown) => void>();
    const hub = { isLeader: this.hubs.length === 0, led, topics };
    this.hubs.push(hub);
    const { clock, hidden, modelsChanged, secrets, secretsChanged } = this;
    const gateway = new ModelGateway({
      hub: {
        get isLeader() {
          return hub.isLeader;
        },
        onDidChangeLeader: led.event,
        on: (topic, listener) => {
          topics.set(topic, listener);
          return { dispose: () => topics.delete(topic) };
        },
        broadcast: (topic, data) => {
          const sent = JSON.parse(JSON.stringify(data)) as unknown;
          this.hubs.filter((other) => other !== hub).forEach((other) => other.topics.get(topic)?.(sent));
        },
      },
      clock,
      log: silentLog,
      secrets: {
        get: (key) => Promise.resolve(secrets.get(key)),
        store: (key, value) => {
          secrets.set(key, value);
          secretsChanged.fire(key);
          return Promise.resolve();
        },
        onDidChange: secretsChanged.event,
      },
      redactor: { addSecret: (value) => hidden.push(value) },
      models: { all: this.models, onDidChange: modelsChanged.event },
      file: this.file,
      wantedPort: () => this.wantedPort,
      listen: (deps, port) => GatewayServer.listen(deps, port),
      openTunnel: ({ id }) => {
        const changed = new Emitter<void>();
        const own = { id, renewed: 0, isOpen: true, changed, address: engine as EngineAddress | undefined };
        this.tunnels.push(own);
        return {
          get address() {
            return own.address;
          },
          onDidChange: changed.event,
          renew: () => (own.renewed += 1),
          dispose: () => (own.isOpen = false),
        };
      },
    });
    const close = () => {
      gateway.dispose();
      this.hubs.splice(this.hubs.indexOf(hub), 1);
      const [next] = this.hubs;
      if (next && hub.isLeader) {
        next.isLeader = true;
        next.led.fire(true);
      }
    };
    this.windows.push({ gateway, close });
    return gateway;
  }

  change(...models: readonly ServedModel[]): void {
    this.models.splice(0, this.models.length, ...models);
    this.modelsChanged.fire();
  }
}

const portOf = (gateway: ModelGateway) => until('the port', () => gateway.port, { everyMs: 5 });

async function statusOf(gateway: ModelGateway, path = '/v1/models', body?: string): Promise<string> {
  const endpoint = await gateway.endpoint();
  assert.ok(endpoint);
  const answer = await fetch(`http://127.0.0.1:${endpoint.port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${endpoint.key}` },
    ...(body === undefined ? {} : { body }),
  });
  return `${answer.status} ${await answer.text()}`;
}

describe('the gateway of all windows', () => {
  let scene: Scene;
  useFolder((folder) => {
    scene = new Scene(folder);
  });
  // Another program of this computer may have the usual one.
  beforeEach(async () => {
    writeFileSync(scene.file, JSON.stringify({ port: await freePort() }));
  });
  afterEach(() => {
    scene.windows.forEach(({ gateway }) => gateway.dispose());
  });

  it('is one, whose port and models the other windows learn from the window that leads', async () => {
    const first = scene.open();
    const port = await portOf(first);
    const second = scene.open();
    assert.equal(await portOf(second), port);
    assert.ok(first.isOpen(model()) && second.isOpen(model()));
    assert.deepEqual(await second.endpoint(), await first.endpoint());
    assert.match(await statusOf(second), /^200 .*"id":"qwen3-8b".*"max_model_len":32768/);
    assert.equal(scene.tunnels.length, 1);
  });

  it('keeps its port and its key under the next window', async () => {
    const first = scene.open();
    await portOf(first);
    const before = await first.endpoint();
    const second = scene.open();
    await portOf(second);
    scene.windows[0]?.close();
    await until('the next gateway', () => second.port !== undefined && scene.tunnels.length === 2, {
      everyMs: 5,
    });
    assert.deepEqual(await second.endpoint(), before);
    assert.match(await statusOf(second), /^200/);
    assert.deepEqual(JSON.parse(readFileSync(scene.file, 'utf8')), { port: before?.port });
  });

  it('is not looked for by a window that knows of none', async () => {
    const first = scene.open();
    await portOf(first);
    first.dispose();
    const second = scene.open();
    assert.ok(readFileSync(scene.file, 'utf8').includes('port'));
    assert.equal(await second.endpoint(), undefined);
  });

  it('waits for its port, and uses another one if a program keeps it', async () => {
    const thief = createServer();
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
    const { port } = thief.address() as AddressInfo;
    mkdirSync(path.dirname(scene.file), { recursive: true });
    writeFileSync(scene.file, JSON.stringify({ port }));
    const gateway = scene.open();
    await until('the attempts', () => scene.clock.pending > 0, { everyMs: 5 });
    await scene.clock.advance(10_000);
    assert.notEqual(await portOf(gateway), port);
    thief.close();
  });

  it('opens at no other port than the one of the settings', async () => {
    const thief = createServer();
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
    scene.wantedPort = (thief.address() as AddressInfo).port;
    const gateway = scene.open();
    await until('the attempts', () => scene.clock.pending > 0, { everyMs: 5 });
    await scene.clock.advance(10_000);
    assert.equal(gateway.port, undefined);
    await new Promise((resolve) => thief.close(resolve));
    gateway.reopen();
    assert.equal(await portOf(gateway), scene.wantedPort);
  });

  it('reads a damaged file of its port as none', async () => {
    for (const damage of ['', '{', '[]', '{"port":"x"}', '{"port":80}', '{"port":1e9}']) {
      writeFileSync(scene.file, damage);
      const gateway = scene.open();
      const port = await until('the port', async () => {
        await scene.clock.advance(1000);
        return gateway.port;
      });
      assert.ok(port >= 18_100, damage);
      scene.windows.pop()?.close();
    }
  });

  it('has a key in the secret store alone, which the log hides', async () => {
    const gateway = scene.open();
    const { key } = (await portOf(gateway), (await gateway.endpoint()) ?? { key: '' });
    assert.match(key, /^gr-[0-9a-f]{48}$/);
    assert.deepEqual([...scene.secrets.values()], [key]);
    assert.ok(scene.hidden.includes(key));
    assert.ok(!readFileSync(scene.file, 'utf8').includes(key));
  });

  it('refuses a key that was replaced, at once', async () => {
    const gateway = scene.open();
    await portOf(gateway);
    const before = await gateway.endpoint();
    await gateway.renewKey();
    await until('the new key', async () => (await statusOf(gateway)).startsWith('200'), { everyMs: 5 });
    const answer = await fetch(`http://127.0.0.1:${before?.port}/v1/models`, {
      headers: { authorization: `Bearer ${before?.key}` },
    });
    assert.equal(answer.status, 401);
  });

  it('answers why a model can’t be asked', async () => {
    const gateway = scene.open();
    await portOf(gateway);
    const ask = (name = 'qwen3-8b') =>
      statusOf(gateway, '/v1/chat/completions', JSON.stringify({ model: name }));
    const [tunnel] = scene.tunnels;
    assert.ok(tunnel);
    tunnel.address = undefined;
    tunnel.changed.fire();
    assert.equal(gateway.isOpen(model()), false);
    assert.match(await ask(), /^503 .*does not answer now/);
    scene.change(model({ serving: { stage: 'loading' } }));
    await until('the tunnel to end', () => !tunnel.isOpen, { everyMs: 5 });
    assert.match(await ask(), /^503 .*is not ready yet: loading weights/);
    scene.change(model({ isOver: true, state: text('stopped after 30 minutes without requests') }));
    assert.match(await ask(), /^503 .*is not served any more: stopped after 30 minutes without requests\./);
    assert.match(await ask('other'), /^404 .*No model is served now/);
  });

  it('closes once no client needs the reason for an end any more', async () => {
    const gateway = scene.open();
    const other = scene.open();
    const port = await portOf(gateway);
    scene.change(model({ isOver: true, isRecent: false }));
    await until('the end', () => gateway.port === undefined && other.port === undefined, { everyMs: 5 });
    await assert.rejects(fetch(`http://127.0.0.1:${port}/v1/models`));
    scene.change(model());
    assert.equal(await portOf(gateway), port);
  });

  it('has no port and no key while no model was served', async () => {
    scene.change();
    const gateway = scene.open();
    await until('the update', () => true);
    assert.deepEqual([gateway.port, await gateway.endpoint(), scene.secrets.size], [undefined, undefined, 0]);
  });
});
