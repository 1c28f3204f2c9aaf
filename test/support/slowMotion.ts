import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext } from 'playwright-core';
import { pause } from './until';

/**
 * `GPU_RENTAL_TEST_SLOW=4` makes the pages of the editor four times as slow, and every answer of the service late,
 * while the tests keep their speed: what waits for too little fails at once, and not on the one run in fifty.
 */
const factor = Number(process.env['GPU_RENTAL_TEST_SLOW'] ?? '1');

/** Slows down each page of a profile, those that it opens by itself too. */
export function slowPages(profile: BrowserContext): void {
  if (factor <= 1) {
    return;
  }
  profile.on('page', (page) => {
    profile
      .newCDPSession(page)
      .then((session) => session.send('Emulation.setCPUThrottlingRate', { rate: factor }))
      .catch((error: unknown) => {
        if (!page.isClosed()) {
          throw error;
        }
      });
  });
}

export interface SlowService {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * The service from afar, for the product alone; a test asks the service itself. Half of the way is before a request
 * takes effect and half behind it: a test may look too early at either. `undefined` at full speed.
 */
export async function slowService(url: string): Promise<SlowService | undefined> {
  if (factor <= 1) {
    return undefined;
  }
  const server = createServer((request, response) => {
    pass(url, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Rejects where the service, or whoever asks, has hung up. */
async function pass(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const halfWayMs = 75 * factor;
  const { body } = await read(request);
  await pause(halfWayMs);
  const { method, headers } = request;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = ask(url + (request.url ?? ''), { method, headers, agent: false }, resolve);
    asked.once('error', reject);
    response.once('close', () => asked.destroy());
    asked.end(body);
  });
  const { body: text, isWhole } = await read(answer);
  await pause(halfWayMs);
  response.writeHead(answer.statusCode ?? 500, answer.headers);
  if (isWhole) {
    response.end(text);
  } else {
    response.write(text, () => response.destroy());
  }
}

async function read(message: IncomingMessage): Promise<{ body: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  const join = (isWhole: boolean) => ({ body: Buffer.concat(chunks), isWhole });
  try {
    // The message has no encoding set, so each chunk is a buffer.
    for await (const chunk of message) {
      chunks.push(chunk as Buffer);
    }
    return join(true);
  } catch {
    return join(false);
  }
}
