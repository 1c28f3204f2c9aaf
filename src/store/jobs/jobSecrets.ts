import * as z from 'zod';
import { parseJson } from '../../util/json';
import type { SecretPort } from '../ports';

const values = z.record(z.string(), z.string());

/** Returns the name of the entry in the secret store. */
export function jobSecretsKey(accountKey: string): string {
  return `gpuRental.jobSecrets.${accountKey}`;
}

/** Values of the variables that an account's jobs declare as secrets; stored in the secret store only. */
export class JobSecrets {
  private readonly key: string;

  constructor(
    private readonly secrets: Pick<SecretPort, 'get' | 'store'>,
    accountKey: string,
  ) {
    this.key = jobSecretsKey(accountKey);
  }

  /** Returns the values that exist for these names. Throws when the secret store refuses. */
  async read(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const all = await this.all();
    return Object.fromEntries(
      names.flatMap((name) => (Object.hasOwn(all, name) ? [[name, all[name] ?? '']] : [])),
    );
  }

  /** Returns the names that have a value. Throws when the secret store refuses. */
  async names(): Promise<readonly string[]> {
    return Object.keys(await this.all()).sort();
  }

  async remove(name: string): Promise<void> {
    const others = Object.entries(await this.all()).filter(([one]) => one !== name);
    await this.secrets.store(this.key, JSON.stringify(Object.fromEntries(others)));
  }

  async keep(added: Readonly<Record<string, string>>): Promise<void> {
    await this.secrets.store(this.key, JSON.stringify({ ...(await this.all()), ...added }));
  }

  private async all(): Promise<Readonly<Record<string, string>>> {
    const stored = await this.secrets.get(this.key);
    try {
      return values.parse(parseJson(stored ?? '{}'));
    } catch {
      // The entry must not be quoted in an error, so the values are asked for again.
      return {};
    }
  }
}
