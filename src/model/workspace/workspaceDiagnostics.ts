import { text } from '../../util/text';
import { parsePort } from '../documents/envFlags';
import { checkEnvironment } from '../documents/environmentDiagnostics';
import type { Finding, Fix } from '../documents/finding';
import { JsonPlaces } from '../documents/jsonPlaces';
import { checkScriptSecrets } from '../documents/scriptDiagnostics';
import { unknownFields } from '../documents/unknownFields';
import { readSource } from './dataItems';
import { setUpKeys } from './setUpField';
import { innerKeys, machineNameShape, recipeFields } from './workspaceFile';

/** A part of the workspace file beyond its recipe. */
export interface WorkspacePart {
  /** Its key in the file. */
  readonly name: string;
  readonly problems: (places: JsonPlaces) => Iterable<Finding>;
}

type Parts = readonly WorkspacePart[];

const brace = (places: JsonPlaces) => ({ offset: places.root?.offset ?? 0, length: 1 });

/** The keys of a file beside those of its recipe. */
const others = (parts: Parts) => ['machines', 'setUp', ...parts.map(({ name }) => name)];

function* checkKeys(places: JsonPlaces, parts: Parts): Iterable<Finding> {
  yield* unknownFields(places, [], [...Object.keys(recipeFields.shape), ...others(parts)]);
  yield* unknownFields(places, ['setUp'], setUpKeys);
}

/**
 * A file may have other parts alone: the instances for them exist, or the user chooses what to rent. It may also describe
 * machines with names only.
 */
function hasPartsAlone(places: JsonPlaces, parts: Parts): boolean {
  const names = new Set(places.keys().map(({ name }) => name));
  return others(parts).some((name) => names.has(name)) && !names.has('template') && !names.has('image');
}

function* checkPriceLimit(places: JsonPlaces, parts: Parts): Iterable<Finding> {
  if (places.value(['maxPricePerHour']) === undefined && !hasPartsAlone(places, parts)) {
    yield {
      code: 'priceLimitMissing',
      severity: 'error',
      span: brace(places),
      message: text('"maxPricePerHour" is missing.'),
      fixes: [
        {
          title: text('Add "{0}"', 'maxPricePerHour'),
          preferred: true,
          action: { kind: 'edit', changes: places.set('maxPricePerHour', 0.5) },
        },
      ],
    };
  }
}

function* checkSource(places: JsonPlaces, parts: Parts = []): Iterable<Finding> {
  const template = places.span(['template']);
  const image = places.span(['image']);
  if (template && image) {
    yield {
      code: 'templateAndImage',
      severity: 'error',
      span: image,
      message: text('Name either "template" or "image", not both.'),
      fixes: [
        { title: text('Remove {0}', 'image'), action: { kind: 'edit', changes: places.remove(['image']) } },
        {
          title: text('Remove {0}', 'template'),
          action: { kind: 'edit', changes: places.remove(['template']) },
        },
      ],
    };
  } else if (!template && !image && !places.node(['machines'])) {
    yield {
      code: 'nothingToRent',
      severity: hasPartsAlone(places, parts) ? 'information' : 'error',
      span: brace(places),
      message: text('Name what to rent: "template" or "image".'),
      fixes: [
        {
          title: text('Add "{0}"', 'image'),
          action: { kind: 'edit', changes: places.set('image', 'pytorch/pytorch:latest') },
        },
      ],
    };
  }
}

function* checkPorts(places: JsonPlaces): Iterable<Finding> {
  for (const item of places.node(['ports'])?.children ?? []) {
    const port: unknown = item.value;
    if (typeof port === 'string' && !parsePort(port)) {
      yield {
        code: 'portUnreadable',
        severity: 'error',
        span: { offset: item.offset, length: item.length },
        message: text(
          '"{0}" is not a port mapping. Write host:container, for example 8080:8080 or 53:53/udp.',
          port,
        ),
        fixes: [],
      };
    }
  }
}

function checkOnStart(places: JsonPlaces): Iterable<Finding> {
  return checkScript(places, ['onStart']);
}

function checkSetUp(places: JsonPlaces): Iterable<Finding> {
  return checkScript(places, ['setUp', 'script']);
}

function checkScript(places: JsonPlaces, path: readonly string[]): Iterable<Finding> {
  return checkScriptSecrets(places, path, {
    severity: 'warning',
    hasEnv: path.length === 1,
    message: text(
      'This script contains what looks like a secret, and this file is shared with everyone who has the repository. Make it an environment variable of your account.',
    ),
  });
}

