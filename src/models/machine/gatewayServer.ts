import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Disposable } from '../../util/disposable';
import { parseJson } from '../../util/json';
import type { EngineAddress, GatewayModel } from '../model/engineAddress';
import { gatewayError, type GatewayError } from '../model/gatewayError';
import { askEngine, refuse } from './engineRequest';

export interface GatewayDeps {
  /** What clients must send; read at each request. */
  readonly key: () => string;
  readonly models: () => readonly GatewayModel[];
  /** An engine refuses its own key: it was started anew. */
  readonly onRefused: (engine: EngineAddress) => void;
  /** Without a byte from the engine for so long, its answer is given up (ms). */
  readonly patienceMs?: number;
}

/** The bodies of whole conversations with pictures are this long at most. */
const longestBodyBytes = 32 * 1024 * 1024;
const longestHeaderBytes = 16 * 1024;
const mostConnections = 100;
/** To receive a whole request (ms). */
const receiveMs = 60_000;
/** A long prompt is computed without a byte of answer for minutes. */
const usualPatienceMs = 15 * 60_000;

const passedPaths = ['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/responses'];

/**
 * The address of served models on this computer: an HTTP server on the loopback address that checks a key of ours and
 * passes a few paths of OpenAI's interface to the engine that serves the wanted model.
 */
export class GatewayServer implements Disposable {
  private readonly server: Server;

  private constructor(private readonly deps: GatewayDeps) {
    this.server = createServer(
      { maxHeaderSize: longestHeaderBytes, requestTimeout: receiveMs, headersTimeout: receiveMs / 4 },
      (request, response) => {
        this.answer(request, response).catch(() => {
          response.destroy();
        });
      },
    );
    this.server.maxConnections = mostConnections;
  }

  /** Listens on this port of the loopback address, and on no other one. Rejects if it is taken. */
  static async listen(deps: GatewayDeps, port: number): Promise<GatewayServer> {
    const gateway = new GatewayServer(deps);
    await new Promise<void>((resolve, reject) => {
      gateway.server.once('error', reject);
      gateway.server.listen({ host: '127.0.0.1', port, exclusive: true }, resolve);
    });
    return gateway;
  }

  get port(): number {
    return (this.server.address() as AddressInfo | null)?.port ?? 0;
  }

  /** Ends open answers as well. */
  dispose(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = this.refusalOf(request);
    if (refusal) {
      refuse(response, refusal);
      return;
    }
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(this.list()));
      return;
    }
    const body = await readBody(request);
    const engine = body === undefined ? tooLong : this.engineFor(modelIn(body));
    if (body === undefined || 'status' in engine) {
      refuse(response, 'status' in engine ? engine : tooLong);
      return;
    }
    const { onRefused, patienceMs = usualPatienceMs } = this.deps;
    await askEngine(response, { engine, path: pathOf(request) ?? '', body, patienceMs, onRefused });
  }

  private refusalOf(request: IncomingMessage): GatewayError | undefined {
    const { host = '', authorization = '' } = request.headers;
    // A page of the web whose name leads here sends its own name.
    if (![`127.0.0.1:${this.port}`, `localhost:${this.port}`].includes(host)) {
      return gatewayError(403, 'wrong_host', 'The gateway answers to 127.0.0.1 and localhost only.');
    }
    if (!isSame(authorization, `Bearer ${this.deps.key()}`)) {
      return gatewayError(401, 'invalid_api_key', 'The key is wrong. Copy it with "Copy Model Endpoint…".');
    }
    const path = pathOf(request);
    const isKnown =
      (request.method === 'GET' && path === '/v1/models') ||
      (request.method === 'POST' && path !== undefined && passedPaths.includes(path));
    if (!isKnown) {
      return gatewayError(404, 'unknown_path', 'The gateway has no such address.');
    }
    return Number(request.headers['content-length']) > longestBodyBytes ? tooLong : undefined;
  }

  private list() {
    const models = this.deps.models().filter(({ engine }) => engine);
    return {
      object: 'list',
      data: models.map(({ name, repository, contextTokens }) => ({
        id: name,
        object: 'model',
        created: 0,
        owned_by: repository,
        ...(contextTokens === undefined ? {} : { max_model_len: contextTokens }),
      })),
    };
  }

  private engineFor(name: string | GatewayError): EngineAddress | GatewayError {
    if (typeof name !== 'string') {
      return name;
    }
    const models = this.deps.models();
    const named = models.filter((one) => one.name === name);
    const found = named.find(({ engine }) => engine) ?? named[0];
    if (!found) {
      const names = models.filter(({ engine }) => engine).map((one) => one.name);
      const known = names.length > 0 ? `Served now: ${names.join(', ')}.` : 'No model is served now.';
      return gatewayError(404, 'model_not_found', `There is no such model. ${known}`);
    }
    return found.engine ?? gatewayError(503, 'model_unavailable', found.why);
  }
}

const tooLong = gatewayError(413, 'request_too_large', 'The request is longer than 32 MB.');

/** In a time that tells nothing of the key. */
function isSame(given: string, wanted: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

function pathOf({ url = '' }: IncomingMessage): string | undefined {
  return /^\/[^?#]*/.exec(url)?.[0];
}

/** Returns `undefined` for one that is too long. */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    request.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > longestBodyBytes) {
        pieces.length = 0;
        resolve(undefined);
      } else {
        pieces.push(piece);
      }
    });
    request.once('end', () => resolve(Buffer.concat(pieces)));
    request.once('error', reject);
  });
}

function modelIn(body: Buffer): string | GatewayError {
  try {
    const value = parseJson(body.toString('utf8'));
    const model = typeof value === 'object' && value !== null && 'model' in value ? value.model : undefined;
    return typeof model === 'string'
      ? model
      : gatewayError(400, 'missing_model', 'The request names no model. "model" must be a text.');
  } catch {
    return gatewayError(400, 'invalid_json', 'The request is no JSON.');
  }
}
