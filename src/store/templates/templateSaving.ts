import { mayHaveTakenEffect, NotFoundError } from '../../api/errors';
import type { Template } from '../../model/templates/template';
import { mergeDocuments, sameDocument, type Conflict } from '../../model/templates/templateConflict';
import {
  documentChanges,
  referencesIn,
  secretsInPublic,
  type DocumentFields,
} from '../../model/templates/templateDocument';
import { wireChanges } from '../../model/templates/templateWire';
import { templateOwner, type ReferenceSlot } from '../../model/templates/templateReference';
import { text } from '../../util/text';
import type { Account } from '../ports';
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
  /** Mine with theirs wherever only they changed something. */
  readonly merged: DocumentFields;
}

/** What the user saves, and what it was made from. */
export interface Edit {
  readonly id: number;
  readonly base: DocumentFields;
  readonly mine: DocumentFields;
  /** What is shown of the template in this window. */
  readonly known: () => KnownTemplate | undefined;
  /** True where the user decided to put mine over the state of theirs with this hash. */
  readonly isOverruled: (hashId: string) => boolean;
}

export type Sent =
  /** The service has `target`; `saved` is its record, whose text is not the user's. */
  | { readonly kind: 'saved'; readonly saved: KnownTemplate; readonly target: DocumentFields }
  | { readonly kind: 'conflict'; readonly pending: PendingConflict };

/**
 * Sends what was edited, merged with what changed at the service meanwhile. An edit is never sent over a
 * state that was not merged before.
 */
export class TemplateSaving {
  constructor(
    private readonly reader: TemplateReader,
    private readonly secrets: TemplateSecrets,
  ) {}

  /** @throws SaveError with the place, DocumentError, or ApiError; then the service has what it had. */
  async send(account: Account, edit: Edit): Promise<Sent> {
    // Twice at most: when somebody saves between our reading and our writing, the hash no longer fits.
    const sent = (await this.attempt(account, edit)) ?? (await this.attempt(account, edit));
    if (!sent) {
      throw new SaveError(
        text('This template is being changed elsewhere right now. Save again in a moment.'),
      );
    }
    return sent;
  }

  /** One read, merge and write; `undefined` where the template changed between the read and the write. */
  private async attempt(account: Account, edit: Edit): Promise<Sent | undefined> {
    const found = await this.reader.readNow(account, edit.id);
    if (!found) {
      throw new TemplateGoneError();
    }
    const theirs = await this.reader.toKnown(account, found, edit.known());
    const merge = mergeDocuments(edit.base, edit.mine, theirs.fields);
    if (merge.conflicts.length > 0 && !edit.isOverruled(theirs.hashId)) {
      return {
        kind: 'conflict',
        pending: { theirs, conflicts: merge.conflicts, merged: merge.fields },
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

  /** What became of an edit that failed; `undefined` where the hash did not fit any more. */
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
    const now = await this.reader.toKnown(account, found, edit.known());
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

/** A password that the service does not tell cannot be compared. */
function hidePassword(target: DocumentFields, shown: DocumentFields): DocumentFields {
  return { ...target, docker_login_pass: shown['docker_login_pass'] };
}
