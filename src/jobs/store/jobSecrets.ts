import * as z from 'zod';
import type { SecretPort } from '../../store/accounts/patientSecrets';
import { parseJson } from '../../util/json';
import { realPlace } from '../../util/realPlace';
import { jobSecretsKey } from '../manifest';
import type { Job } from '../model/job';
import type { JobSpec } from '../model/jobSpec';

/** A job of a folder that gets a secret. */
export interface SecretUse {
  /** The real path of the folder. */
  readonly folder: string;
  /** The name of the job in the file, which the jobs of a matrix share. */
  readonly job: string;
}

/** A value with everything that it was entered or allowed for. */
export interface KeptSecret {
  readonly name: string;
  readonly value: string;
  readonly uses: readonly SecretUse[];
}

const kept = z.array(
  z.object({
    name: z.string(),
    value: z.string(),
    uses: z.array(z.object({ folder: z.string(), job: z.string() })),
  }),
);

/** Returns what a job gets its secrets for. Links on the way to its folder can't make it another one. */
export async function secretUseOf({
  workspace,
  spec: { name, nameInFile = name },
}: Pick<Job, 'workspace'> & { readonly spec: Pick<JobSpec, 'name' | 'nameInFile'> }): Promise<SecretUse> {
  return { folder: await realPlace({ path: workspace, root: { opened: workspace } }), job: nameInFile };
}

/**
 * Values of the variables that an account's jobs declare as secrets; stored in the secret store only. A value belongs to
 * the folder and the job for which it was entered: the file of another folder can name the same variable.
 */
export class JobSecrets {
  private readonly key: string;

  constructor(
    private readonly secrets: Pick<SecretPort, 'get' | 'store'>,
    accountKey: string,
  ) {
    this.key = jobSecretsKey(accountKey);
  }

  /** Returns the values that this job has for these names. Throws when the secret store refuses. */
  async read(use: SecretUse, names: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const own = (await this.all()).filter(({ uses }) => uses.some((one) => isSame(one, use)));
    return Object.fromEntries(
      names.flatMap((name) => own.filter((one) => one.name === name).map(({ value }) => [name, value])),
    );
  }

  /** Returns all values, by name. Throws when the secret store refuses. */
  async all(): Promise<readonly KeptSecret[]> {
    const stored = await this.secrets.get(this.key);
    try {
      return kept.parse(parseJson(stored ?? '[]'));
    } catch {
      // The entry must not be quoted in an error, so the values are asked for again.
      return [];
    }
  }

  /** Gives a job this value for a name, in place of the one that it had. */
  async keep(use: SecretUse, name: string, value: string): Promise<void> {
    const others = (await this.all()).flatMap((one) => {
      const uses = one.name === name ? one.uses.filter((other) => !isSame(other, use)) : one.uses;
      return uses.length === 0 ? [] : [{ ...one, uses }];
    });
    const same = others.find((one) => one.name === name && one.value === value);
    await this.store([
      ...others.filter((one) => one !== same),
      { name, value, uses: [...(same?.uses ?? []), use] },
    ]);
  }

  /** Replaces a value for all jobs that have it. */
  async change({ name, value }: KeptSecret, changed: string): Promise<void> {
    const all = await this.all();
    await this.store(
      all.map((one) => (one.name === name && one.value === value ? { ...one, value: changed } : one)),
    );
  }

  async remove({ name, value }: KeptSecret): Promise<void> {
    const all = await this.all();
    await this.store(all.filter((one) => one.name !== name || one.value !== value));
  }

  private async store(all: readonly KeptSecret[]): Promise<void> {
    const sorted = [...all].sort((one, other) => (one.name < other.name ? -1 : 1));
    await this.secrets.store(this.key, JSON.stringify(sorted));
  }
}

function isSame(one: SecretUse, other: SecretUse): boolean {
  return one.folder === other.folder && one.job === other.job;
}
