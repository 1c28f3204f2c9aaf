import { commandSpecs, ownIds, type AnyCommandId } from './commandSpecs';
import { UserError } from './util/errors';
import { text } from './util/text';

/**
 * Checks the arguments from a link, a menu or another extension; throws an error that names the invalid field. Those of
 * internal commands come from our own code.
 */
export function readArguments(id: AnyCommandId, given: readonly unknown[]): readonly unknown[] {
  if (ownIds.has(id)) {
    return given;
  }
  const { args = [] } = commandSpecs[id];
  return args.map((schema, index) => {
    const { data, error } = schema.safeParse(given[index]);
    if (error) {
      const field = error.issues[0]?.path.join('.') ?? '';
      throw new UserError(
        text('Could not run {0}: the value of its argument {1} is not valid.', id, field || index + 1),
      );
    }
    return data;
  });
}
