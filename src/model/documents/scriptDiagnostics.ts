import { text, type Text } from '../../util/text';
import { addVariable } from '../templates/templateFixes';
import type { Span } from './envFlags';
import type { Finding, Fix } from './finding';
import type { JsonPlaces } from './jsonPlaces';
import { jsonText } from './jsonText';
import { scriptSecrets, type ScriptSecret } from './scriptSecrets';

interface ScriptOptions {
  /** States what to do with the secret. */
  readonly message: Text;
  readonly severity: 'error' | 'warning';
  /** Whether the document has an environment that the script gets. */
  readonly hasEnv: boolean;
  readonly fixes?: readonly Fix[];
}

/** Yields a finding for each value in the script at `path` that looks like a secret. */
export function* checkScriptSecrets(
  places: JsonPlaces,
  path: readonly string[],
  { message, severity, hasEnv, fixes = [] }: ScriptOptions,
): Iterable<Finding> {
  const script = places.value(path);
  for (const secret of typeof script === 'string' ? scriptSecrets(script) : []) {
    yield {
      code: 'secretInScript',
      severity,
      span: placeOf(places, path, secret.value),
      message,
      fixes: [...fixes, ...(hasEnv ? toEnvironment(places, path, String(script), secret) : [])],
    };
  }
}

/** Returns the place of a part of a string, or of the whole string. */
function placeOf(places: JsonPlaces, path: readonly string[], part: string): Span {
  const whole = places.nearest(path);
  const written = jsonText(part).slice(1, -1);
  const at = places.source.slice(whole.offset, whole.offset + whole.length).indexOf(written);
  return at < 0 ? whole : { offset: whole.offset + at, length: written.length };
}

/** Offers to move the value to the environment, from which the line of the script then reads it. */
function toEnvironment(
  places: JsonPlaces,
  path: readonly string[],
  script: string,
  { value, assigned }: ScriptSecret,
): Fix[] {
  const added = assigned && addVariable(places, assigned.name, value);
  if (!added) {
    return [];
  }
  const { offset, length } = assigned.word;
  const after = `${script.slice(0, offset)}"$${assigned.name}"${script.slice(offset + length)}`;
  return [
    {
      title: text('Move It to "env"'),
      preferred: true,
      action: { kind: 'edit', changes: [...places.replace(path, after), ...added] },
    },
  ];
}
