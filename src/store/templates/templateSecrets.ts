import { readEnv } from '../../model/documents/envObject';
import { slotsWith } from '../../model/templates/envReferences';
import type { Template } from '../../model/templates/template';
import {
  registryReference,
  templateOwner,
  type HeldReference,
  type HeldReferences,
  type ReferenceSlot,
  type SecretOwner,
} from '../../model/templates/templateReference';
import { draftTokenOf } from '../../model/templates/templateUri';
import type { ResolveReference } from '../../model/templates/templateWire';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { KeyNotRemovedError } from '../accounts/accountErrors';
import type { SecretPort } from '../accounts/patientSecrets';
import type { StoredSecrets, TemplatesOfAccount, TemplateStorage } from './templateStorage';

/** The editor did not store a secret that it was given. */
export class SecretNotKeptError extends UserError {
  constructor() {
    super(
      text(
        'The secret store of the editor did not keep the value. Unlock the key ring of this computer and try again.',
      ),
    );
  }
}

/** The editor did not give a secret that it may still hold; the cause could contain a value, so it is dropped. */
export class SecretUnreadableError extends UserError {
  constructor() {
    super(
      text(
        'Could not read the secrets of this template. Unlock the key ring of this computer, then try again.',
      ),
    );
  }
}

const prefix = 'gpuRental.templateSecret.';
const draftPrefix = 'gpuRental.templateDraft.';
const requestPrefix = 'gpuRental.templateRequest.';

/** Returns what the secret store holds of documents. @throws SecretUnreadableError if it refuses. */
export async function storedSecrets(secrets: SecretPort): Promise<StoredSecrets> {
  const keys = await secrets.keys().catch(() => {
    throw new SecretUnreadableError();
  });
  const names = new Map<string, string[]>();
  for (const key of keys.filter((one) => one.startsWith(prefix))) {
    const [accountKey = '', ...name] = key.slice(prefix.length).split('.');
    names.set(accountKey, [...(names.get(accountKey) ?? []), name.join('.')]);
  }
  const drafts = keys.filter((key) => key.startsWith(draftPrefix));
  return { names, draftTokens: drafts.map((key) => key.slice(draftPrefix.length)) };
}

/**
 * The values behind the references of template documents, one entry each in the editor's
 * secret store. The places of the references are not secret and are kept separately.
 */
export class TemplateSecrets {
  constructor(
    private readonly secrets: SecretPort,
    private readonly memory: TemplateStorage,
    /** Receives every value, so that no log shows it. */
    private readonly onSecret: (value: string) => void,
  ) {}

  /** Returns the references in the document of a template. */
  async held(
    accountKey: string,
    templateId: number,
    remembered?: Pick<TemplatesOfAccount, 'slots'>,
  ): Promise<HeldReferences> {
    const { slots } = remembered ?? (await this.memory.account(accountKey));
    const held = await Promise.all(
      Object.entries(slots[String(templateId)] ?? {}).map(
        async ([slot, name]): Promise<[ReferenceSlot, HeldReference]> => [
          // `bind` below writes only slots.
          slot as ReferenceSlot,
          { name, value: await this.value(accountKey, name) },
        ],
      ),
    );
    return new Map(held);
  }

  /**
   * Finds the secrets of a template by their values, if they are no longer
   * remembered. Returns what is remembered then.
   */
  async reclaim(
    accountKey: string,
    { id, raw }: Pick<Template, 'id' | 'raw'>,
    memory: TemplatesOfAccount,
  ): Promise<TemplatesOfAccount> {
    if (memory.lostNames.length === 0 || Object.hasOwn(memory.slots, String(id))) {
      return memory;
    }
    const env = readEnv(raw['env']);
    const found: [ReferenceSlot, string][] = [];
    for (const name of memory.lostNames) {
      if (name === registryReference(id)) {
        found.push(['docker_login_pass', name]);
      }
      const value = await this.value(accountKey, name);
      const slots = value === undefined ? [] : slotsWith(env, { name, value });
      found.push(...slots.map((slot): [ReferenceSlot, string] => [slot, name]));
    }
    await this.memory.change(accountKey, (current) => ({
      ...found.reduce((changed, [, name]) => withOwner(changed, name, templateOwner(id)), current),
      slots: { [String(id)]: Object.fromEntries(found), ...current.slots },
    }));
    return this.memory.account(accountKey);
  }

