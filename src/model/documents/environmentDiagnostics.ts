import { text, type Text } from '../../util/text';
import { secretNameProblem, secretValueProblem } from '../accounts/keyInput';
import { looksSecret, referenceName } from '../templates/templateReference';
import { parseEnvFlags, type EnvEntry, type EnvProblemKind, type Span } from './envFlags';
import { envEntries, envFlagsToObject, objectEntry } from './envObject';
import type { Finding, Fix } from './finding';
import type { JsonPlaces } from './jsonPlaces';
import { rentalEnvProblem } from './rentalEnv';

interface EnvironmentOptions {
  /**
   * `document`: a secret may become a reference. `file`: it may not, because the file is shared, and its environment is
   * sent with a rental.
   */
  readonly secrets: 'document' | 'file';
  /** The field that makes the document public, if it is public. */
  readonly visibleToAll?: readonly string[] | undefined;
  readonly enteredHere?: ReadonlySet<string> | undefined;
}

const problemTexts: Readonly<Record<EnvProblemKind, (subject: string) => Text>> = {
  unclosedQuote: () => text('A quote is not closed.'),
  missingValue: (subject) => text('"{0}" has no value. Write -e NAME=value or -p host:container.', subject),
  badName: (subject) => text('"{0}" is not a valid variable name.', subject),
  badPort: (subject) =>
    text('"{0}" is not a port mapping. Write host:container, for example 8080:8080 or 53:53/udp.', subject),
  strayWord: (subject) =>
    text('"{0}" belongs to no flag. A value with spaces needs quotes: -e NAME="two words".', subject),
};

/**
 * Converts a span inside a JSON string to a span of the source. Returns the whole string if escapes before it make
 * the exact place uncertain.
 */
function insideString(places: JsonPlaces, path: readonly string[], value: string, inner: Span): Span {
  const whole = places.nearest(path);
  const source = places.source.slice(whole.offset + 1, whole.offset + whole.length - 1);
  return source === value ? { offset: whole.offset + 1 + inner.offset, length: inner.length } : whole;
}

interface Variable {
  readonly name: string;
  readonly value: string;
  readonly span: Span;
  readonly path: readonly string[];
}

function secretFixes(variable: Variable, options: EnvironmentOptions): Fix[] {
  const fixes: Fix[] = [];
  if (options.secrets === 'document') {
    fixes.push({
      title: text('Move to Secrets'),
      preferred: true,
      action: { kind: 'moveToSecrets', slot: `env.${variable.name}`, path: variable.path },
    });
  }
  if (fitsAccount(variable)) {
    fixes.push({
      title: text('Make It an Account Secret'),
      preferred: options.secrets === 'file',
      action: { kind: 'makeAccountSecret', name: variable.name, path: variable.path },
    });
  }
  return fixes;
}

/**
 * Returns whether the account can hold the variable under its own name: the service writes names in upper case and
 * refuses some characters (docs/service/environment-variables.md#names-and-values).
 */
function fitsAccount({ name, value }: Variable): boolean {
  return (
    name === name.toUpperCase() &&
    secretNameProblem(name) === undefined &&
    secretValueProblem(value) === undefined
  );
}

function* checkSecret(
  places: JsonPlaces,
  variable: Variable,
  options: EnvironmentOptions,
  canRewrite: boolean,
): Iterable<Finding> {
  const reference = referenceName(variable.value);
  if (reference !== undefined && options.enteredHere && !options.enteredHere.has(reference)) {
    yield {
      code: 'secretNotHere',
      severity: 'information',
      span: variable.span,
      message: text('The value of this secret is not on this computer.'),
      fixes: [{ title: text('Enter the Value…'), action: { kind: 'enterSecret', reference } }],
    };
  }
  const secret = reference !== undefined || looksSecret(variable.name, variable.value);
  if (!secret) {
    return;
  }
  const rewrite = canRewrite ? secretFixes(variable, options) : [];
  if (options.visibleToAll) {
    yield {
      code: 'secretInPublic',
      severity: 'error',
      span: variable.span,
      message: text('"{0}" looks like a secret, and this template is visible to everyone.', variable.name),
      fixes: [
        {
          title: text('Make the template private'),
          action: { kind: 'edit', changes: places.set(options.visibleToAll[0] ?? 'private', true) },
        },
        ...(reference === undefined ? rewrite : []),
      ],
    };
  } else if (reference === undefined) {
    yield {
      code: 'secretInClear',
      severity: 'warning',
      span: variable.span,
      message:
        options.secrets === 'file'
          ? text(
              '"{0}" looks like a secret. This file is shared with everyone who has the repository.',
              variable.name,
            )
          : text(
              '"{0}" looks like a secret in plain text. Move it to the secret store or to the account.',
              variable.name,
            ),
      fixes: rewrite,
    };
  }
}

