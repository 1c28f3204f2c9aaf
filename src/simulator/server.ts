import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../util/clock';
import { bearerOf } from './auth';
import { controlRoutes } from './control/controlRoutes';
import { answerInstead, Faults, withWrongTypes, type FaultOrder } from './faults';
import { answerGreeting } from './greeting';
import { IdleWatch } from './idleWatch';
import type { InstanceService } from './instances/instanceService';
import type { Lifecycle } from './instances/lifecycle';
import type { Orders } from './instances/orders';
import { RateLimits } from './limits';
import type { SimulatorOptions } from './options';
import { RequestLog, type ReceivedRequest } from './requestLog';
import { ServiceError, type SimRequest, type SimResponse } from './route';
import { errorResponse, Router } from './router';
import { serviceRoutes } from './routes';
import { World } from './world';

export interface RunningSimulator {
  /** With the path prefix, without a final slash: `http://127.0.0.1:8787`. */
  readonly url: string;
  readonly port: number;
  /** The first account's full key. */
  readonly apiKey: string;
  readonly world: World;
  readonly faults: Faults;
  /** Orders for the next boots and rentals. */
  readonly orders: Orders;
  readonly lifecycle: Lifecycle;
  /** What arrived, oldest first; requests under `/__sim/` are left out. */
  requests(since?: number): readonly ReceivedRequest[];
  /** How many requests wait for an ordered delay or stall to end. */
  heldBack(): number;
  close(): Promise<void>;
}

const longestBodyBytes = 4 * 1024 * 1024;

