import type * as z from 'zod';
import type { Disposable } from '../util/disposable';

/** The part of the window hub that a channel needs. */
export interface Talk {
  on(topic: string, listener: (data: unknown) => void): Disposable;
  broadcast(topic: string, data: unknown): void;
}

/** The error for a message that does not match the shape of its channel. */
export class MisfitError extends Error {}

/** One type of message between windows. */
export interface Channel<T> {
  /** Sends a message to every other window. */
  send(hub: Pick<Talk, 'broadcast'>, message: T): void;
  /**
   * Listens to every other window. A message that does not match the shape throws a `MisfitError`, which the hub logs.
   */
  on(hub: Pick<Talk, 'on'>, listener: (message: T) => void): Disposable;
}

/** Makes a channel. `shape` checks each message, because a window of another version may have sent it. */
export function channel<T>(topic: string, shape: z.ZodType<T>): Channel<T> {
  return {
    send: (hub, message) => {
      hub.broadcast(topic, message);
    },
    on: (hub, listener) =>
      hub.on(topic, (data) => {
        const parsed = shape.safeParse(data);
        if (!parsed.success) {
          const places = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
          throw new MisfitError(`A message on ${topic} was not understood: ${places.join(', ')}`);
        }
        listener(parsed.data);
      }),
  };
}
