import * as z from 'zod';
import { parseJson } from '../../util/json';
import { text, type Text } from '../../util/text';
import type { SecretOwner } from '../templates/templateReference';

/**
 * What may use a secret: a document, a job of a folder, the login to a registry, a variable of rentals or of one instance, or
 * everything that the user chooses it for later (`list`). A name alone gives no access to a value, because any template or file can
 * contain it.
 */
export type SecretUse =
  SecretOwner | `job:${string}` | `registry:${string}` | `rental:${string}` | `machine:${string}` | 'list';

/** A value in the secret store of this computer. */
export interface KeptSecret {
  /** Unique in its account. */
  readonly name: string;
  readonly value: string;
  readonly uses: readonly string[];
  /** Milliseconds since 1970; absent for values of earlier versions. */
  readonly changedAt?: number | undefined;
}

const kept = z.array(
  z.object({
    name: z.string(),
    value: z.string(),
    uses: z.array(z.string()),
    changedAt: z.number().optional(),
  }),
);

const job = z.tuple([z.string(), z.string(), z.string()]);
const login = z.tuple([z.string(), z.string()]);
const machine = z.tuple([z.int(), z.string()]);

/** Returns `undefined` for another text, which an error must not quote. */
function read<T>(shape: z.ZodType<T>, stored: string): T | undefined {
  try {
    return shape.parse(parseJson(stored));
  } catch {
    return undefined;
  }
}

export function readKept(stored: string): readonly KeptSecret[] | undefined {
  return read(kept, stored);
}

/** Returns the use of a secret as a variable of a job; the jobs of a matrix share it. */
export function jobUse(folder: string, name: string, variable: string): SecretUse {
  return `job:${JSON.stringify([folder, name, variable])}`;
}

/** Returns the use of a secret as the access token of a user of a registry. */
export function registryUse(registry: string, user: string): SecretUse {
  return `registry:${JSON.stringify([registry, user])}`;
}

/** Returns the name of an access token, unless the user gave it another one. */
export function registryName(registry: string): string {
  return `registry-${registry}`;
}

/** Returns the use of a secret as a variable of an instance that is rented. */
export function rentalUse(variable: string): SecretUse {
  return `rental:${variable}`;
}

/** Returns the use of a secret as a variable on one instance. */
export function machineUse(instanceId: number, variable: string): SecretUse {
  return `machine:${JSON.stringify([instanceId, variable])}`;
}

function machineUses(all: readonly KeptSecret[]) {
  return all.flatMap(({ uses, value }) =>
    uses.flatMap((use) => {
      const [instanceId, variable] = read(machine, /^machine:(.*)$/s.exec(use)?.[1] ?? '') ?? [];
      return instanceId === undefined || variable === undefined ? [] : [{ instanceId, variable, value }];
    }),
  );
}

/** Returns the variables that an instance was given, with their values. */
export function machineVariables(
  all: readonly KeptSecret[],
  instanceId: number,
): ReadonlyMap<string, string> {
  const own = machineUses(all).filter((one) => one.instanceId === instanceId);
  return new Map(own.map(({ variable, value }) => [variable, value]));
}

/** Returns the instances that were given a secret. */
export function machinesOf(all: readonly KeptSecret[]): readonly number[] {
  return [...new Set(machineUses(all).map(({ instanceId }) => instanceId))];
}

/** Returns the logins to registries that secrets were given for. */
export function registryLogins(all: readonly KeptSecret[]) {
  return all.flatMap(({ uses, value: token }) =>
    uses.flatMap((use) => {
      const [registry, user] = read(login, /^registry:(.*)$/s.exec(use)?.[1] ?? '') ?? [];
      return registry === undefined || user === undefined ? [] : [{ registry, user, token }];
    }),
  );
}

/** Returns the secret that a job gets for a variable, or that logs in to a registry. */
export function secretFor(all: readonly KeptSecret[], use: SecretUse): KeptSecret | undefined {
  return all.find(({ uses }) => uses.includes(use));
}

/** Returns a name that a reference can hold, with room for a number: names of variables may be longer, or a stranger's. */
function plainName(wanted: string): string {
  return wanted.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 90) || 'secret';
}

/** Adds a secret under the wanted name or, where that has another value, under a free one; returns its name as well. */
export function withSecret(
  all: readonly KeptSecret[],
  wanted: KeptSecret,
): { readonly all: readonly KeptSecret[]; readonly name: string } {
  const plain = plainName(wanted.name);
  const same = all.find(({ name, value }) => name === plain && value === wanted.value);
  const taken = new Set(all.map(({ name }) => name));
  let name = plain;
  for (let count = 2; !same && taken.has(name); count++) {
    name = `${plain}-${count}`;
  }
  const added = same ? all : [...all, { ...wanted, name, uses: [] }];
  return { all: wanted.uses.reduce((changed, use) => withUse(changed, name, use), added), name };
}

/** Allows a use of a secret. A variable of a job or an instance and a login have one value: the use of another secret ends. */
export function withUse(all: readonly KeptSecret[], name: string, use: string): readonly KeptSecret[] {
  const others = /^(?:job|registry|machine):/.test(use) ? withoutUse(all, use, (one) => one !== name) : all;
  return others.map((one) =>
    one.name === name && !one.uses.includes(use) ? { ...one, uses: [...one.uses, use] } : one,
  );
}

/** Ends a use; a secret that nothing else uses is gone. */
export function withoutUse(
  all: readonly KeptSecret[],
  use: string,
  of: (name: string) => boolean = () => true,
): readonly KeptSecret[] {
  return all.flatMap((one) => {
    if (!of(one.name) || !one.uses.includes(use)) {
      return [one];
    }
    const uses = one.uses.filter((other) => other !== use);
    return uses.length === 0 ? [] : [{ ...one, uses }];
  });
}

/** Returns where a secret is used, each once. */
export function usesText({ uses }: Pick<KeptSecret, 'uses'>): readonly Text[] {
  const texts = uses.flatMap((use) => useText(use) ?? []);
  return [...new Map(texts.map((one) => [JSON.stringify(one), one])).values()];
}

function useText(use: string): Text | undefined {
  const [, kind = '', rest = ''] = /^(\w+):(.*)$/s.exec(use) ?? [];
  switch (kind) {
    case 'template':
      return text('template {0}', `#${rest}`);
    case 'draft':
      return text('an unsaved template');
    case 'file':
      return text('{0}', rest.split('/').at(-1) ?? '');
    case 'job': {
      const [folder, name] = read(job, rest) ?? [];
      return name === undefined ? undefined : text('{0} in {1}', name, folder ?? '');
    }
    case 'registry': {
      const [registry] = read(login, rest) ?? [];
      return registry === undefined ? undefined : text('Rent: {0}', registry);
    }
    case 'rental':
      return text('Rent: {0}', rest);
    case 'machine': {
      const [instanceId, variable] = read(machine, rest) ?? [];
      return variable === undefined ? undefined : text('{0} in {1}', variable, `#${instanceId ?? ''}`);
    }
    default:
      return undefined;
  }
}
