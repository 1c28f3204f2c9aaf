import { fieldsOf } from './fields';

/** A tool as the protocol lists it, the same for every client and connection. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly outputSchema: object;
  readonly annotations: object;
}

/** The result of a tool call. */
export interface ToolResult {
  readonly structured: object;
  readonly isError: boolean;
}

export interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
  /** The client's name for itself, which is only a claim. */
  readonly client: string;
}

export interface McpServerDeps {
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly ListedTool[];
  readonly call: (call: ToolCall, signal: AbortSignal) => Promise<ToolResult>;
  readonly send: (message: object) => void;
}

/**
 * The protocol revision without a handshake, in which each request states its version; the older ones begin with a
 * handshake.
 */
const modernVersion = '2026-07-28';
const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const meta = {
  version: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  server: 'io.modelcontextprotocol/serverInfo',
};
const codes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  version: -32022,
};

type Id = string | number;
type Send = McpServerDeps['send'];
type Fields = Readonly<Record<string, unknown>>;

class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: object,
  ) {
    super(message);
  }
}

/**
 * A Model Context Protocol server for one client, with tools only. The official package would increase the size of ours
 * by a sixth (docs/decisions/0039-a-small-mcp-server.md).
 */
export class McpServer {
  private readonly open = new Map<Id, AbortController>();
  private clientName = '';

  constructor(private readonly deps: McpServerDeps) {}

  /** Handles one line of the client; `undefined` stands for one that is not JSON. */
  take(line: unknown): void {
    if (line === undefined) {
      this.fail(null, new RpcError(codes.parse, 'Parse error'));
    } else if (Array.isArray(line) && line.length > 0) {
      void this.takeBatch(line);
    } else {
      void this.takeOne(line, this.deps.send);
    }
  }

  /** The revision 2025-03-26 lets clients send several messages at once; the answers are sent together as well. */
  private async takeBatch(batch: readonly unknown[]): Promise<void> {
    const answers: object[] = [];
    await Promise.all(batch.map((one) => this.takeOne(one, (answer) => answers.push(answer))));
    if (answers.length > 0) {
      this.deps.send(answers);
    }
  }

  /** Settles once the message has its answer, if it gets one. */
  private async takeOne(message: unknown, send: Send): Promise<void> {
    const { jsonrpc, id, method, params } = fieldsOf(message);
    const isId = typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
    if (jsonrpc !== '2.0' || typeof method !== 'string' || !(isId || id === undefined)) {
      // A message without a method is an answer, and this server sends no requests.
      if (method !== undefined || jsonrpc !== '2.0') {
        this.fail(isId ? id : null, new RpcError(codes.request, 'Invalid request'), send);
      }
      return;
    }
    if (id === undefined) {
      this.note(method, fieldsOf(params));
    } else if (isId) {
      await this.handle(id, method, fieldsOf(params), send);
    }
  }

  /** Answers a line that is too long to be read. Its id is unknown, because it may be anywhere in the line. */
  refuseLongLine(): void {
    this.fail(null, new RpcError(codes.request, 'Invalid request: the line is too long'));
  }

  /** Cancels all calls after the client disconnected. */
  end(): void {
    [...this.open.values()].forEach((controller) => controller.abort());
  }

  private note(method: string, { requestId }: Fields): void {
    if (
      method === 'notifications/cancelled' &&
      (typeof requestId === 'string' || typeof requestId === 'number')
    ) {
      this.open.get(requestId)?.abort();
    }
  }

  private async handle(id: Id, method: string, params: Fields, send: Send): Promise<void> {
    if (this.open.has(id)) {
      this.fail(id, new RpcError(codes.request, 'A request with this id is open'), send);
      return;
    }
    const controller = new AbortController();
    this.open.set(id, controller);
    try {
      const result = await this.answer(method, params, controller.signal);
      // A cancelled request gets no answer.
      if (!controller.signal.aborted) {
        send({ jsonrpc: '2.0', id, result });
      }
    } catch (error) {
      this.fail(id, error instanceof RpcError ? error : new RpcError(codes.internal, 'Internal error'), send);
    } finally {
      this.open.delete(id);
    }
  }

  private async answer(method: string, params: Fields, signal: AbortSignal): Promise<object> {
    const asked = fieldsOf(params['_meta'])[meta.version];
    if (asked === undefined) {
      return this.answerLegacy(method, params, signal);
    }
    if (asked !== modernVersion) {
      throw new RpcError(codes.version, 'Unsupported protocol version', {
        supported: [modernVersion],
        requested: typeof asked === 'string' ? asked.slice(0, 100) : '',
      });
    }
    const { name } = fieldsOf(fieldsOf(params['_meta'])[meta.client]);
    const client = typeof name === 'string' ? name : this.clientName;
    const server = { _meta: { [meta.server]: this.serverInfo() } };
    const lasting = { ttlMs: 0, cacheScope: 'private' };
    switch (method) {
      case 'server/discover':
        return {
          supportedVersions: [modernVersion],
          capabilities: { tools: {} },
          instructions: this.deps.instructions,
          resultType: 'complete',
          ...lasting,
          ...server,
        };
      case 'tools/list':
        return { tools: this.deps.tools, resultType: 'complete', ...lasting, ...server };
      case 'tools/call':
        return { ...(await this.call(params, client, signal)), resultType: 'complete', ...server };
      default:
        throw new RpcError(codes.method, 'Method not found');
    }
  }

  private async answerLegacy(method: string, params: Fields, signal: AbortSignal): Promise<object> {
    switch (method) {
      case 'initialize': {
        const { protocolVersion, clientInfo } = params;
        const { name } = fieldsOf(clientInfo);
        this.clientName = typeof name === 'string' ? name : '';
        return {
          protocolVersion: legacyVersions.find((one) => one === protocolVersion) ?? legacyVersions[0],
          capabilities: { tools: {} },
          serverInfo: this.serverInfo(),
          instructions: this.deps.instructions,
        };
      }
      case 'ping':
        return {};
      case 'tools/list':
        return { tools: this.deps.tools };
      case 'tools/call':
        return this.call(params, this.clientName, signal);
      default:
        throw new RpcError(codes.method, 'Method not found');
    }
  }

  private async call(params: Fields, client: string, signal: AbortSignal): Promise<object> {
    const { name, arguments: input = {} } = params;
    if (typeof name !== 'string' || !this.deps.tools.some((tool) => tool.name === name)) {
      throw new RpcError(codes.params, `Tool ${String(name).slice(0, 100)} not found`);
    }
    const { structured, isError } = await this.deps.call({ tool: name, input, client }, signal);
    if (isError) {
      // Clients check structured content against the schema of the tool, which an error does not match.
      const { error } = fieldsOf(structured);
      return { content: [{ type: 'text', text: String(error) }], isError };
    }
    return {
      // Clients before 2025-06-18 read only the text.
      content: [{ type: 'text', text: JSON.stringify(structured) }],
      structuredContent: structured,
    };
  }

  private serverInfo(): object {
    return { name: 'gpu-rental', title: 'GPU Rental', version: this.deps.version };
  }

  private fail(id: Id | null, { code, message, data }: RpcError, send = this.deps.send): void {
    send({ jsonrpc: '2.0', id, error: { code, message, ...(data ? { data } : {}) } });
  }
}
