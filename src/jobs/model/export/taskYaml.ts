import { DEFAULT_SCHEMA, dump, load, Type, YAMLException } from 'js-yaml';
import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';

/**
 * Texts that no reader of YAML 1.1 or 1.2 takes for anything but a text. All others are quoted: both engines read YAML 1.1,
 * in which `no`, `12:30`, `1_` and `=` are none.
 */
const plainText =
  /^(?:[A-Za-z_]|\.{1,2}(?=[:/]|$)|\/)[A-Za-z0-9_./@+=-]*(?::[A-Za-z0-9_./@+=-]+){0,8}$|^\d{1,9}(?:GB(?:\.\.)?|[smh])$/;
const words = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i;

const quoted = new Type('tag:quoted', {
  kind: 'scalar',
  resolve: (value) =>
    typeof value === 'string' && value !== '' && (!plainText.test(value) || words.test(value)),
});
const schema = DEFAULT_SCHEMA.extend({ implicit: [quoted] });

/** Returns a document as a person would write it: blocks for scripts, quotation marks only where they are needed. */
export function taskYaml(value: Readonly<Record<string, unknown>>): string {
  return dump(value, { schema, lineWidth: -1, noRefs: true, quotingType: '"' });
}

/** Longer files are no simple tasks (bytes). */
export const longestTask = 256 * 1024;

/** Reads a document of a stranger into plain values. Throws a sentence that names the line. */
export function readTaskYaml(source: string): unknown {
  if (source.length > longestTask) {
    throw new UserError(text('The file is longer than 256 KB, so it is no simple task.'));
  }
  try {
    return load(source);
  } catch (error) {
    if (error instanceof YAMLException) {
      throw new UserError(
        text('The file is not valid YAML in line {0}: {1}', (error.mark?.line ?? 0) + 1, error.reason),
      );
    }
    // Nested so deep that it ends in no other way.
    if (error instanceof RangeError) {
      throw new UserError(text('The file is nested too deep, so it is no simple task.'));
    }
    throw error;
  }
}
