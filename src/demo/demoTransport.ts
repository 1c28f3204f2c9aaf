import { UserError } from '../util/errors';
import { text } from '../util/text';

/** What starts the demo and says where it is. */
export interface DemoStarter {
  ensure(key: string): Promise<string>;
}

/** The demo answers at another address now; the key is not sent to whoever has the old one. */
export class DemoMovedError extends UserError {
  constructor() {
    super(text('The demo marketplace has moved to another port. Run “Try the Demo Marketplace” again.'));
  }
}

/** As much of a transport as is needed to stand before one. */
interface Sender<Request, Response> {
  send(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Starts the demo marketplace again where it has ended since, before the first request and after one
 * that found nobody there. The client behind it does not know that it talks to the demo.
 */
export class DemoTransport<
  Request extends { readonly url: URL; readonly headers: Readonly<Record<string, string>> },
  Response,
> implements Sender<Request, Response> {
  private isUp = false;

  constructor(
    private readonly inner: Sender<Request, Response>,
    private readonly demo: DemoStarter,
    private readonly isNotReachable: (error: unknown) => boolean,
  ) {}

  async send(request: Request): Promise<Response> {
    if (!this.isUp) {
      await this.start(request);
    }
    try {
      return await this.inner.send(request);
    } catch (error) {
      if (!this.isNotReachable(error)) {
        throw error;
      }
      // Nobody took the connection, so the request has not left and may be sent to the new process.
      this.isUp = false;
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
      this.isUp = true;
    }
  }
}
