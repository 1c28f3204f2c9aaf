import { text } from '../../util/text';
import { parsePort } from '../documents/envFlags';
import { checkEnvironment } from '../documents/environmentDiagnostics';
import type { Finding } from '../documents/finding';
import { JsonPlaces } from '../documents/jsonPlaces';
import { checkScriptSecrets } from '../documents/scriptDiagnostics';
import { unknownFields } from '../documents/unknownFields';
import { recipeFields } from './workspaceFile';

/** A part of the workspace file beyond its recipe. */
export interface WorkspacePart {
  /** Its key in the file. */
  readonly name: string;
  readonly problems: (places: JsonPlaces) => Iterable<Finding>;
}

type Parts = readonly WorkspacePart[];

const brace = (places: JsonPlaces) => ({ offset: places.root?.offset ?? 0, length: 1 });

function checkKeys(places: JsonPlaces, parts: Parts): Iterable<Finding> {
  return unknownFields(places, [], [...Object.keys(recipeFields.shape), ...parts.map(({ name }) => name)]);
}

/** A file may have other parts alone: the instances for them exist, or the user chooses what to rent. */
function hasPartsAlone(places: JsonPlaces, parts: Parts): boolean {
  const names = new Set(places.keys().map(({ name }) => name));
  return parts.some(({ name }) => names.has(name)) && !names.has('template') && !names.has('image');
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

function* checkSource(places: JsonPlaces, parts: Parts): Iterable<Finding> {
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
  } else if (!template && !image) {
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
  return checkScriptSecrets(places, ['onStart'], {
    severity: 'warning',
    hasEnv: true,
    message: text(
      'This script contains what looks like a secret, and this file is shared with everyone who has the repository. Make it an environment variable of your account.',
    ),
  });
}

const checks = [checkKeys, checkPriceLimit, checkSource, checkPorts, checkOnStart];

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
