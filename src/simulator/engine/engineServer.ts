import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { parseJson } from '../../util/json';
import { AnswerStream } from './answerStream';
import { answerTo } from './chatAnswer';
import { readChatRequest, type ChatRequest } from './chatRequest';
import type { EngineOptions } from './engineArguments';
import { EngineCounters } from './engineCounters';
import type { EngineScene } from './engineScene';
import { answerAsStranger } from './strangeAnswers';

const longestBodyBytes = 64 * 1024 * 1024;
const fittedTokens = 32_768;

/** The HTTP interface of an engine, on the loopback address only. */
export class EngineServer {
  private readonly counters = new EngineCounters();
  private readonly server: Server;
  private isReady = false;

  constructor(
    private readonly options: EngineOptions,
    private readonly scene: () => EngineScene,
    /** Between two tokens. */
    private readonly tokenMs: number,
  ) {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : undefined);
      });
    });
  }

  get contextTokens(): number {
    return this.options.contextTokens ?? this.scene().contextTokens ?? fittedTokens;
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host: '127.0.0.1', port: this.options.port }, () => resolve());
    });
  }

  becomeReady(): void {
    this.isReady = true;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const route = `${request.method ?? 'GET'} ${pathname}`;
    const isVllm = this.options.engine === 'vllm';
    if (route === 'GET /health') {
      if (this.isReady) {
        send(response, 200, isVllm ? '' : { status: 'ok' });
      } else {
        this.refuse(response, 503, 'unavailable_error', 'Loading model');
      }
      return;
    }
    if (!this.isAllowed(request, pathname)) {
      if (isVllm) {
        send(response, 401, { error: 'Unauthorized' });
      } else {
        this.refuse(response, 401, 'authentication_error', 'Invalid API Key');
      }
      return;
    }
    if (!this.isReady) {
      this.refuse(response, 503, 'unavailable_error', 'Loading model');
      return;
    }
    switch (route) {
      case 'GET /metrics':
        if (this.options.hasMetrics) {
          response.setHeader('content-type', 'text/plain; version=0.0.4');
          response.end(this.counters.text(this.options));
        } else {
          this.refuse(response, 501, 'not_supported_error', 'This server does not support metrics endpoint.');
        }
        return;
      case 'GET /v1/models':
        send(response, 200, this.models());
        return;
      case 'POST /v1/chat/completions':
      case 'POST /v1/completions':
        await this.complete(request, response, pathname === '/v1/completions');
        return;
      case 'POST /v1/embeddings':
        this.refuse(response, 501, 'not_supported_error', 'This server does not support embeddings.');
        return;
      default:
        send(
          response,
          404,
          isVllm ? { detail: 'Not Found' } : errorBody(404, 'not_found_error', 'File Not Found'),
        );
    }
  }

  /** vLLM guards what is below `/v1`, llama.cpp everything but its health. */
  private isAllowed({ headers }: IncomingMessage, pathname: string): boolean {
    const { engine, key } = this.options;
    const isGuarded = engine !== 'vllm' || pathname.startsWith('/v1');
    return key === undefined || !isGuarded || headers.authorization === `Bearer ${key}`;
  }

  private models() {
    const { engine, name, model } = this.options;
    const common = { id: name, object: 'model', created: 1_790_000_000 };
    return {
      object: 'list',
      data: [
        engine === 'vllm'
          ? { ...common, owned_by: 'vllm', root: model, parent: null, max_model_len: this.contextTokens }
          : {
              ...common,
              owned_by: 'llamacpp',
              meta: { n_ctx: this.contextTokens, n_ctx_train: 40_960, n_vocab: 151_936 },
            },
      ],
    };
  }

  private async complete(
    request: IncomingMessage,
    response: ServerResponse,
    isPlain: boolean,
  ): Promise<void> {
    const { fault, answersTo } = this.scene();
    const asked = readChatRequest(parsed(await readBody(request)));
    if (typeof asked === 'string') {
      this.refuse(response, 400, 'BadRequestError', asked);
      return;
    }
    if (this.refuses(response, asked)) {
      return;
    }
    if (answersTo !== undefined) {
      appendFileSync(answersTo, `${asked.lastText.replaceAll('\n', ' ')}\n`);
    }
    if (answerAsStranger(fault, response)) {
      return;
    }
    const room = this.contextTokens - asked.promptTokens;
    const answer = answerTo(asked, this.options, room, fault);
    const stream = new AnswerStream({
      options: this.options,
      counters: this.counters,
      tokenMs: this.tokenMs,
      fault,
      isPlain,
    });
    await stream.send(response, asked, answer);
  }

  /** Answers what no engine takes. */
  private refuses(response: ServerResponse, asked: ChatRequest): boolean {
    const { engine, name, hasTools } = this.options;
    if (engine === 'vllm' && asked.model !== undefined && asked.model !== name) {
      send(response, 404, {
        error: {
          message: `The model \`${asked.model}\` does not exist.`,
          type: 'NotFoundError',
          param: 'model',
          code: 404,
        },
      });
      return true;
    }
    if (!hasTools && asked.toolChoice === 'auto') {
      this.refuse(
        response,
        400,
        'BadRequestError',
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      );
      return true;
    }
    const wanted = asked.promptTokens + (engine === 'vllm' ? (asked.mostTokens ?? 1) : 0);
    if (wanted <= this.contextTokens) {
      return false;
    }
    if (engine === 'vllm') {
      this.refuse(
        response,
        400,
        'BadRequestError',
        `This model's maximum context length is ${this.contextTokens} tokens. However, you requested ${wanted} tokens (${asked.promptTokens} in the messages, ${asked.mostTokens ?? 1} in the completion). Please reduce the length of the messages or completion.`,
      );
    } else {
      send(response, 400, {
        error: {
          code: 400,
          message: `request (${wanted} tokens) exceeds the available context size (${this.contextTokens} tokens), try increasing it`,
          type: 'exceed_context_size_error',
          n_prompt_tokens: wanted,
          n_ctx: this.contextTokens,
        },
      });
    }
    return true;
  }

  private refuse(response: ServerResponse, status: number, type: string, message: string): void {
    send(response, status, errorBody(status, type, message));
  }
}

function errorBody(code: number, type: string, message: string) {
  return { error: { message, type, param: null, code } };
}

function send(response: ServerResponse, status: number, body: object | string): void {
  response.statusCode = status;
  if (typeof body === 'string') {
    response.end(body);
  } else {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > longestBodyBytes) {
      throw new Error('The body is too long.');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
