import type { Readable, Writable } from 'node:stream';
import {
  INVALID_REQUEST,
  isInitializeRequest,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { JsonLines } from '../../util/jsonLines';
import { fieldsOf } from './fields';

/** Limit of a message in bytes; arguments of tools are much smaller. */
const maxBytes = 1024 * 1024;

/**
 * Messages as lines of JSON. The package's own transport ends at a line that is too long, which would lose the answers
 * of all calls that are under way, and it ignores a line that is no message.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** The name of the client in the handshake of older revisions; newer ones send it in each request. */
  clientName = '';

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
  ) {}

  start(): Promise<void> {
    const lines = new JsonLines({
      line: (value) => this.receive(value),
      // Its id is unknown, because it may be anywhere in the line.
      tooLong: () => this.refuse(undefined, INVALID_REQUEST, 'Invalid request: the line is too long'),
      maxBytes: () => maxBytes,
    });
    this.input.on('data', (chunk: Buffer) => lines.receive(chunk));
    this.input.on('end', () => this.onclose?.());
    return Promise.resolve();
  }

  send(message: object): Promise<void> {
    this.output.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private receive(value: unknown): void {
    if (value === undefined) {
      this.refuse(undefined, PARSE_ERROR, 'Parse error');
    } else if (Array.isArray(value) && value.length > 0) {
      // The revision 2025-03-26 lets clients send several messages at once.
      value.forEach((one) => this.receiveOne(one));
    } else {
      this.receiveOne(value);
    }
  }

  private receiveOne(value: unknown): void {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(withoutNullParams(value));
    } catch {
      this.refuse(fieldsOf(value)['id'], INVALID_REQUEST, 'Invalid request');
      return;
    }
    if (isInitializeRequest(message)) {
      this.clientName = message.params.clientInfo.name;
    }
    this.onmessage?.(message);
  }

  private refuse(id: unknown, code: number, message: string): void {
    const isId = typeof id === 'string' || typeof id === 'number';
    void this.send({ jsonrpc: '2.0', id: isId ? id : null, error: { code, message } });
  }
}

/**
 * Some clients send null for what they leave out, which the protocol does not allow (chaitin/MonkeyCode#1268,
 * sipeed/picoclaw#2600). Deeper nulls are values of a tool.
 */
function withoutNullParams(value: unknown): unknown {
  const { params, ...message } = fieldsOf(value);
  if (params === null) {
    return message;
  }
  if (typeof params !== 'object' || Array.isArray(params)) {
    return value;
  }
  const sent = Object.entries(params).filter(([, one]) => one !== null);
  return { ...message, params: Object.fromEntries(sent) };
}
