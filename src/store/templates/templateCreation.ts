import * as z from 'zod';
import type { Listing } from '../../api/client';
import { mayHaveTakenEffect } from '../../api/errors';
import { secretVariables } from '../../model/templates/envReferences';
import { isOwnTemplate, type Template } from '../../model/templates/template';
import { sameDocument } from '../../model/templates/templateConflict';
import {
  documentFields,
  parseDocument,
  referencesIn,
  renderDocument,
  secretsInPublic,
  withoutReferences,
  withoutValues,
  type DocumentFields,
} from '../../model/templates/templateDocument';
import {
  draftOwner,
  referenceName,
  referenceNameFor,
  registryReference,
  templateOwner,
  type HeldReference,
  type ReferenceSlot,
  type SecretOwner,
} from '../../model/templates/templateReference';
import { draftParts, draftTokenOf } from '../../model/templates/templateUri';
import { wireTemplate } from '../../model/templates/templateWire';
import type { Clock } from '../../util/clock';
import { parseJson } from '../../util/json';
import { text } from '../../util/text';
import type { Account } from '../accounts/accounts';
import type { TemplateDocuments } from './templateDocuments';
import {
  PublicSecretError,
  ReadOnlyTemplateError,
  refusal,
  SaveLostError,
  SaveNotKnownError,
} from './templateErrors';
import type { TemplateSecrets } from './templateSecrets';
import type { StoredDraft, TemplateStorage } from './templateStorage';

interface Deps {
  readonly documents: TemplateDocuments;
  readonly memory: TemplateStorage;
  readonly secrets: TemplateSecrets;
  readonly clock: Clock;
  /** Returns a token that no other draft has. */
  readonly newToken: () => string;
}

/** A creation that was sent: its content, and the templates of that name that existed before. */
const attempt = z.object({ body: z.record(z.string(), z.unknown()), before: z.array(z.number()) });
type Attempt = z.infer<typeof attempt>;

/** Creates templates from drafts, and deletes templates. */
export class TemplateCreation {
  /** Created drafts with their ids: their tabs may save again before they close. */
  private readonly created = new Map<string, number>();

  constructor(private readonly deps: Deps) {}

  /**
   * Stores a draft for the active account; nothing is sent before it is saved. References of `from`, the source of
   * the draft, keep their values; all other references are untrusted text and are removed. `hidesVariables` replaces
   * values that look like secrets: the user did not type them, and the editor backs up unsaved text in clear.
   */
  async addDraft(
    given: DocumentFields,
    from?: SecretOwner,
    { hidesVariables = false }: { readonly hidesVariables?: boolean } = {},
  ): Promise<string> {
    const { key } = this.deps.documents.account();
    const unique = this.deps.newToken();
    const token = draftTokenOf(key, unique);
    const own = from === undefined ? new Set<string>() : await this.deps.secrets.names(key, from);
    const fields = withoutReferences(given, own);
    if (from !== undefined) {
      await this.inherit(key, token, from, fields);
    }
    const name = typeof fields['name'] === 'string' ? fields['name'] : '';
    const held = new Map<ReferenceSlot, HeldReference>();
    const hide = async (slot: ReferenceSlot, value: string) => {
      const wanted = referenceNameFor(slot, unique);
      held.set(slot, {
        name: await this.deps.secrets.kept.add(key, wanted, value, draftOwner(token)),
        value,
      });
    };
    for (const [variable, value] of hidesVariables ? secretVariables(fields['env']) : []) {
      await hide(`env.${variable}`, value);
    }
    const password = fields['docker_login_pass'];
    // A file may hold a password in clear.
    if (isInClear(password)) {
      await hide('docker_login_pass', password);
    }
    await this.keep(token, key, name, renderDocument(withoutValues(fields, held)));
    return token;
  }

  /** Returns a token for a template that is created at once, without a draft on disk. */
  newToken(): string {
    return this.deps.newToken();
  }

  /** Grants the draft the references of the document that it was made from. */
  inherit(accountKey: string, token: string, from: SecretOwner, fields: DocumentFields): Promise<void> {
    const names = referencesIn(fields).values();
    return this.deps.secrets.share(accountKey, from, draftOwner(token), names);
  }

  async draft(token: string): Promise<StoredDraft | undefined> {
    const draft = await this.deps.memory.draft(token);
    // Drafts of earlier versions have their text in the file.
    return draft && { ...draft, text: (await this.deps.secrets.draft(token)) ?? draft.text };
  }

  /** Returns the template that a draft became. */
  createdAs(token: string): number | undefined {
    return this.created.get(token);
  }

  async dropDraft(token: string): Promise<void> {
    await this.deps.memory.keepDraft(token, undefined);
    await this.dropSecrets([token]);
  }

