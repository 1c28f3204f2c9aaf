import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import * as z from 'zod';

/** Lines of JSON between windows. */
const message = z.discriminatedUnion('t', [
  /** The leader asks who is there. */
  z.object({ t: z.literal('challenge'), nonce: z.string() }),
  /** The other window proves that it can read the token, and asks the same of the leader. */
  z.object({
    t: z.literal('auth'),
    proof: z.string(),
    nonce: z.string(),
    windowId: z.string().min(1).max(64),
  }),
  z.object({ t: z.literal('welcome'), proof: z.string() }),
  /** The leader still answers. */
  z.object({ t: z.literal('beat') }),
  z.object({ t: z.literal('say'), topic: z.string(), data: z.optional(z.unknown()) }),
]);
export type HubMessage = z.infer<typeof message>;

/** A thousand instances are about 2 MB. */
const maxLineBytes = 64 * 1024 * 1024;
/** A stranger gets no memory from us before it has proved itself. */
const maxLineBytesBeforeAuth = 2048;

export function makeNonce(): string {
  return randomBytes(16).toString('hex');
}

export function prove(token: string, role: 'leader' | 'member', nonce: string): string {
  return createHmac('sha256', token).update(`${role}\n${nonce}`).digest('hex');
}

export function isProof(token: string, role: 'leader' | 'member', nonce: string, given: string): boolean {
  const expected = Buffer.from(prove(token, role, nonce));
  const actual = Buffer.from(given);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** One connection as a sequence of messages; anything that is not ours ends it. */
export class HubLine {
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  isTrusted = false;

  constructor(
    private readonly socket: Socket,
    onMessage: (message: HubMessage) => void,
  ) {
    socket.on('data', (chunk: Buffer) => {
      let rest = chunk;
      for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
        const line = Buffer.concat([...this.pending, rest.subarray(0, end)]).toString('utf8');
        this.pending = [];
        this.pendingBytes = 0;
        rest = rest.subarray(end + 1);
        const parsed = message.safeParse(parseLine(line));
        if (!parsed.success || this.socket.destroyed) {
          this.socket.destroy();
          return;
        }
        onMessage(parsed.data);
      }
      this.pending.push(rest);
      this.pendingBytes += rest.length;
      if (this.pendingBytes > (this.isTrusted ? maxLineBytes : maxLineBytesBeforeAuth)) {
        this.socket.destroy();
      }
    });
  }

  send(value: HubMessage): void {
    if (!this.socket.destroyed) {
      this.socket.write(`${JSON.stringify(value)}\n`);
    }
  }

  end(): void {
    this.socket.destroy();
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
