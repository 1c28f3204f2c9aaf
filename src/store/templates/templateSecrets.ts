import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import type { ResolveReference } from '../../model/templates/templateDocument';
import type { HeldReference, HeldReferences, ReferenceSlot } from '../../model/templates/templateReference';
import { KeyNotRemovedError } from '../accounts/accountErrors';
import type { SecretPort } from '../ports';
import type { AccountMemory, TemplateMemory } from './templateMemory';

/** The editor did not keep a secret that it was given. */
export class SecretNotKeptError extends UserError {
  constructor() {
    super(
      text(
        'The secret store of the editor did not keep the value. Unlock the key ring of this computer and try again.',
      ),
    );
  }
}

const prefix = 'gpuRental.templateSecret.';

/**
 * Values behind the references of template documents, one entry each in the editor's secret store; which
 * reference stands where is no secret and is remembered beside it.
 */
export class TemplateSecrets {
  constructor(
    private readonly secrets: SecretPort,
    private readonly memory: TemplateMemory,
    /** Told every value, so that no log shows it. */
    private readonly onSecret: (value: string) => void,
  ) {}

  /** What stands for what in the document of a template. */
  async held(
    accountKey: string,
    templateId: number,
    remembered?: Pick<AccountMemory, 'slots'>,
  ): Promise<HeldReferences> {
    const { slots } = remembered ?? (await this.memory.account(accountKey));
    const held = await Promise.all(
      Object.entries(slots[String(templateId)] ?? {}).map(
        async ([slot, name]): Promise<[ReferenceSlot, HeldReference]> => [
          // Written by `bind` below, from slots.
          slot as ReferenceSlot,
          { name, value: await this.value(accountKey, name) },
        ],
      ),
    );
    return new Map(held);
  }

  /** A look-up of the given names, read beforehand. */
  async lookUp(accountKey: string, names: Iterable<string>): Promise<ResolveReference> {
    const values = new Map<string, string>();
    for (const name of names) {
      const value = await this.value(accountKey, name);
      if (value !== undefined) {
        values.set(name, value);
      }
    }
    return (name) => values.get(name);
  }

  /** Names of which this computer has the value. */
  async names(accountKey: string): Promise<ReadonlySet<string>> {
    return new Set((await this.memory.account(accountKey)).secretNames);
  }

  /**
   * Keeps a value and reads it back.
   * @throws SecretNotKeptError where the editor does not hold it afterwards.
   */
  async keep(accountKey: string, name: string, value: string): Promise<void> {
    this.onSecret(value);
    const key = keyOf(accountKey, name);
    try {
      await this.secrets.store(key, value);
      if ((await this.secrets.get(key)) !== value) {
        throw new SecretNotKeptError();
      }
    } catch {
      // The cause could hold the value and is not kept.
      throw new SecretNotKeptError();
    }
    await this.memory.change(accountKey, (memory) => ({
      ...memory,
      secretNames: [...memory.secretNames.filter((other) => other !== name), name],
    }));
  }

  /** A name that is not taken yet. */
  async freeName(accountKey: string, wanted: string): Promise<string> {
    const taken = await this.names(accountKey);
    let name = wanted;
    for (let count = 2; taken.has(name); count++) {
      name = `${wanted}-${count}`;
    }
    return name;
  }

  /** Remembers which references the saved document of a template holds. */
  async bind(
    accountKey: string,
    templateId: number,
    references: ReadonlyMap<ReferenceSlot, string>,
  ): Promise<void> {
    const bound = Object.fromEntries(references);
    const current = (await this.memory.account(accountKey)).slots[String(templateId)] ?? {};
    if (JSON.stringify(bound) === JSON.stringify(current)) {
      return;
    }
    await this.memory.change(accountKey, (memory) => ({
      ...memory,
      slots: { ...memory.slots, [String(templateId)]: bound },
    }));
  }

  /**
   * Forgets everything of an account that was signed out.
   * @throws KeyNotRemovedError where the secret store refuses; what is left is known for the next time.
   */
  async forgetAccount(accountKey: string): Promise<void> {
    const { secretNames } = await this.memory.account(accountKey);
    const ends = await Promise.allSettled(
      secretNames.map((name) => this.secrets.delete(keyOf(accountKey, name))),
    );
    if (ends.some(({ status }) => status === 'rejected')) {
      // The cause could hold a value and is not kept.
      throw new KeyNotRemovedError();
    }
    await this.memory.change(accountKey, () => undefined);
  }

  private async value(accountKey: string, name: string): Promise<string | undefined> {
    const value = await this.secrets.get(keyOf(accountKey, name));
    if (value !== undefined) {
      this.onSecret(value);
    }
    return value;
  }
}

function keyOf(accountKey: string, name: string): string {
  return `${prefix}${accountKey}.${name}`;
}
