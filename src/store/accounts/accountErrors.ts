import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import type { SessionContent } from './sessions';

/** A saved key has disappeared from the key ring. */
export class KeyLostError extends UserError {
  constructor() {
    super(
      text(
        "The saved API key is missing from the editor's secret store. Sign in again, and set up a key ring if this happens at every start.",
      ),
      { nextStep: 'signIn' },
    );
  }
}

/** The key ring refused to answer; it may still hold the key. */
export class KeyUnreadableError extends UserError {
  constructor(cause: unknown) {
    super(
      text(
        'Could not read the secret store of the editor. Unlock the key ring of this computer, then try again.',
      ),
      {
        nextStep: 'retry',
        cause,
      },
    );
  }
}

/** The key ring holds something other than a key under the name of the key. */
export class KeyDamagedError extends UserError {
  constructor() {
    super(text("The saved API key is damaged and can't be used. Sign in again to replace it."), {
      nextStep: 'signIn',
    });
  }
}

/** The user is signed in, but the key ring did not store the key. */
export class KeyNotKeptError extends UserError {
  constructor() {
    super(
      text(
        "The editor's secret store did not keep the API key, so you are signed in only until this window closes. Unlock or set up the key ring of this computer, then enter the key again.",
      ),
      { nextStep: 'replaceKey' },
    );
  }
}

/** The account is removed from all windows, but the key ring refused to delete its key. */
export class KeyNotRemovedError extends UserError {
  constructor() {
    super(
      text(
        "You are signed out, but the editor's secret store did not remove all secrets of the account. Unlock the key ring of this computer, then sign in and out again, or delete the API key in the web console.",
      ),
      { nextStep: 'openConsole' },
    );
  }
}

/** Returns the reason why no key can be used. */
export function keyError(content: Exclude<SessionContent, { kind: 'present' }>): UserError {
  switch (content.kind) {
    case 'absent':
      return new KeyLostError();
    case 'damaged':
      return new KeyDamagedError();
    case 'unreadable':
      // A place where no key may be read has its own reason.
      return content.error instanceof UserError ? content.error : new KeyUnreadableError(content.error);
  }
}
