import { UserError } from '../util/errors';
import { text } from '../util/text';

/** Starts the demo and returns its address. */
export interface DemoStarter {
  ensure(key: string): Promise<string>;
}

/** The demo answers at another address now; the key is not sent to a program at the old one. */
export class DemoMovedError extends UserError {
  constructor() {
    super(text('The demo marketplace has moved to another port. Run "Try the Demo Marketplace" again.'));
  }
}

/** The part of a transport that a wrapper needs. */
interface Sender<Request, Response> {
  send(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** For how long an address that has proved to be the demo's gets the key without being asked again. */
const provenForMs = 1_000;

/**
 * Sends to the demo marketplace alone: who is at the address proves it shortly before, for the demo may have
 * ended and another program have taken its port. One that has ended is started again. The client behind it
 * does not know that it talks to the demo.
 */
export class DemoTransport<
  Request extends { readonly url: URL; readonly headers: Readonly<Record<string, string>> },
  Response,
> implements Sender<Request, Response> {
  private provenAt = -Infinity;

  constructor(
    private readonly inner: Sender<Request, Response>,
    private readonly demo: DemoStarter,
    private readonly isNotReachable: (error: unknown) => boolean,
    private readonly now: () => number,
  ) {}

  async send(request: Request): Promise<Response> {
    const age = this.now() - this.provenAt;
    if (age < 0 || age >= provenForMs) {
      await this.start(request);
    }
    try {
      return await this.inner.send(request);
    } catch (error) {
      if (!this.isNotReachable(error)) {
        throw error;
      }
      // The connection was refused, so the request was not sent and may be sent to the new process.
      await this.start(request);
      return this.inner.send(request);
    }
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  private async start(request: Request): Promise<void> {
    const bearer = /^Bearer (.+)$/.exec(request.headers['authorization'] ?? '')?.[1];
    if (bearer !== undefined) {
      const address = await this.demo.ensure(bearer);
      if (new URL(address).origin !== request.url.origin) {
        throw new DemoMovedError();
      }
      this.provenAt = this.now();
    }
  }
}
