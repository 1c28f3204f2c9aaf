import type { Span } from '../../model/documents/envFlags';
import type { Finding, Fix, Severity } from '../../model/documents/finding';
import type { JsonPlaces } from '../../model/documents/jsonPlaces';
import { jsonText } from '../../model/documents/jsonText';
import { unknownFields } from '../../model/documents/unknownFields';
import { findReference } from '../../model/templates/templateReference';
import { machineChoices } from '../../model/workspace/workspaceFile';
import { actingPart } from '../../util/actingNames';
import { text, type Text } from '../../util/text';
import { innerFields, jobFields, jobNameOf, jobNameShape, longestScript, mostJobs } from './jobFields';
import { countOf, matrixValueShape, mostVariants } from './jobMatrix';

/** A finding with the JSON path of its subject. */
export interface JobFinding extends Finding {
  readonly path: readonly string[];
}

type Found = Omit<JobFinding, 'span' | 'severity' | 'fixes'> & {
  readonly severity?: Severity;
  readonly fixes?: readonly Fix[];
  readonly span?: Span | undefined;
};

/** Finds problems in the jobs of a workspace file that its schema does not check. */
export function findJobProblems(places: JsonPlaces): readonly JobFinding[] {
  if (places.node(['jobs'])?.type !== 'object') {
    return [];
  }
  const names = places.keys(['jobs']).map(({ name }) => name);
  const found = [
    ...checkCount(names),
    ...names.flatMap((name) => checks.flatMap((check) => [...check(places, name)])),
  ];
  return found.map(({ span, severity = 'error', fixes = [], ...rest }) => ({
    ...rest,
    severity,
    fixes,
    span: span ?? places.nearest(rest.path),
  }));
}

function* checkCount(names: readonly string[]): Iterable<Found> {
  if (names.length > mostJobs) {
    yield { code: 'tooManyJobs', path: ['jobs'], message: text('A file has at most {0} jobs.', mostJobs) };
  }
}

function* checkName(places: JsonPlaces, name: string): Iterable<Found> {
  if (!jobNameShape.test(name)) {
    const span = places.keySpan(['jobs', name]);
    yield {
      code: 'jobName',
      path: ['jobs', name],
      span,
      fixes: span === undefined ? [] : [renameFix(places, name, span)],
      message: text(
        'The name of a job begins with a letter or digit and has up to 40 letters, digits, spaces, dots, hyphens and underscores.',
      ),
    };
  }
}

/** Offers the nearest name that a job can have and no other job has. */
function renameFix(places: JsonPlaces, name: string, span: Span): Fix {
  const others = places.keys(['jobs']).map((key) => key.name);
  const nearest = jobNameOf(name, 'job');
  let free = nearest;
  for (let count = 2; others.includes(free); count += 1) {
    free = `${nearest.slice(0, 36)}-${count}`;
  }
  return {
    title: text('Rename to “{0}”', free),
    preferred: true,
    action: { kind: 'edit', changes: [{ ...span, text: jsonText(free) }] },
  };
}

function* checkKeys(places: JsonPlaces, name: string): Iterable<Found> {
  const job = ['jobs', name];
  yield* unknownFields(places, job, Object.keys(jobFields.shape));
  for (const [field, known] of Object.entries(innerFields)) {
    yield* unknownFields(places, [...job, field], known);
  }
}

/** Offers to add a missing member. */
function addFix(places: JsonPlaces, path: readonly string[], value: unknown): readonly Fix[] {
  return [
    {
      title: text('Add "{0}"', path.at(-1) ?? ''),
      preferred: true,
      action: { kind: 'edit', changes: places.setAt(path, value) },
    },
  ];
}

function* checkRun(places: JsonPlaces, name: string): Iterable<Found> {
  for (const key of ['run', 'setup']) {
    const path = ['jobs', name, key];
    const value = places.value(path);
    const lines: readonly unknown[] = Array.isArray(value) ? value : [value];
    const script = lines.filter((line) => typeof line === 'string').join('\n');
    const fault = value === undefined ? undefined : scriptFault(script, key);
    if (fault) {
      yield { code: 'script', path, message: fault };
    } else if (value === undefined && key === 'run') {
      yield {
        code: 'runMissing',
        path: ['jobs', name],
        span: places.keySpan(['jobs', name]),
        message: text('"run" is missing.'),
        fixes: addFix(places, path, 'python -u train.py'),
      };
    }
  }
}