/** Keys below a machine's own, and volumes that are named twice. */
function* checkInside(places: JsonPlaces): Iterable<Finding> {
  yield* unknownFields(places, ['interruptible'], innerKeys.interruptible);
  const names = new Set<unknown>();
  for (const index of (places.node(['volumes'])?.children ?? []).keys()) {
    const at = ['volumes', String(index)];
    yield* unknownFields(places, at, innerKeys.volumes);
    const name = places.value([...at, 'name']);
    const span = places.span([...at, 'name']);
    if (span && names.has(name)) {
      yield {
        code: 'volumeTwice',
        severity: 'warning',
        span,
        message: text('This volume is named twice. Only the first entry has an effect.'),
        fixes: [],
      };
    }
    names.add(name);
  }
}

/** Data that can't be fetched as it is written; `file` has the volumes of a machine that names none. */
function* checkData(places: JsonPlaces, file: JsonPlaces): Iterable<Finding> {
  const named = places.node(['volumes']) ? places : file;
  const volumes = [...(named.node(['volumes'])?.children ?? []).keys()].map((index) =>
    named.value(['volumes', String(index), 'name']),
  );
  for (const index of (places.node(['data'])?.children ?? []).keys()) {
    const at = ['data', String(index)];
    yield* unknownFields(places, at, innerKeys.data);
    const from = places.value([...at, 'from']);
    const source = typeof from === 'string' ? readSource(from) : undefined;
    const volume = places.value([...at, 'volume']);
    const isUnknown = volume !== undefined && !volumes.includes(volume);
    const problems = [
      ['from', source && !('kind' in source) ? source : undefined] as const,
      ['volume', isUnknown ? text('"volumes" has no volume with this name.') : undefined] as const,
    ];
    for (const [key, message] of problems) {
      const span = places.span([...at, key]);
      if (message && span) {
        yield { code: 'dataUnfetched', severity: 'error', span, message, fixes: [] };
      }
    }
  }
}

/** A machine with a name; what it lacks, it has from the file. */
function* checkMachines(places: JsonPlaces): Iterable<Finding> {
  for (const { name, span } of places.keys(['machines'])) {
    if (!machineNameShape.test(name)) {
      yield {
        code: 'machineName',
        severity: 'error',
        span,
        message: text(
          'The name of a machine begins with a letter or digit, has up to 40 letters, digits, spaces, dots, hyphens and underscores, and is not "new", "running", "ask" or "default".',
        ),
        fixes: [],
      };
    }
    const own = new JsonPlaces(places.source, ['machines', name]);
    const has = (key: string) => own.node([key]) !== undefined || places.node([key]) !== undefined;
    yield* unknownFields(own, [], Object.keys(recipeFields.shape));
    if (!has('maxPricePerHour')) {
      yield* checkPriceLimit(own, []);
    }
    if ((!has('template') && !has('image')) || (own.node(['template']) && own.node(['image']))) {
      yield* checkSource(own);
    }
    yield* checkInside(own);
    yield* checkData(own, places);
    yield* checkPorts(own);
    yield* checkOnStart(own);
    for (const finding of checkEnvironment(own, { secrets: 'file' })) {
      yield { ...finding, fixes: finding.fixes.map((fix) => below(['machines', name], fix)) };
    }
  }
}

/** Returns the fix with its path from the start of the file. */
function below(at: readonly string[], fix: Fix): Fix {
  const { action } = fix;
  return 'path' in action ? { ...fix, action: { ...action, path: [...at, ...action.path] } } : fix;
}

const checks = [
  checkKeys,
  checkInside,
  (places: JsonPlaces) => checkData(places, places),
  checkPriceLimit,
  checkSource,
  checkPorts,
  checkOnStart,
  checkSetUp,
  checkMachines,
];

/** Returns all findings on a workspace file with these parts, beyond the types that its schema checks. */
export function findWorkspaceProblems(source: string, parts: Parts): readonly Finding[] {
  const places = new JsonPlaces(source);
  if (places.root?.type !== 'object') {
    return [];
  }
  return [
    ...checks.flatMap((check) => [...check(places, parts)]),
    ...parts.flatMap(({ problems }) => [...problems(places)]),
    ...checkEnvironment(places, { secrets: 'file' }),
  ].sort((a, b) => a.span.offset - b.span.offset);
}
