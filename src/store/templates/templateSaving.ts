import { mayHaveTakenEffect, NotFoundError } from '../../api/errors';
import { hasValue } from '../../model/templates/envReferences';
import type { Template } from '../../model/templates/template';
import { mergeDocuments, sameDocument, type Conflict } from '../../model/templates/templateConflict';
import {
  documentChanges,
  referencesIn,
  secretsInPublic,
  type DocumentFields,
} from '../../model/templates/templateDocument';
import {
  templateOwner,
  type HeldReference,
  type ReferenceSlot,
} from '../../model/templates/templateReference';
import { wireChanges } from '../../model/templates/templateWire';
import { text } from '../../util/text';
import type { Account } from '../accounts/accounts';
import {
  PublicSecretError,
  refusal,
  SaveError,
  SaveLostError,
  SaveNotKnownError,
  TemplateGoneError,
} from './templateErrors';
import type { KnownTemplate, TemplateReader } from './templateReader';
import type { TemplateSecrets } from './templateSecrets';

export interface PendingConflict {
  readonly theirs: KnownTemplate;
  readonly conflicts: readonly Conflict[];
}

/** What the user saves, and the version that it was based on. */
export interface Edit {
  readonly id: number;
  readonly base: DocumentFields;
  readonly mine: DocumentFields;
  /** Returns the version that this window shows. */
  readonly known: () => KnownTemplate | undefined;
  /** Returns true if the user decided to overwrite all these places of the service's version with this hash. */
  readonly isOverruled: (hashId: string, conflicts: readonly Conflict[]) => boolean;
}

export type Sent =
  /** The service has `target`; `saved` is its record, whose text is not the user's. */
  | { readonly kind: 'saved'; readonly saved: KnownTemplate; readonly target: DocumentFields }
  | { readonly kind: 'conflict'; readonly pending: PendingConflict };

/**
 * Sends an edit, merged with changes at the service. An edit is never sent over a version that was not merged first.
 */
export class TemplateSaving {
  constructor(
    private readonly reader: TemplateReader,
    private readonly secrets: TemplateSecrets,
  ) {}

  /** @throws SaveError with the place, DocumentError, or ApiError; then the template at the service is unchanged. */
  async send(account: Account, edit: Edit): Promise<Sent> {
    // Tries twice at most: if another user saves between our read and our write, the hash no longer matches.
    const sent = (await this.attempt(account, edit)) ?? (await this.attempt(account, edit));
    if (!sent) {
      throw new SaveError(
        text('This template is being changed elsewhere right now. Save again in a moment.'),
      );
    }
    return sent;
  }

  /** Reads, merges and writes once; returns `undefined` if the template changed between the read and the write. */
  private async attempt(account: Account, edit: Edit): Promise<Sent | undefined> {
    const found = await this.reader.readNow(account, edit.id);
    if (!found) {
      throw new TemplateGoneError();
    }
    const theirs = await this.toTheirs(account, edit, found);
    const merge = mergeDocuments(edit.base, edit.mine, theirs.fields);
    if (merge.conflicts.length > 0 && !edit.isOverruled(theirs.hashId, merge.conflicts)) {
      return {
        kind: 'conflict',
        pending: { theirs, conflicts: merge.conflicts },
      };
    }
    const target = sameDocument(merge.fields, edit.mine) ? edit.mine : merge.fields;
    const changes = documentChanges(theirs.fields, target);
    if (changes.size === 0) {
      return { kind: 'saved', saved: theirs, target };
    }
    const names = referencesIn(target);
    const shown = secretsInPublic(target).find(
      (slot) => changes.has('private') || changes.has(fieldOf(slot)),
    );
    if (shown !== undefined) {
      throw new PublicSecretError(shown);
    }
    const owner = templateOwner(edit.id);
    const body = wireChanges(changes, await this.secrets.lookUp(account.key, owner, names.values()));
    try {
      const { hashId } = await account.client.templates.edit(theirs.hashId, body);
      const raw = { ...theirs.raw, ...body, hash_id: hashId };
      return { kind: 'saved', saved: { ...theirs, hashId, raw }, target };
    } catch (error) {
      return this.afterFailure(account, edit, error, { theirs, target, sent: [...changes.keys()] });
    }
  }

  /**
   * Returns the document of a record that was read. The user's own new values in it are no change by others: an earlier
   * try, whose answer was lost, has sent them.
   */
  private async toTheirs(account: Account, edit: Edit, found: Template): Promise<KnownTemplate> {
    const { id, base, mine } = edit;
    const names = [...referencesIn(mine)].filter(([slot]) => slot !== 'docker_login_pass');
    const lookUp = await this.secrets.lookUp(account.key, templateOwner(id), new Map(names).values());
    const sent = names.flatMap(([slot, name]): [ReferenceSlot, HeldReference][] => {
      const value = lookUp(name);
      const isNew = value !== undefined && !hasValue(base['env'], slot.slice('env.'.length), value);
      return isNew ? [[slot, { name, value }]] : [];
    });
    return this.reader.toKnown(account, found, edit.known(), { sent: new Map(sent) });
  }

  /** Returns the result of a failed edit; `undefined` if the hash no longer matched. */
  private async afterFailure(
    account: Account,
    edit: Edit,
    error: unknown,
    attempt: {
      readonly theirs: KnownTemplate;
      readonly target: DocumentFields;
      readonly sent: readonly string[];
    },
  ): Promise<Sent | undefined> {
    if (error instanceof NotFoundError) {
      return undefined;
    }
    if (!mayHaveTakenEffect(error)) {
      throw refusal(error, attempt.sent);
    }
    let found: Template | undefined;
    try {
      found = await this.reader.readNow(account, edit.id);
    } catch {
      throw new SaveNotKnownError(error);
    }
    if (!found) {
      throw new TemplateGoneError();
    }
    const now = await this.toTheirs(account, edit, found);
    if (sameDocument(now.fields, hidePassword(attempt.target, now.fields))) {
      return { kind: 'saved', saved: now, target: attempt.target };
    }
    if (now.hashId === attempt.theirs.hashId) {
      throw new SaveLostError(error);
    }
    return undefined;
  }
}

function fieldOf(slot: ReferenceSlot): string {
  return slot === 'docker_login_pass' ? slot : 'env';
}

/** Hides a password that the service does not return, so it can't be compared. */
function hidePassword(target: DocumentFields, shown: DocumentFields): DocumentFields {
  return { ...target, docker_login_pass: shown['docker_login_pass'] };
}
