import { text } from '../../util/text';
import type { Finding } from './finding';
import type { JsonPlaces } from './jsonPlaces';

/** Finds the keys of an object that have no effect, as after a typing error. */
export function* unknownFields(
  places: JsonPlaces,
  parent: readonly string[],
  known: readonly string[],
): Iterable<Finding & { readonly path: readonly string[] }> {
  for (const { name, span } of places.keys(parent)) {
    if (!known.includes(name)) {
      const path = [...parent, name];
      yield {
        code: 'unknownField',
        severity: 'warning',
        path,
        span,
        message: text('"{0}" is unknown here and has no effect.', name),
        fixes: [
          {
            title: text('Remove {0}', name),
            preferred: true,
            action: { kind: 'edit', changes: places.remove(path) },
          },
        ],
      };
    }
  }
}