  /**
   * Returns a lookup for the given names, read beforehand; names that were not stored for the document have no value.
   */
  async lookUp(accountKey: string, owner: SecretOwner, names: Iterable<string>): Promise<ResolveReference> {
    const values = new Map<string, string>();
    const own = await this.names(accountKey, owner);
    for (const name of [...names].filter((one) => own.has(one))) {
      const value = await this.value(accountKey, name);
      if (value !== undefined) {
        values.set(name, value);
      }
    }
    return (name) => values.get(name);
  }

  /** Returns the names whose values were stored for the document on this computer. */
  async names(accountKey: string, owner: SecretOwner): Promise<ReadonlySet<string>> {
    const memory = await this.memory.account(accountKey);
    return new Set(memory.secretNames.filter((name) => owns(memory, owner, name)));
  }

  /** Returns true for a name whose value belongs to another document. */
  async isForeign(accountKey: string, owner: SecretOwner, name: string): Promise<boolean> {
    const memory = await this.memory.account(accountKey);
    return memory.secretNames.includes(name) && !owns(memory, owner, name);
  }

  /** Grants a document made from another one the same references, and no more. */
  async share(
    accountKey: string,
    from: SecretOwner,
    to: SecretOwner,
    names: Iterable<string>,
  ): Promise<void> {
    const own = await this.names(accountKey, from);
    const shared = [...new Set(names)].filter((name) => own.has(name));
    if (shared.length > 0) {
      await this.memory.change(accountKey, (memory) =>
        shared.reduce((changed, name) => withOwner(changed, name, to), memory),
      );
    }
  }

  /**
   * Stores a value for a document and reads it back. @throws SecretNotKeptError if the editor does not hold it
   * afterwards.
   */
  async keep(accountKey: string, owner: SecretOwner, name: string, value: string): Promise<void> {
    this.onSecret(value);
    await this.storeChecked(keyOf(accountKey, name), value);
    await this.memory.change(accountKey, (memory) => ({
      ...withOwner(memory, name, owner),
      secretNames: [...memory.secretNames.filter((other) => other !== name), name],
    }));
  }

  /** Returns a name that is not taken yet. */
  async freeName(accountKey: string, wanted: string): Promise<string> {
    const taken = new Set((await this.memory.account(accountKey)).secretNames);
    let name = wanted;
    for (let count = 2; taken.has(name); count++) {
      name = `${wanted}-${count}`;
    }
    return name;
  }

  /** Remembers which references the saved document of a template contains. */
  async bind(
    accountKey: string,
    templateId: number,
    references: ReadonlyMap<ReferenceSlot, string>,
  ): Promise<void> {
    const own = await this.names(accountKey, templateOwner(templateId));
    const bound = Object.fromEntries([...references].filter(([, name]) => own.has(name)));
    const current = (await this.memory.account(accountKey)).slots[String(templateId)] ?? {};
    if (JSON.stringify(bound) === JSON.stringify(current)) {
      return;
    }
    await this.memory.change(accountKey, (memory) => ({
      ...memory,
      slots: { ...memory.slots, [String(templateId)]: bound },
    }));
  }

  /** Deletes a value that no document refers to. */
  async discard(accountKey: string, unused: string): Promise<void> {
    await this.memory.change(accountKey, (memory) => ({
      ...memory,
      secretNames: memory.secretNames.filter((name) => name !== unused),
      secretOwners: Object.fromEntries(
        Object.entries(memory.secretOwners).filter(([name]) => name !== unused),
      ),
    }));
    await this.secrets.delete(keyOf(accountKey, unused));
  }

  /**
   * Deletes the secrets of a document that is gone, unless another one has them.
   * Entries that the secret store does not delete are removed with the account.
   */
  async release(accountKey: string, owner: SecretOwner): Promise<void> {
    const own = await this.names(accountKey, owner);
    await this.memory.change(accountKey, (memory) => withoutOwner(memory, owner));
    const { secretNames } = await this.memory.account(accountKey);
    const unused = [...own].filter((name) => !secretNames.includes(name));
    await Promise.allSettled(unused.map((name) => this.secrets.delete(keyOf(accountKey, name))));
  }