function* checkSent(
  [name, value]: readonly [string, string],
  span: Span,
  options: EnvironmentOptions,
): Iterable<Finding> {
  const problem = options.secrets === 'file' ? rentalEnvProblem(name, value) : undefined;
  if (problem) {
    yield { code: 'envNotSent', severity: 'error', span, message: problem, fixes: [] };
  }
}

function variableOf(entry: EnvEntry): { name: string; value: string } | undefined {
  return entry.kind === 'variable' ? entry : undefined;
}

function* checkText(places: JsonPlaces, env: string, options: EnvironmentOptions): Iterable<Finding> {
  const { entries, problems } = parseEnvFlags(env);
  for (const problem of problems) {
    yield {
      code: problem.kind === 'badPort' ? 'portUnreadable' : 'envUnreadable',
      severity: 'error',
      span: insideString(places, ['env'], env, problem.span),
      message: problemTexts[problem.kind](problem.subject),
      fixes: [],
    };
  }
  const seen = new Set<string>();
  const canRewrite = envFlagsToObject(env) !== undefined;
  for (const { entry, span } of entries) {
    const where = insideString(places, ['env'], env, span);
    yield* checkSent(objectEntry(entry), where, options);
    const variable = variableOf(entry);
    if (!variable) {
      continue;
    }
    if (seen.has(variable.name)) {
      yield {
        code: 'envTwice',
        severity: 'warning',
        span: where,
        message: text('"{0}" is set twice. The last value wins.', variable.name),
        fixes: [],
      };
    }
    seen.add(variable.name);
    yield* checkSecret(
      places,
      { ...variable, span: where, path: ['env', variable.name] },
      options,
      canRewrite,
    );
  }
}

function* checkObject(
  places: JsonPlaces,
  env: Readonly<Record<string, unknown>>,
  options: EnvironmentOptions,
): Iterable<Finding> {
  for (const [name, value] of Object.entries(env)) {
    const path = ['env', name];
    if (typeof value !== 'string') {
      if (typeof value === 'number' || typeof value === 'boolean') {
        yield {
          code: 'envNotText',
          severity: 'error',
          span: places.nearest(path),
          message: text('"{0}" has a wrong value.', name),
          fixes: [
            {
              title: text('Put it in quotes'),
              preferred: true,
              action: { kind: 'edit', changes: places.replace(path, String(value)) },
            },
          ],
        };
      }
      continue;
    }
    const { problems } = envEntries({ [name]: value });
    if (problems.length === 0) {
      yield* checkSent([name, value], places.keySpan(path) ?? places.nearest(path), options);
    }
    for (const problem of problems) {
      yield {
        code: problem.kind === 'badPort' ? 'portUnreadable' : 'envUnreadable',
        severity: 'error',
        span: places.keySpan(path) ?? places.nearest(path),
        message: problemTexts[problem.kind](name.replace(/^-p\s*/, '')),
        fixes: [],
      };
    }
    yield* checkSecret(places, { name, value, span: places.nearest(path), path }, options, true);
  }
}

/** Yields the findings on `env`, for template documents and workspace files. */
export function* checkEnvironment(places: JsonPlaces, options: EnvironmentOptions): Iterable<Finding> {
  const env = places.value(['env']);
  if (typeof env === 'string') {
    yield* checkText(places, env, options);
  } else if (typeof env === 'object' && env !== null && !Array.isArray(env)) {
    yield* checkObject(places, Object.fromEntries(Object.entries(env)), options);
  }
}