function scriptFault(script: string, key: string): Text | undefined {
  if (script.trim() === '') {
    return text('"{0}" is empty.', key);
  }
  if (script.includes('\0')) {
    return text('"{0}" contains a NUL character.', key);
  }
  return Buffer.byteLength(script) > longestScript ? text('"{0}" is longer than 64 KB.', key) : undefined;
}

function* checkLimits(places: JsonPlaces, name: string): Iterable<Found> {
  const path = ['jobs', name, 'limits'];
  if (places.value(path) === undefined) {
    yield {
      code: 'limitsMissing',
      path: ['jobs', name],
      span: places.keySpan(['jobs', name]),
      message: text('"limits" is missing.'),
      fixes: addFix(places, path, { hours: 6, costDollars: 5 }),
    };
    return;
  }
  const wanted = [
    {
      key: 'hours',
      value: 6,
      message: text('"hours" is missing.'),
    },
    {
      key: 'costDollars',
      value: 5,
      message: text('"costDollars" is missing.'),
    },
  ];
  for (const { key, value, message } of wanted) {
    if (places.node(path)?.type === 'object' && places.value([...path, key]) === undefined) {
      const fixes = addFix(places, [...path, key], value);
      yield { code: 'limitMissing', path, span: places.keySpan(path), message, fixes };
    }
  }
}

function* checkPaths(places: JsonPlaces, name: string): Iterable<Found> {
  for (const key of ['workdir', 'outputsTo']) {
    const path = ['jobs', name, key];
    const value = places.value(path);
    if (typeof value === 'string' && isOutside(value)) {
      yield {
        code: 'outsideWorkspace',
        path,
        message: text('"{0}" must be a folder inside the workspace, with forward slashes.', key),
      };
    }
  }
  for (const key of ['outputs', 'checkpoints']) {
    for (const [index, value] of listAt(places, ['jobs', name, key]).entries()) {
      const isAbsolute = key === 'outputs' && isAbsoluteOutput(value);
      if ((isOutside(value) && !isAbsolute) || value.trim() === '') {
        yield {
          code: 'outsideWorkdir',
          path: ['jobs', name, key, String(index)],
          message:
            key === 'outputs'
              ? text(
                  'An output is a pattern inside the folder of the job, such as outputs/**, or in another folder of the machine, such as /workspace/results/**.',
                )
              : text('A checkpoint is a pattern inside the folder of the job, such as outputs/last.ckpt.'),
        };
      } else if (value.length > longestPattern || namesOf(value) > mostNames) {
        yield {
          code: 'patternTooLarge',
          path: ['jobs', name, key, String(index)],
          message: text(
            'This pattern is too long, or its braces stand for too many names. Use several patterns.',
          ),
        };
      }
    }
  }
}

/** The same names are left out of what arrives, because the machine supplies them. */
function* checkActing(places: JsonPlaces, name: string): Iterable<Found> {
  const paths = [
    ['outputsTo'],
    ...['outputs', 'checkpoints'].flatMap((key) =>
      listAt(places, ['jobs', name, key]).map((_, index) => [key, String(index)]),
    ),
  ].map((path) => ['jobs', name, ...path]);
  for (const path of paths) {
    const value = places.value(path);
    const part = typeof value === 'string' ? actingPart(value) : undefined;
    if (part !== undefined) {
      yield {
        code: 'actingName',
        path,
        message: text(
          'Nothing is fetched to or from "{0}": Git, an editor, a shell or an assistant may act on its name.',
          part,
        ),
      };
    }
  }
}

function* checkOutputs(places: JsonPlaces, name: string): Iterable<Found> {
  if (places.value(['jobs', name, 'outputs']) === undefined) {
    yield {
      code: 'outputsMissing',
      severity: 'information',
      path: ['jobs', name],
      span: places.keySpan(['jobs', name]),
      message: text('"outputs" is missing, so outputs/** is fetched.'),
      fixes: addFix(places, ['jobs', name, 'outputs'], ['outputs/**']),
    };
  }
}