/** Starts the service on the loopback address; never on any other. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<RunningSimulator> {
  const simulator = new SimulatorServer(options);
  await simulator.listen();
  return simulator;
}

class SimulatorServer implements RunningSimulator {
  readonly world: World;
  readonly faults = new Faults();
  private readonly log = new RequestLog();
  private readonly router: Router;
  private readonly server: Server;
  private readonly idle: IdleWatch;
  private readonly instances: InstanceService;
  private held = 0;
  private closing: Promise<void> | undefined;

  constructor(private readonly options: SimulatorOptions) {
    this.world = new World(options);
    this.idle = new IdleWatch(options.clock ?? systemClock, options.idleExitSeconds, () => {
      void this.close().then(() => options.onIdleExit?.());
    });
    // A login to a machine keeps the server alive, even when no window sends requests.
    const service = serviceRoutes(this.world, (change) => this.idle.count(change));
    this.instances = service.instances;
    const control = controlRoutes({
      world: this.world,
      faults: this.faults,
      log: this.log,
      instances: this.instances,
    });
    const limits = options.limits === false ? undefined : new RateLimits(() => this.world.clock.now());
    this.router = new Router(this.world, limits, [...service.routes, ...control]);
    this.server = createServer((request, response) => {
      void this.serve(request, response);
    });
    // Longer than any client's own limit, so that the client closes first and never meets a closed socket.
    this.server.keepAliveTimeout = 120_000;
  }

  get port(): number {
    return (this.server.address() as AddressInfo | null)?.port ?? 0;
  }

  get url(): string {
    return this.world.baseUrl;
  }

  get apiKey(): string {
    return this.world.apiKey;
  }

  get orders(): Orders {
    return this.instances.orders;
  }

  get lifecycle(): Lifecycle {
    return this.instances.lifecycle;
  }

  requests(since?: number): readonly ReceivedRequest[] {
    return this.log.list(since);
  }

  heldBack(): number {
    return this.held;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host: '127.0.0.1', port: this.options.port ?? 0 }, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    this.world.baseUrl = `http://127.0.0.1:${this.port}${this.options.pathPrefix ?? ''}`;
    this.instances.lifecycle.resume();
    this.idle.touch();
  }

  close(): Promise<void> {
    this.closing ??= (async () => {
      this.idle.dispose();
      const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
      this.server.closeAllConnections();
      await closed;
      await this.instances.close();
      this.world.dispose();
    })();
    return this.closing;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.idle.touch();
    response.setHeader('date', new Date((this.options.clock ?? systemClock).now()).toUTCString());
    try {
      this.refuseForeign(request);
      await this.serveOwn(request, response);
    } catch (error) {
      if (!response.destroyed) {
        send(
          response,
          errorResponse(error, (inner) => {
            this.world.report(inner);
          }),
        );
      }
    }
  }

  private async serveOwn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request);
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const path = this.withoutPrefix(url.pathname);
    const method = request.method ?? 'GET';
    if (path === '/__sim/hold') {
      this.hold(request, response);
      return;
    }
    if (path === '/__sim/greeting') {
      send(response, answerGreeting(request.headers, this.apiKey, this.port));
      return;
    }
    const isControl = path.startsWith('/__sim/');
    const bearer = bearerOf(request.headers);
    const keyId = bearer === undefined ? undefined : this.world.keys.find(bearer)?.id;
    const seq = isControl
      ? undefined
      : this.log.add({
          method,
          path,
          query: Object.fromEntries(url.searchParams),
          body: parseJson(text) ?? text,
          hasAuthorization: request.headers.authorization !== undefined,
          atMs: this.world.clock.now(),
          ...(keyId === undefined ? {} : { keyId }),
          ...(request.headers['content-type'] === undefined
            ? {}
            : { contentType: request.headers['content-type'] }),
        });
    const answer = await this.answerWithFaults(isControl ? [] : this.faults.hits(method, path), {
      response,
      ask: async () => {
        const real = await this.ask({ method, path, query: url.searchParams, text }, request);
        if (seq !== undefined) {
          this.log.complete(seq, { handled: real.status });
        }
        return real;
      },
    });
    if (answer && seq !== undefined) {
      this.log.complete(seq, { status: answer.status });
    }
  }

  /**
   * Plays the ordered faults around the real answer; returns the sent answer, or
   * `undefined` for a dropped connection.
   */
  private async answerWithFaults(
    faults: readonly FaultOrder[],
    call: { response: ServerResponse; ask: () => Promise<SimResponse> },
  ): Promise<SimResponse | undefined> {
    const { response } = call;
    for (const fault of faults) {
      if (fault.kind === 'delay') {
        this.held += 1;
        await new Promise<void>((resolve) => {
          this.world.clock.schedule(resolve, fault.delayMs ?? 1000);
        });
        this.held -= 1;
      }
    }
    const fault = faults.find((order) => order.kind !== 'delay');
    if (fault?.kind === 'stall') {
      if (fault.after === true) {
        await call.ask();
      }
      this.held += 1;
      response.once('close', () => {
        this.held -= 1;
      });
      return undefined;
    }
    if (fault?.kind === 'dropBefore') {
      response.destroy();
      return undefined;
    }
    const instead = fault && answerInstead(fault);
    if (instead && fault.after === true) {
      await call.ask();
    }
    let answer = instead ?? (await call.ask());
    if (fault?.kind === 'dropAfter') {
      response.destroy();
      return undefined;
    }
    if (fault?.kind === 'wrongTypes') {
      answer = { ...answer, body: withWrongTypes(answer.body) };
    }
    send(response, answer, fault?.kind === 'cutOff');
    return answer;
  }

  private async ask(
    call: { method: string; path: string; query: URLSearchParams; text: string },
    request: IncomingMessage,
  ): Promise<SimResponse> {
    try {
      const match = this.router.match(call.method, call.path);
      const body = call.text.trim() === '' ? undefined : parseJson(call.text);
      if (body === undefined && call.text.trim() !== '') {
        // Execute has a status of its own for a body that is not JSON (docs/service/commands.md#execute).
        throw new ServiceError(match.route.badJsonStatus ?? 400, 'invalid_args', 'Invalid JSON body.');
      }
      const simRequest: SimRequest = {
        method: call.method,
        path: call.path,
        params: match.params,
        query: call.query,
        body,
        headers: request.headers,
        remoteAddress: request.socket.remoteAddress ?? '',
      };
      return await this.router.answer(match, simRequest);
    } catch (error) {
      return errorResponse(error, (inner) => {
        this.world.report(inner);
      });
    }
  }

  /** Holds a connection open that shows that a window is still there. */
  private hold(request: IncomingMessage, response: ServerResponse): void {
    const bearer = bearerOf(request.headers);
    if (bearer === undefined || !this.world.keys.find(bearer)) {
      throw new ServiceError(401, 'auth_error', 'Invalid user key');
    }
    const held = this.idle.hold();
    response.once('close', () => held.dispose());
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('held\n');
  }

  /** A page in a browser must not reach the simulator, not even by a name that resolves to loopback. */
  private refuseForeign(request: IncomingMessage): void {
    const names = ['127.0.0.1', 'localhost', '[::1]', ...(this.options.allowedHosts ?? [])];
    const isOwn = (host: string) => names.some((name) => host === name || host.startsWith(`${name}:`));
    if (!isOwn(request.headers.host ?? '')) {
      throw new ServiceError(403, 'forbidden_host', 'This host name is not served here.');
    }
    const { origin } = request.headers;
    if (origin !== undefined && origin !== `http://127.0.0.1:${this.port}`) {
      throw new ServiceError(403, 'forbidden_origin', 'Pages of other origins are not served.');
    }
  }

  private withoutPrefix(path: string): string {
    const prefix = this.options.pathPrefix ?? '';
    if (prefix !== '' && !path.startsWith(`${prefix}/`)) {
      throw new ServiceError(404, 'not_found', `There is no ${path}.`);
    }
    return path.slice(prefix.length);
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    // The stream has no encoding set, so each chunk is a buffer.
    const buffer = chunk as Buffer;
    length += buffer.length;
    if (length > longestBodyBytes) {
      throw new ServiceError(413, 'invalid_request', 'The body is too long.');
    }
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return text.trim() === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, answer: SimResponse, cutOff = false): void {
  if (response.destroyed || response.headersSent) {
    return;
  }
  const text = answer.raw ? answer.raw.text : JSON.stringify(answer.body ?? null);
  const bytes = Buffer.from(text, 'utf8');
  response.writeHead(answer.status, {
    // Exactly this, without a charset: the public command-line client compares the whole value.
    'content-type': answer.raw ? answer.raw.type : 'application/json',
    'x-request-id': randomUUID(),
    ...answer.headers,
    'content-length': cutOff ? Math.floor(bytes.length / 2) : bytes.length,
  });
  response.end(cutOff ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes);
}
