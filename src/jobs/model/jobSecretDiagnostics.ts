import type { Finding, Fix } from '../../model/documents/finding';
import type { JsonPlaces } from '../../model/documents/jsonPlaces';
import { checkScriptSecrets } from '../../model/documents/scriptDiagnostics';
import { looksSecret } from '../../model/templates/templateReference';
import { text } from '../../util/text';

/** Finds values in the jobs of a workspace file that look like secrets. The file is shared, and jobs run with them. */
export function findJobSecrets(places: JsonPlaces): readonly Finding[] {
  return places
    .keys(['jobs'])
    .flatMap(({ name }) => [...checkEnv(places, ['jobs', name]), ...checkScripts(places, ['jobs', name])]);
}

function* checkEnv(places: JsonPlaces, job: readonly string[]): Iterable<Finding> {
  for (const { name } of places.keys([...job, 'env'])) {
    const path = [...job, 'env', name];
    const value = places.value(path);
    if (typeof value === 'string' && looksSecret(name, value)) {
      yield {
        code: 'secretInClear',
        severity: 'warning',
        span: places.nearest(path),
        message: text(
          '"{0}" looks like a secret. This file is shared with everyone who has the repository.',
          name,
        ),
        fixes: moveToSecrets(places, job, name),
      };
    }
  }
}

/** Offers to have the value asked for when the job is run. */
function moveToSecrets(places: JsonPlaces, job: readonly string[], name: string): Fix[] {
  const path = [...job, 'secrets'];
  const before = places.value(path) ?? [];
  return Array.isArray(before)
    ? [
        {
          title: text('Move It to "secrets" and Enter It with the Next Run'),
          preferred: true,
          action: {
            kind: 'edit',
            changes: [
              ...places.remove([...job, 'env', name]),
              ...places.setAt(path, [...before.map(String), name]),
            ],
          },
        },
      ]
    : [];
}

function* checkScripts(places: JsonPlaces, job: readonly string[]): Iterable<Finding> {
  for (const key of ['run', 'setup']) {
    const path = [...job, key];
    const lines = places.node(path)?.type === 'array' ? (places.node(path)?.children ?? []) : undefined;
    for (const at of lines?.map((_, index) => [...path, String(index)]) ?? [path]) {
      yield* checkScriptSecrets(places, at, {
        severity: 'warning',
        hasEnv: false,
        message: text(
          'This script contains what looks like a secret, and this file is shared with everyone who has the repository. Add a name for it to "secrets", and use the variable here.',
        ),
      });
    }
  }
}
