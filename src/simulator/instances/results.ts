import { randomBytes } from 'node:crypto';
import { route, type Route } from '../route';
import type { World } from '../world';

/**
 * Texts that clients fetch from an address of their own a little later
 * (docs/service/commands.md#result-file).
 */
export class Results {
  private readonly stored = new Map<string, { text: string; readyAt: number }>();

  constructor(private readonly world: World) {}

  /** The address at which the text will be a few seconds from now, at true speed. */
  publish(text: string): string {
    const now = this.world.clock.now();
    for (const [token, { readyAt }] of this.stored) {
      if (readyAt < now - keptMs) {
        this.stored.delete(token);
      }
    }
    const token = randomBytes(24).toString('hex');
    this.stored.set(token, { text, readyAt: now + this.world.clock.shortened(lateMs) });
    return `${this.world.baseUrl}/results/${token}.log`;
  }

  /** Read without a key: the address is enough. */
  route(): Route {
    return route('GET /results/{file}/', { anonymous: true }, (request) => {
      const found = this.stored.get((request.params['file'] ?? '').replace(/\.log$/, ''));
      if (!found || found.readyAt > this.world.clock.now()) {
        // The answer of the service's object store while nothing is written.
        const text = '<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>';
        return { status: 404, body: undefined, raw: { type: 'application/xml', text } };
      }
      return { status: 200, body: undefined, raw: { type: 'text/plain; charset=utf-8', text: found.text } };
    });
  }
}

const keptMs = 3_600_000;
const lateMs = 2_500;
