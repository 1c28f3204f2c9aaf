import { text, type Text } from '../../util/text';

/**
 * Returns the question before the user signs out, and what happened after it. The demo has no sign-in, so there the user
 * leaves it.
 */
export function signOutText(account: { readonly isDemo: boolean; readonly name: string }): {
  readonly question: Text;
  readonly button: Text;
  readonly done: Text;
} {
  return account.isDemo
    ? { question: text('Leave the demo?'), button: text('Leave Demo'), done: text('You left the demo.') }
    : {
        question: text('Sign out of {0}?', account.name),
        button: text('Sign Out'),
        done: text('Signed out of {0}.', account.name),
      };
}

/**
 * Returns what still costs money after the sign-out; undefined if nothing does, as in the demo. `instances` is their
 * number, or undefined if they could not be listed.
 */
export function stillCostsText(isDemo: boolean, instances: number | undefined): Text | undefined {
  if (isDemo || instances === 0) {
    return undefined;
  }
  if (instances === undefined) {
    return text('Could not list your instances. Any that exist still cost money.');
  }
  return instances === 1
    ? text('Your instance still costs money.')
    : text('Your {0} instances still cost money.', instances);
}

/** Warns about rentals without an answer. Signing out deletes their records. */
export function openRentalText(): Text {
  return text(
    'A rental has no answer yet and will no longer be checked. If it went through, its instance costs money.',
  );
}
