import * as z from 'zod';
import { readImageLogin } from '../../api/imageLogin';
import {
  jobUse,
  registryName,
  registryUse,
  withSecret,
  type KeptSecret,
} from '../../model/accounts/keptSecret';
import { parseJson } from '../../util/json';

/**
 * Earlier versions had an entry for all secrets of an account's jobs, one for each secret of its templates, and one for
 * the login to a registry that was used last.
 */
const ofJobs = (accountKey: string) => `gpuRental.jobSecrets.${accountKey}`;
const ofTemplates = (accountKey: string) => `gpuRental.templateSecret.${accountKey}.`;
const ofRegistry = (accountKey: string) => `gpuRental.registryLogin.${accountKey}`;

const jobs = z.array(
  z.object({
    name: z.string(),
    value: z.string(),
    uses: z.array(z.object({ folder: z.string(), job: z.string() })),
  }),
);

export function isEarlierKey(accountKey: string, key: string): boolean {
  return (
    [ofJobs(accountKey), ofRegistry(accountKey)].includes(key) || key.startsWith(ofTemplates(accountKey))
  );
}

/** Returns the keys of the entries that were understood, and what adds their secrets to others. */
export function earlierSecrets(
  accountKey: string,
  entries: ReadonlyMap<string, string>,
  usesOf: (name: string) => readonly string[],
) {
  const templates: KeptSecret[] = [];
  const others: KeptSecret[] = [];
  const read: string[] = [];
  for (const [key, stored] of entries) {
    if (key.startsWith(ofTemplates(accountKey))) {
      const name = key.slice(ofTemplates(accountKey).length);
      templates.push({ name, value: stored, uses: usesOf(name) });
      read.push(key);
      continue;
    }
    const found = key === ofJobs(accountKey) ? readJobs(stored) : readLogin(stored);
    others.push(...(found ?? []));
    read.push(...(found ? [key] : []));
  }
  const addTo = (before: readonly KeptSecret[]): readonly KeptSecret[] => {
    // The references in templates name them, so these keep their names, and those that were moved before stay.
    const names = new Set(before.map(({ name }) => name));
    let all = [...before, ...templates.filter(({ name }) => !names.has(name))];
    const held = new Set(before.flatMap(({ uses }) => uses));
    for (const secret of others) {
      const uses = secret.uses.filter((use) => !held.has(use));
      all = uses.length === 0 ? all : [...withSecret(all, { ...secret, uses }).all];
    }
    return all;
  };
  return { keys: read, addTo };
}

function readJobs(stored: string): readonly KeptSecret[] | undefined {
  try {
    return jobs.parse(parseJson(stored)).map(({ name, value, uses }) => ({
      name,
      value,
      uses: uses.map(({ folder, job }) => jobUse(folder, job, name)),
    }));
  } catch {
    // The entry must not be quoted in an error.
    return undefined;
  }
}

function readLogin(stored: string): readonly KeptSecret[] | undefined {
  const login = readImageLogin(stored);
  return (
    login && [
      {
        name: registryName(login.registry),
        value: login.token,
        uses: [registryUse(login.registry, login.user)],
      },
    ]
  );
}
