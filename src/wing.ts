import type { Services } from './services';
import type { Disposable } from './util/disposable';

/** Hands something over that ends with the product. */
export type Own = <T extends Disposable>(item: T) => T;

/** A part of the product that the core does not know. */
export interface Wing {
  readonly name: string;
  /** The wings without which it does not start. */
  readonly needs?: readonly string[];
  /** Makes what it keeps and registers its features. Returns its services, which the wings that need it know. */
  start(services: Services, own: Own): object;
}

/** Starts wings in their order, without those that lack what they need. */
export function startWings(wings: readonly Wing[], services: Services, own: Own): void {
  const started = new Set<string>();
  let all = services;
  for (const wing of wings) {
    if ((wing.needs ?? []).every((one) => started.has(one))) {
      all = { ...all, ...wing.start(all, own) };
      started.add(wing.name);
    }
  }
}
