import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { channel } from '../../shared/channel';
import type { SecretPort } from '../../store/accounts/patientSecrets';
import type { WindowHub } from '../../store/windows/windowHub';
import { wait, type Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/emitter';
import { errorCode } from '../../util/errorCode';
import { isCancelled } from '../../util/errors';
import { parseJson } from '../../util/json';
import type { Log } from '../../util/log';
import { NextRead } from '../../util/nextRead';
import type { Redactor } from '../../util/redact';
import { replaceFile } from '../../util/replaceFile';
import { formatText, text, type Text } from '../../util/text';
import type { EngineAddress, GatewayModel } from '../model/engineAddress';
import type { ServedModel, ServedModels } from './servedModels';

/** A way to the engine of one model. */
interface Tunnel extends Disposable {
  readonly address: EngineAddress | undefined;
  readonly onDidChange: Event<void>;
  /** For an engine that was started anew. */
  renew(): void;
}

interface Listening extends Disposable {
  readonly port: number;
}

interface GatewayDeps {
  readonly key: () => string;
  readonly models: () => readonly GatewayModel[];
  readonly onRefused: (engine: EngineAddress) => void;
}

export interface ModelGatewayDeps {
  readonly hub: Pick<WindowHub, 'isLeader' | 'onDidChangeLeader' | 'on' | 'broadcast'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn' | 'info'>;
  readonly secrets: Pick<SecretPort, 'get' | 'store' | 'onDidChange'>;
  readonly redactor: Pick<Redactor, 'addSecret'>;
  readonly models: Pick<ServedModels, 'all' | 'onDidChange'>;
  /** Keeps the port, so that what clients were told stays true. */
  readonly file: string;
  /** The port that the user wants; 0 for any. */
  readonly wantedPort: () => number;
  readonly listen: (deps: GatewayDeps, port: number) => Promise<Listening>;
  readonly openTunnel: (model: ServedModel & { readonly instanceId: number }) => Tunnel | undefined;
}

const secretKey = 'gpuRental.models.key';
/** Engines on machines, which this computer plays in the demo, take the ports from 18200 on. */
const firstPort = 18_100;
const mostPorts = 100;
/** A window that closes has its port for a moment. */
const againMs = [500, 1000, 2000];

/** What the window that leads has, with the ids of the models that can be asked. */
const stateShape = z.object({ port: z.int().min(1).max(65_535).optional(), open: z.array(z.string()) });
type State = z.infer<typeof stateShape>;
const none: State = { open: [] };
const state = channel('models.gateway', stateShape);
const asked = channel('models.gatewayAsked', z.object({}));

/**
 * The one gateway of this computer to served models. The window that leads has it and the tunnels; the others learn its
 * port from that window, and never look for it, so that no other program is sent the key.
 */
export class ModelGateway implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  private readonly stop = new AbortController();
  private readonly tunnels = new Map<string, Tunnel>();
  private readonly updates = new NextRead(() => this.update());
  private server: Listening | undefined;
  private key: string | undefined;
  /** Of the window that leads, where that is another one. */
  private others = none;
  readonly onDidChange: Event<void> = this.changed.event;

  constructor(private readonly deps: ModelGatewayDeps) {
    const { hub, models, secrets } = deps;
    const update = () => void this.updates.ask();
    this.owned.add(models.onDidChange(update));
    this.owned.add(
      hub.onDidChangeLeader(() => {
        this.others = none;
        update();
      }),
    );
    this.owned.add(
      state.on(hub, (others) => {
        this.others = others;
        this.changed.fire();
      }),
    );
    this.owned.add(asked.on(hub, () => this.announce()));
    this.owned.add(
      secrets.onDidChange((changed) => {
        if (changed === secretKey) {
          this.key = undefined;
          update();
        }
      }),
    );
    update();
  }

  /** Of the gateway; `undefined` while there is none. */
  get port(): number | undefined {
    return this.state.port;
  }

  /** Returns whether a model can be asked now. */
  isOpen({ id }: Pick<ServedModel, 'id'>): boolean {
    return this.state.port !== undefined && this.state.open.includes(id);
  }

  private get state(): State {
    if (!this.deps.hub.isLeader) {
      return this.others;
    }
    const open = [...this.tunnels].flatMap(([id, { address }]) => (address ? [id] : []));
    return this.server ? { port: this.server.port, open } : none;
  }

  /** Opens at the port that the user wants now. */
  reopen(): void {
    this.server?.dispose();
    this.server = undefined;
    void this.updates.ask();
  }

  /** Returns what a client needs; `undefined` while there is no gateway. */
  async endpoint(): Promise<{ readonly port: number; readonly key: string } | undefined> {
    const { port } = this;
    const key = await this.deps.secrets.get(secretKey);
    this.deps.redactor.addSecret(key);
    return port === undefined || key === undefined ? undefined : { port, key };
  }

  /** Replaces the key: clients with the old one are refused from then on. */
  async renewKey(): Promise<void> {
    await this.deps.secrets.store(secretKey, newKey());
  }

  dispose(): void {
    this.stop.abort();
    this.owned.dispose();
    this.close();
  }

  /** Never rejects. */
  private async update(): Promise<void> {
    const { hub, log, models } = this.deps;
    try {
      if (this.stop.signal.aborted || !hub.isLeader) {
        this.close();
        if (!this.stop.signal.aborted && this.others.port === undefined) {
          asked.send(hub, {});
        }
        return;
      }
      this.updateTunnels(models.all);
      if (models.all.some((one) => one.isRecent)) {
        this.key ??= await this.ownKey();
        if (!this.server) {
          this.server = await this.open();
          this.announce();
        }
      } else if (this.server) {
        this.close();
        this.announce();
      }
    } catch (error) {
      if (!isCancelled(error)) {
        log.warn(`The gateway to models is not open: ${String(error)}`);
      }
    } finally {
      if (this.stop.signal.aborted) {
        this.close();
      } else {
        this.changed.fire();
      }
    }
  }

  private updateTunnels(models: readonly ServedModel[]): void {
    for (const [id, tunnel] of this.tunnels) {
      if (!models.some((model) => model.id === id && answersNow(model))) {
        tunnel.dispose();
        this.tunnels.delete(id);
      }
    }
    for (const model of models) {
      const { id, instanceId } = model;
      const tunnel =
        answersNow(model) && instanceId !== undefined && !this.tunnels.has(id)
          ? this.deps.openTunnel({ ...model, instanceId })
          : undefined;
      if (tunnel) {
        this.tunnels.set(id, tunnel);
        tunnel.onDidChange(() => {
          this.announce();
          this.changed.fire();
        });
      }
    }
  }

  private async ownKey(): Promise<string> {
    const { redactor, secrets } = this.deps;
    const kept = await secrets.get(secretKey);
    const key = kept ?? newKey();
    redactor.addSecret(key);
    if (kept === undefined) {
      await secrets.store(secretKey, key);
    }
    return key;
  }

  private async open(): Promise<Listening> {
    const { file, listen, log, wantedPort } = this.deps;
    const wanted = wantedPort();
    const kept = await keptPort(file);
    const served: GatewayDeps = {
      // Without a key nothing matches.
      key: () => this.key ?? newKey(),
      models: () => this.models(),
      onRefused: (engine) => {
        [...this.tunnels.values()].find(({ address }) => address === engine)?.renew();
      },
    };
    const first = wanted > 0 ? wanted : (kept ?? firstPort);
    const server = await this.openAt(first, (port) => listen(served, port), wanted > 0);
    if (server.port !== kept) {
      await replaceFile(file, JSON.stringify({ port: server.port }));
    }
    log.info(`The gateway to models listens on 127.0.0.1:${server.port}.`);
    return server;
  }

  /** Waits for a port that is taken, and then tries the next ones, unless the user wants this one. */
  private async openAt(
    first: number,
    listen: (port: number) => Promise<Listening>,
    isFixed: boolean,
  ): Promise<Listening> {
    const { clock } = this.deps;
    const last = isFixed ? first : Math.min(65_535, first + mostPorts);
    for (const pauseMs of againMs) {
      try {
        return await listen(first);
      } catch (error) {
        failUnlessTaken(error);
        await wait(clock, pauseMs, this.stop.signal);
      }
    }
    for (let port = isFixed ? first : first + 1; ; port += 1) {
      try {
        return await listen(port);
      } catch (error) {
        failUnlessTaken(error);
        if (port >= last) {
          throw error;
        }
      }
    }
  }

  private models(): readonly GatewayModel[] {
    return this.deps.models.all.map((model) => {
      const engine = answersNow(model) ? this.tunnels.get(model.id)?.address : undefined;
      const { name, repository } = model;
      const contextTokens = contextOf(model);
      return { name, repository, contextTokens, engine, why: formatText(whyNot(model)) };
    });
  }

  private announce(): void {
    if (this.deps.hub.isLeader) {
      state.send(this.deps.hub, this.state);
    }
  }

  private close(): void {
    const tunnels = [...this.tunnels.values()];
    this.tunnels.clear();
    this.server?.dispose();
    this.server = undefined;
    tunnels.forEach((tunnel) => tunnel.dispose());
  }
}