function* checkEnv(places: JsonPlaces, name: string): Iterable<Found> {
  const env = places
    .keys(['jobs', name, 'env'])
    .map((key) => ({ ...key, path: ['jobs', name, 'env', key.name] }));
  const matrix = places
    .keys(['jobs', name, 'matrix'])
    .map((key) => ({ ...key, path: ['jobs', name, 'matrix', key.name] }));
  const secrets = listAt(places, ['jobs', name, 'secrets']).map((secret, index) => {
    const path = ['jobs', name, 'secrets', String(index)];
    return { name: secret, path, span: places.nearest(path) };
  });
  for (const { name: variable, path, span } of [...env, ...secrets, ...matrix]) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable) || variable.startsWith('GPU_RENTAL_')) {
      yield {
        code: 'variableName',
        path,
        span,
        message: text('"{0}" is not a valid environment variable name for a job.', variable),
      };
    }
  }
  for (const { name: variable, path } of env) {
    const value = places.value(path);
    if (typeof value === 'string' && findReference(value) !== undefined) {
      yield {
        code: 'secretNotSent',
        path,
        message: text(
          '"{0}" refers to a secret of a template, which no job gets. Move "{0}" from "env" to "secrets".',
          variable,
        ),
      };
    }
  }
  for (const { name: secret, path, span } of secrets) {
    if ([...env, ...matrix].some((variable) => variable.name === secret)) {
      yield {
        code: 'secretInEnv',
        path,
        span,
        message: text('"{0}" has a value here as well as in "secrets".', secret),
      };
    }
  }
}

function* checkMatrix(places: JsonPlaces, name: string): Iterable<Found> {
  const path = ['jobs', name, 'matrix'];
  const keys = places.keys(path).map((key) => key.name);
  for (const key of keys) {
    for (const [index, value] of listAt(places, [...path, key]).entries()) {
      if (!matrixValueShape.test(value)) {
        yield {
          code: 'matrixValue',
          path: [...path, key, String(index)],
          message: text(
            'A value of a matrix has up to 40 letters, digits, dots, hyphens, underscores and plus signs.',
          ),
        };
      }
    }
  }
  if (countOf(Object.fromEntries(keys.map((key) => [key, listAt(places, [...path, key])]))) > mostVariants) {
    const message = text('A matrix makes at most {0} jobs.', mostVariants);
    yield { code: 'matrixSize', path, span: places.keySpan(path), message };
  }
}

function* checkIdle(places: JsonPlaces, name: string): Iterable<Found> {
  const path = ['jobs', name, 'whenDone', 'idle'];
  const limits = ['jobs', name, 'limits'];
  const wanted = places.value(path);
  const minutes = places.value([...limits, 'idleMinutes']);
  const isNamed = typeof wanted === 'string' && wanted !== 'tell';
  if (isNamed && places.node(limits)?.type === 'object' && (minutes === undefined || minutes === false)) {
    yield {
      code: 'idleMinutesMissing',
      path,
      message: text('"idleMinutes" is missing in "limits", so the job never counts as idle.'),
      fixes: addFix(places, [...limits, 'idleMinutes'], 30),
    };
  }
}

/** One with a name that the file does not have would be another than its author meant. */
function* checkMachine(places: JsonPlaces, name: string): Iterable<Found> {
  const path = ['jobs', name, 'machine'];
  const machine = places.value(path);
  const others = places.keys(['machines']).map((one) => one.name);
  if (typeof machine === 'string' && ![...machineChoices, ...others].includes(machine)) {
    yield {
      code: 'machineUnknown',
      path,
      message: text('Write "new", "running", "ask", or a name under "machines".'),
    };
  }
}

const checks = [
  checkName,
  checkMachine,
  checkKeys,
  checkRun,
  checkLimits,
  checkIdle,
  checkPaths,
  checkActing,
  checkOutputs,
  checkEnv,
  checkMatrix,
];

function listAt(places: JsonPlaces, path: readonly string[]): readonly string[] {
  const value = places.value(path);
  return Array.isArray(value) ? value.map(String) : [];
}

/** Each name of a pattern is searched for by a command of its own. */
const mostNames = 100;
/** Characters. */
const longestPattern = 1000;

/** Returns the most names that the braces of a pattern make: `{a,b}{c,d}` are four. */
function namesOf(pattern: string): number {
  let names = 1;
  for (const part of pattern.split('{').slice(1)) {
    names *= part.split(',').length;
  }
  return names;
}

/**
 * Returns whether a pattern names outputs anywhere on the machine. It must begin with a folder, and not with one whose
 * files are no data.
 */
function isAbsoluteOutput(pattern: string): boolean {
  return /^\/(?!(?:proc|sys|dev)(?:\/|$))[^/*?[{]+(?:\/|$)/.test(pattern) && !isOutside(pattern.slice(1));
}

/** Returns whether a path leaves its folder, or means something else on another system. */
function isOutside(path: string): boolean {
  return (
    path.startsWith('/') ||
    path.startsWith('~') ||
    path.includes('\\') ||
    /^[A-Za-z]:/.test(path) ||
    /\p{Cc}/u.test(path) ||
    path.split('/').includes('..')
  );
}
