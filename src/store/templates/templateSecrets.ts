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
import { KeyNotRemovedError } from '../accounts/accountErrors';
import { secretAnswer, isSecretOf, keptNames, storeChecked, type KeptSecrets } from '../accounts/keptSecrets';
import type { SecretPort } from '../accounts/patientSecrets';
import type { StoredSecrets, TemplatesOfAccount, TemplateStorage } from './templateStorage';

const draftPrefix = 'gpuRental.templateDraft.';
const requestPrefix = 'gpuRental.templateRequest.';

/** Returns what the secret store holds of documents. @throws SecretUnreadableError if it refuses. */
export async function storedSecrets(secrets: SecretPort): Promise<StoredSecrets> {
  const names = await keptNames(secrets);
  const drafts = (await secretAnswer(secrets.keys())).filter((key) => key.startsWith(draftPrefix));
  return { names, draftTokens: drafts.map((key) => key.slice(draftPrefix.length)) };
}

/**
 * The references of template documents. Their places are not secret and are kept separately from the values; drafts and
 * requests that hold values are entries of the secret store.
 */
export class TemplateSecrets {
  constructor(
    private readonly secrets: SecretPort,
    private readonly memory: TemplateStorage,
    readonly kept: KeptSecrets,
  ) {}

  /** Returns the references in the document of a template. */
  async held(
    accountKey: string,
    templateId: number,
    remembered?: Pick<TemplatesOfAccount, 'slots'>,
  ): Promise<HeldReferences> {
    const { slots } = remembered ?? (await this.memory.account(accountKey));
    const names = Object.entries(slots[String(templateId)] ?? {});
    const values = names.length === 0 ? undefined : await this.values(accountKey);
    return new Map(
      names.map(([slot, name]): [ReferenceSlot, HeldReference] => [
        // `bind` below writes only slots.
        slot as ReferenceSlot,
        { name, value: values?.get(name) },
      ]),
    );
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
    const values = await this.values(accountKey);
    for (const name of memory.lostNames) {
      if (name === registryReference(id)) {
        found.push(['docker_login_pass', name]);
      }
      const value = values.get(name);
      const slots = value === undefined ? [] : slotsWith(env, { name, value });
      found.push(...slots.map((slot): [ReferenceSlot, string] => [slot, name]));
    }
    await this.kept.allow(
      accountKey,
      found.map(([, name]) => name),
      templateOwner(id),
    );
    await this.memory.change(accountKey, (current) => ({
      ...current,
      slots: { [String(id)]: Object.fromEntries(found), ...current.slots },
    }));
    return this.memory.account(accountKey);
  }

  /** Returns a lookup for the given names, read beforehand; names that the document may not use have no value. */
  async lookUp(accountKey: string, owner: SecretOwner, names: Iterable<string>): Promise<ResolveReference> {
    const values = [...names].length === 0 ? undefined : await this.values(accountKey, owner);
    return (name) => values?.get(name);
  }

  /** Returns the names that the document may use. */
  async names(accountKey: string, owner: SecretOwner): Promise<ReadonlySet<string>> {
    return new Set((await this.values(accountKey, owner)).keys());
  }

  /** Grants a document made from another one the same references, and no more. */
  async share(
    accountKey: string,
    from: SecretOwner,
    to: SecretOwner,
    names: Iterable<string>,
  ): Promise<void> {
    const wanted = [...new Set(names)];
    const own = wanted.length === 0 ? undefined : await this.names(accountKey, from);
    const shared = wanted.filter((name) => own?.has(name));
    if (shared.length > 0) {
      await this.kept.allow(accountKey, shared, to);
    }
  }

  /** Remembers which references the saved document of a template contains. */
  async bind(
    accountKey: string,
    templateId: number,
    references: ReadonlyMap<ReferenceSlot, string>,
  ): Promise<void> {
    const own = references.size === 0 ? undefined : await this.names(accountKey, templateOwner(templateId));
    const bound = Object.fromEntries([...references].filter(([, name]) => own?.has(name)));
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
   * Ends what a document that is gone may use. Never rejects: what the secret store does not delete is removed with the
   * account.
   */
  async release(accountKey: string, owner: SecretOwner): Promise<void> {
    const id = owner.replace('template:', '');
    if (Object.hasOwn((await this.memory.account(accountKey)).slots, id)) {
      await this.memory.change(accountKey, (memory) => ({
        ...memory,
        slots: Object.fromEntries(Object.entries(memory.slots).filter(([one]) => one !== id)),
      }));
    }
    await this.kept.release(accountKey, owner).catch(() => undefined);
  }

  /**
   * Deletes everything of a signed-out account. @throws KeyNotRemovedError if the secret store refuses; the rest
   * stays known for the next attempt.
   */
  async forgetAccount(accountKey: string): Promise<void> {
    const own = [`${draftPrefix}${draftTokenOf(accountKey, '')}`, requestKey(accountKey, '')];
    const keys = await this.secrets.keys().catch(() => undefined);
    const ends = await Promise.allSettled(
      (keys ?? [])
        .filter((key) => isSecretOf(accountKey, key) || own.some((start) => key.startsWith(start)))
        .map((key) => this.secrets.delete(key)),
    );
    if (!keys || ends.some(({ status }) => status === 'rejected')) {
      await this.memory.change(accountKey, (memory) => memory);
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
    return storeChecked(this.secrets, `${draftPrefix}${token}`, content);
  }

  draft(token: string): Promise<string | undefined> {
    return secretAnswer(this.secrets.get(`${draftPrefix}${token}`));
  }

  async dropDrafts(tokens: readonly string[]): Promise<void> {
    await Promise.all(tokens.map((token) => this.secrets.delete(`${draftPrefix}${token}`)));
  }

  /**
   * Stores the request that creates a template, which contains secrets, until its outcome is known. @throws
   * SecretNotKeptError if the editor does not hold it afterwards.
   */
  keepRequest(accountKey: string, token: string, content: string): Promise<void> {
    return storeChecked(this.secrets, requestKey(accountKey, token), content);
  }

  request(accountKey: string, token: string): Promise<string | undefined> {
    return secretAnswer(this.secrets.get(requestKey(accountKey, token)));
  }

  /** Never rejects: a request that stays only makes the next save look for its template first. */
  async dropRequest(accountKey: string, token: string): Promise<void> {
    await this.secrets.delete(requestKey(accountKey, token)).catch(() => undefined);
  }

  /** Returns the values of an account, or those that a document may use, by name. */
  private async values(accountKey: string, owner?: SecretOwner): Promise<ReadonlyMap<string, string>> {
    const all = await this.kept.all(accountKey);
    const own = all.filter(({ uses }) => owner === undefined || uses.includes(owner));
    return new Map(own.map(({ name, value }) => [name, value]));
  }
}

function requestKey(accountKey: string, token: string): string {
  return `${requestPrefix}${accountKey}.${token}`;
}
