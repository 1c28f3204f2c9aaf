import type * as z from 'zod';
import type { Disposable } from '../util/disposable';

/** The talk between windows, as far as a channel needs it. */
export interface Talk {
  on(topic: string, listener: (data: unknown) => void): Disposable;
  broadcast(topic: string, data: unknown): void;
}

/** A message that does not have the shape of its channel. */
export class MisfitError extends Error {}

/** One kind of message between the windows. */
export interface Channel<T> {
  /** Tells every other window. */
  send(hub: Pick<Talk, 'broadcast'>, message: T): void;
  /** Hears every other window. What does not fit the shape is a `MisfitError` for the hub, which logs it. */
  on(hub: Pick<Talk, 'on'>, listener: (message: T) => void): Disposable;
}

/** `shape` checks the whole message: a window of another version may have sent it. */
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