  /**
   * Creates the template of a draft and returns its id. The request is sent once; a lost answer is resolved by
   * searching for the template. @throws SaveError with the place, DocumentError, or ApiError.
   */
  async saveDraft(token: string, source: string): Promise<number> {
    const done = this.created.get(token);
    if (done !== undefined) {
      await this.deps.documents.save(done, source);
      await this.dropDraft(token);
      return done;
    }
    const account = this.deps.documents.account();
    const { accountKey = account.key } = draftParts(token);
    if (accountKey !== account.key) {
      throw new ReadOnlyTemplateError(
        text('This template belongs to another account. Switch or sign in to that account to save it.'),
      );
    }
    const fields = parseDocument(source);
    const references = new Map(referencesIn(fields));
    const [shown] = secretsInPublic(fields);
    if (shown !== undefined) {
      throw new PublicSecretError(shown);
    }
    const owner = draftOwner(token);
    const values = await this.deps.secrets.lookUp(account.key, owner, references.values());
    const body = wireTemplate(fields, values);
    const before = await this.unconfirmed(account, token);
    const made = before && (await this.findCreated(account, before));
    const id = made ?? (await this.create(account, token, body));
    this.created.set(token, id);
    const password = fields['docker_login_pass'];
    if (isInClear(password)) {
      const kept = await this.deps.secrets.kept.add(
        account.key,
        registryReference(id),
        password,
        templateOwner(id),
      );
      references.set('docker_login_pass', kept);
    }
    await this.deps.secrets.share(account.key, owner, templateOwner(id), references.values());
    await this.deps.secrets.bind(account.key, id, references);
    if (made !== undefined) {
      // Text that was typed since the first save.
      await this.deps.documents.save(id, source);
    }
    await this.deps.secrets.dropRequest(account.key, token);
    await this.dropDraft(token);
    return id;
  }

  /** Deletes a template of an account by numeric id; a lost answer is resolved by reading back. */
  async remove(account: Account, id: number): Promise<void> {
    try {
      await account.client.templates.remove(id);
    } catch (error) {
      if (!mayHaveTakenEffect(error) || (await find(account, { id: { eq: id } })).items.length > 0) {
        throw error;
      }
    }
    await this.deps.documents.forget(id);
  }

  /** Returns the creation of a draft whose outcome is unknown, perhaps from before a restart. */
  private async unconfirmed({ key }: Account, token: string): Promise<Attempt | undefined> {
    const kept = await this.deps.secrets.request(key, token);
    return kept === undefined ? undefined : readAttempt(kept);
  }

  private async create(
    account: Account,
    token: string,
    body: Readonly<Record<string, unknown>>,
  ): Promise<number> {
    const { secrets } = this.deps;
    const before: number[] = [];
    try {
      // Distinguishes the new template from these if the answer is lost, because names need not be unique.
      before.push(...(await findNamed(account, body)).items.map(({ id }) => id));
    } catch {
      // A failed search is no reason not to create the template; it only makes a lost answer harder to resolve.
    }
    // Before it is sent, because the window may end before the answer.
    await secrets.keepRequest(account.key, token, JSON.stringify({ body, before } satisfies Attempt));
    try {
      return (await account.client.templates.create(body)).id;
    } catch (error) {
      if (!mayHaveTakenEffect(error)) {
        await secrets.dropRequest(account.key, token);
        throw refusal(error, Object.keys(body));
      }
      const made = await this.findCreated(account, { body, before });
      if (made === undefined) {
        await secrets.dropRequest(account.key, token);
        throw new SaveLostError(error);
      }
      return made;
    }
  }

  /**
   * Returns the id of the template that an attempt created, `undefined` if none. @throws SaveNotKnownError if that is
   * unclear.
   */
  private async findCreated(account: Account, { body, before }: Attempt): Promise<number | undefined> {
    let found: Listing<Template>;
    try {
      found = await findNamed(account, body);
    } catch (error) {
      throw new SaveNotKnownError(error);
    }
    const made = found.items.find(
      (template) =>
        !before.includes(template.id) &&
        isOwnTemplate(template, account.user.id) &&
        isMadeFrom(template, body),
    );
    if (!made && found.skipped > 0) {
      // The record that could not be read may be the new template.
      throw new SaveNotKnownError(undefined);
    }
    return made?.id;
  }

  private async keep(token: string, accountKey: string, name: string, content: string): Promise<void> {
    const { memory, secrets, clock } = this.deps;
    const before = Object.keys(await memory.drafts());
    await secrets.keepDraft(token, content);
    await memory.keepDraft(token, { accountKey, name, text: '', mtime: clock.now() });
    // The oldest drafts make room.
    const kept = await memory.drafts();
    await this.dropSecrets(before.filter((other) => !(other in kept)));
  }

  private async dropSecrets(tokens: readonly string[]): Promise<void> {
    const { secrets } = this.deps;
    await secrets.dropDrafts(tokens);
    for (const token of tokens) {
      const { accountKey } = draftParts(token);
      if (accountKey !== undefined) {
        await secrets.release(accountKey, draftOwner(token));
      }
    }
  }
}

/** Returns `undefined` for garbage; a parser's message would quote it. */
function readAttempt(kept: string): Attempt | undefined {
  try {
    return attempt.safeParse(parseJson(kept)).data;
  } catch {
    return undefined;
  }
}

function isInClear(password: unknown): password is string {
  return typeof password === 'string' && password !== '' && referenceName(password) === undefined;
}

/** Returns whether a record matches the request; the service does not return the password, so it is not compared. */
function isMadeFrom(template: Template, body: Readonly<Record<string, unknown>>): boolean {
  const wanted = documentFields({ ...body, id: template.id });
  const got = documentFields(template.raw);
  const password = { docker_login_pass: '' };
  return sameDocument(
    { ...got, ...password, tag: wanted['tag'] ?? got['tag'] },
    { ...got, ...wanted, ...password },
  );
}

function findNamed(
  account: Account,
  { name }: Readonly<Record<string, unknown>>,
): Promise<Listing<Template>> {
  return find(account, { name: { eq: String(name) } });
}

function find(
  account: Account,
  filters: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Promise<Listing<Template>> {
  return account.client.templates.search(filters);
}
