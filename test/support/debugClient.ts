import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from './until';

interface Message {
  readonly type: 'event' | 'response';
  readonly event?: string;
  readonly command?: string;
  readonly success?: boolean;
  readonly message?: string;
  readonly body?: unknown;
}

/** An editor that debugs: it speaks the Debug Adapter Protocol over a port of this computer. */
export class DebugClient {
  private readonly received: Message[] = [];
  private bytes = Buffer.alloc(0);
  private asked = 0;

  private constructor(private readonly socket: Socket) {
    // The end of the program cuts the connection.
    socket.on('error', () => undefined);
    socket.on('data', (piece: Buffer) => {
      this.bytes = Buffer.concat([this.bytes, piece]);
      this.parse();
    });
  }

  static async connect(port: number): Promise<DebugClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new DebugClient(socket);
  }

  /** Attaches with a configuration, sets a breakpoint in a file, and lets the program begin. */
  async attach(configuration: object, file: string, line: number): Promise<void> {
    this.send('initialize', {
      adapterID: 'debugpy',
      linesStartAt1: true,
      columnsStartAt1: true,
      pathFormat: 'path',
    });
    this.send('attach', configuration);
    await this.event('initialized');
    this.send('setBreakpoints', { source: { path: file }, breakpoints: [{ line }] });
    this.send('configurationDone', {});
  }

  /** Where it has stopped: the file as the editor knows it, and the line. */
  async stoppedAt() {
    const { threadId } = (await this.event('stopped')) as { readonly threadId: number };
    this.send('stackTrace', { threadId });
    const { stackFrames } = (await this.response('stackTrace')) as {
      readonly stackFrames: readonly [
        { readonly id: number; readonly line: number; readonly source: { readonly path: string } },
      ];
    };
    const [{ id, line, source }] = stackFrames;
    return { path: source.path, line, threadId, frameId: id };
  }

  send(command: string, args: object): void {
    const request = { seq: (this.asked += 1), type: 'request', command, arguments: args };
    const content = Buffer.from(JSON.stringify(request));
    this.socket.write(`Content-Length: ${content.length}\r\n\r\n`);
    this.socket.write(content);
  }

  async event(name: string): Promise<unknown> {
    return this.message(`the event ${name}`, (one) => one.event === name);
  }

  async response(command: string): Promise<unknown> {
    return this.message(`the answer to ${command}`, (one) => one.command === command);
  }

  close(): void {
    this.socket.destroy();
  }

  private async message(what: string, fits: (one: Message) => boolean): Promise<unknown> {
    let found: Message | undefined;
    await until(what, () => (found = this.received.find(fits)) !== undefined);
    if (found?.success === false) {
      throw new Error(`${what}: ${found.message ?? ''}`);
    }
    return found?.body;
  }

  private parse(): void {
    for (;;) {
      const end = this.bytes.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(this.bytes.subarray(0, end).toString())?.[1]);
      if (end < 0 || this.bytes.length < end + 4 + length) {
        return;
      }
      const content = this.bytes.subarray(end + 4, end + 4 + length).toString();
      this.received.push(JSON.parse(content) as Message);
      this.bytes = this.bytes.subarray(end + 4 + length);
    }
  }
}