  /**
   * Deletes everything of a signed-out account. @throws KeyNotRemovedError if the secret store refuses; the rest
   * stays known for the next attempt.
   */
  async forgetAccount(accountKey: string): Promise<void> {
    const own = [
      keyOf(accountKey, ''),
      `${draftPrefix}${draftTokenOf(accountKey, '')}`,
      requestKey(accountKey, ''),
    ];
    const keys = await this.secrets.keys().catch(() => undefined);
    const ends = await Promise.allSettled(
      (keys ?? [])
        .filter((key) => own.some((start) => key.startsWith(start)))
        .map((key) => this.secrets.delete(key)),
    );
    if (!keys || ends.some(({ status }) => status === 'rejected')) {
      // The cause could contain a value, so it is dropped.
      throw new KeyNotRemovedError();
    }
    await this.memory.change(accountKey, () => undefined);
  }

  /**
   * Stores the text of a draft: a draft made from an instance contains its environment, secrets included. @throws
   * SecretNotKeptError if the editor does not hold it afterwards.
   */
  keepDraft(token: string, content: string): Promise<void> {
    return this.storeChecked(`${draftPrefix}${token}`, content);
  }

  draft(token: string): Promise<string | undefined> {
    return this.read(`${draftPrefix}${token}`);
  }

  async dropDrafts(tokens: readonly string[]): Promise<void> {
    await Promise.all(tokens.map((token) => this.secrets.delete(`${draftPrefix}${token}`)));
  }

  /**
   * Stores the request that creates a template, which contains secrets, until its outcome is known. @throws
   * SecretNotKeptError if the editor does not hold it afterwards.
   */
  keepRequest(accountKey: string, token: string, content: string): Promise<void> {
    return this.storeChecked(requestKey(accountKey, token), content);
  }

  request(accountKey: string, token: string): Promise<string | undefined> {
    return this.read(requestKey(accountKey, token));
  }

  /** Never rejects: a request that stays only makes the next save look for its template first. */
  async dropRequest(accountKey: string, token: string): Promise<void> {
    await this.secrets.delete(requestKey(accountKey, token)).catch(() => undefined);
  }

  private async storeChecked(key: string, value: string): Promise<void> {
    try {
      await this.secrets.store(key, value);
      if ((await this.secrets.get(key)) !== value) {
        throw new SecretNotKeptError();
      }
    } catch {
      // The cause could contain the value, so it is dropped.
      throw new SecretNotKeptError();
    }
  }

  private async read(key: string): Promise<string | undefined> {
    try {
      return await this.secrets.get(key);
    } catch (error) {
      // A place where no key may be read has its own reason.
      throw error instanceof UserError ? error : new SecretUnreadableError();
    }
  }

  private async value(accountKey: string, name: string): Promise<string | undefined> {
    const value = await this.read(keyOf(accountKey, name));
    if (value !== undefined) {
      this.onSecret(value);
    }
    return value;
  }
}

/** References in a saved template from before owners were stored belong to that template. */
function owns(memory: TemplatesOfAccount, owner: SecretOwner, name: string): boolean {
  const slots = owner.startsWith('template:') ? memory.slots[owner.slice('template:'.length)] : undefined;
  return memory.secretOwners[name]?.includes(owner) === true || Object.values(slots ?? {}).includes(name);
}

function withOwner(memory: TemplatesOfAccount, name: string, owner: SecretOwner): TemplatesOfAccount {
  const owners = memory.secretOwners[name] ?? [];
  return owners.includes(owner)
    ? memory
    : { ...memory, secretOwners: { ...memory.secretOwners, [name]: [...owners, owner] } };
}

/** A secret whose documents are unknown stays. */
function withoutOwner(memory: TemplatesOfAccount, owner: SecretOwner): TemplatesOfAccount {
  const owners = Object.entries(memory.secretOwners).map(
    ([name, all]) => [name, all.filter((one) => one !== owner)] as const,
  );
  const kept = owners.filter(([name, all]) => all.length > 0 || memory.lostNames.includes(name));
  const gone = new Set(owners.filter((one) => !kept.includes(one)).map(([name]) => name));
  const slots = Object.entries(memory.slots).filter(([id]) => `template:${id}` !== owner);
  return {
    ...memory,
    slots: Object.fromEntries(slots),
    secretOwners: Object.fromEntries(kept),
    secretNames: memory.secretNames.filter((name) => !gone.has(name)),
  };
}

function requestKey(accountKey: string, token: string): string {
  return `${requestPrefix}${accountKey}.${token}`;
}

function keyOf(accountKey: string, name: string): string {
  return `${prefix}${accountKey}.${name}`;
}