export function answersNow({ isOver, serving }: ServedModel): boolean {
  return !isOver && serving.stage === 'ready';
}

/** Returns the tokens of one request, as the engine said. */
export function contextOf({ serving, contextTokens }: ServedModel): number | undefined {
  return serving.contextTokens ?? contextTokens;
}

/** Returns why a model can't be asked. */
function whyNot({ isOver, name, serving, state }: ServedModel): Text {
  if (isOver) {
    return text('The model {0} is not served any more: {1}.', name, state);
  }
  return serving.stage === 'ready'
    ? text('The machine that serves {0} does not answer now. The connection opens again by itself.', name)
    : text('The model {0} is not ready yet: {1}.', name, state);
}

function newKey(): string {
  return `gr-${randomBytes(24).toString('hex')}`;
}

function failUnlessTaken(error: unknown): void {
  if (!['EADDRINUSE', 'EACCES'].includes(errorCode(error))) {
    throw error;
  }
}

async function keptPort(file: string): Promise<number | undefined> {
  try {
    const value = parseJson(await readFile(file, 'utf8'));
    const port = typeof value === 'object' && value !== null && 'port' in value ? value.port : undefined;
    return typeof port === 'number' && Number.isInteger(port) && port > 1023 && port < 65_536
      ? port
      : undefined;
  } catch {
    // Absent or damaged: another port is as good.
    return undefined;
  }
}
