import type { Socket } from 'node:net';
import * as z from 'zod';
import { JsonLines } from '../../util/jsonLines';

/** Identifies a call of an agent within its connection. */
const callId = z.string().min(1).max(64);

/** The messages between windows, as lines of JSON. */
const message = z.discriminatedUnion('t', [
  /** The leader asks who connects. */
  z.object({ t: z.literal('challenge'), nonce: z.string() }),
  /** The other window proves that it can read the token, and demands the same of the leader. */
  z.object({
    t: z.literal('auth'),
    proof: z.string(),
    nonce: z.string(),
    windowId: z.string().min(1).max(64),
  }),
  /** The same proof by an agent, which is not a window. */
  z.object({ t: z.literal('agent'), proof: z.string(), nonce: z.string() }),
  z.object({ t: z.literal('welcome'), proof: z.string() }),
  /** The leader is still responsive. */
  z.object({ t: z.literal('beat') }),
  z.object({ t: z.literal('say'), topic: z.string(), data: z.optional(z.unknown()) }),
  /** An agent makes a call, or cancels one. */
  z.object({ t: z.literal('ask'), id: callId, what: z.unknown() }),
  z.object({ t: z.literal('drop'), id: callId }),
  z.object({ t: z.literal('answer'), id: callId, what: z.unknown() }),
]);
export type HubMessage = z.infer<typeof message>;

/** A thousand instances are about 2 MB. */
export const maxMemberBytes = 64 * 1024 * 1024;
/** An unauthenticated peer gets little memory. */
const maxBytesBeforeAuth = 2048;

/** A connection as a sequence of messages; any other content closes it. */
export class HubLine {
  private maxBytes = maxBytesBeforeAuth;

  constructor(
    private readonly socket: Socket,
    onMessage: (message: HubMessage) => void,
  ) {
    const lines = new JsonLines({
      line: (value) => {
        const parsed = message.safeParse(value);
        if (!parsed.success || this.socket.destroyed) {
          this.socket.destroy();
          return;
        }
        onMessage(parsed.data);
      },
      tooLong: () => this.socket.destroy(),
      maxBytes: () => this.maxBytes,
    });
    socket.on('data', (chunk: Buffer) => lines.receive(chunk));
  }

  /** Allows lines of this length from now on, because the peer has authenticated. */
  trust(maxBytes: number): void {
    this.maxBytes = maxBytes;
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
