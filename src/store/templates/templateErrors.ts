import { RefusedError } from '../../api/errors';
import type { Conflict } from '../../model/templates/templateConflict';
import type { ReferenceSlot } from '../../model/templates/templateReference';
import { fieldOfRefusal } from '../../model/templates/templateWire';
import { UserError, type NextStep } from '../../util/errors';
import { text, type Text } from '../../util/text';
import type { Account } from '../accounts/accounts';

/** A document that was not saved; the reason concerns the place at `path`, or the whole document. */
export class SaveError extends UserError {
  constructor(
    message: Text,
    readonly path: readonly string[] = [],
    options: { readonly nextStep?: NextStep; readonly cause?: unknown } = {},
  ) {
    super(message, options);
  }
}

/** The template changed at the service in places that were edited here too. */
export class TemplateConflictError extends SaveError {
  constructor(
    readonly templateId: number,
    readonly conflicts: readonly Conflict[],
  ) {
    super(
      text(
        'This template was changed elsewhere in the same places. Choose what to keep; nothing was overwritten.',
      ),
      conflicts[0]?.path,
    );
  }
}

/** The template is public, so everyone could read the value. */
export class PublicSecretError extends SaveError {
  constructor(slot: ReferenceSlot) {
    const variable = slot === 'docker_login_pass' ? undefined : slot.slice('env.'.length);
    super(
      text(
        "Everyone can see this template, so it can't hold the secret {0}. Make the template private or remove the secret, then save again.",
        variable ?? slot,
      ),
      variable === undefined ? [slot] : ['env', variable],
    );
  }
}

/** The document can be read but not saved; the error gives the reason. */
export class ReadOnlyTemplateError extends SaveError {}

/** Returns why the active account can't save a template; `undefined` if it can. */
export function readOnlyReason(
  active: Pick<Account, 'key'> | undefined,
  template: { readonly accountKey: string; readonly isMine: boolean },
): ReadOnlyTemplateError | undefined {
  if (!active) {
    return new ReadOnlyTemplateError(
      text('This template belongs to another account. Switch or sign in to that account to save it.'),
      [],
      { nextStep: 'signIn' },
    );
  }
  if (active.key !== template.accountKey) {
    return new ReadOnlyTemplateError(
      text('This template belongs to another account. Switch or sign in to that account to save it.'),
    );
  }
  return template.isMine
    ? undefined
    : new ReadOnlyTemplateError(
        text('This template belongs to another user. Save it as your own to change it.'),
      );
}

export class TemplateGoneError extends SaveError {
  constructor() {
    super(text('This template was deleted at the service. Save the document under another name to keep it.'));
  }
}

/** There was no answer, and the template can't be read back now; the document stays unsaved. */
export class SaveNotKnownError extends SaveError {
  constructor(cause: unknown) {
    super(
      text(
        'The service did not answer, so the template may have been saved. Save again: changes that took effect are not sent twice.',
      ),
      [],
      { cause },
    );
  }
}

/** There was no answer, and reading back shows that nothing changed. */
export class SaveLostError extends SaveError {
  constructor(cause: unknown) {
    super(text('The service did not answer, and the template there is unchanged. Save again.'), [], {
      cause,
    });
  }
}

/** Returns the service's objection to the template at the place that it concerns, and any other failure unchanged. */
export function refusal(error: unknown, sent: readonly string[]): unknown {
  if (!(error instanceof RefusedError)) {
    return error;
  }
  const field = fieldOfRefusal(error.serviceText ?? '', sent);
  const message =
    error.serviceText === undefined
      ? error.text
      : text('The service refused the template: {0}', error.serviceText);
  return new SaveError(message, field === undefined ? [] : [field], {
    nextStep: error.nextStep,
    cause: error,
  });
}
