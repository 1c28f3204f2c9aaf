import { areAgentsLetIn } from './agentAccess';
import { t } from './localize';
import { ask, type Action } from './message';

interface Choice {
  readonly message: string;
  readonly detail?: string | undefined;
  /** The default button, which changes nothing. *Not Now* unless a better word is given. */
  readonly keep?: string | undefined;
}

/** A question before something is lost, costs money or is trusted. */
export interface Question extends Choice {
  /** The only way to say yes, named after what happens. */
  readonly button: string;
}

/**
 * Asks in a dialog where an answer may lose data, cost money or trust somebody. The editor makes the first button the
 * default and adds *Cancel* as the last, so the first one changes nothing. Resolves to undefined for both and for Escape.
 */
export function choose<T>(
  { message, detail, keep = t('Not Now') }: Choice,
  ...actions: readonly (Action<T> | false | undefined)[]
): Promise<T | undefined> {
  return ask<T | undefined>(
    'warning',
    { message, detail },
    { label: keep, run: () => undefined },
    ...actions,
  );
}

/** Asks a question with one way to say yes. */
export async function confirm({ button, ...choice }: Question): Promise<boolean> {
  return (await choose(choice, { label: button, run: () => true })) === true;
}

/**
 * True where no program can have said yes to what costs money: while agents are let in, a dialog asks once more. An agent
 * in the editor can accept lists, boxes and messages by commands, and no dialog.
 */
export async function isPerson({ detail, ...question }: Question): Promise<boolean> {
  const why = t(
    'This dialog appears because agents have access: they can press Enter in a list or a message, but not here.',
  );
  return (
    !areAgentsLetIn() || confirm({ ...question, detail: detail === undefined ? why : `${detail}\n${why}` })
  );
}

/** Asked before renting from a template that is another one than was chosen; `message` says since when. */
export function confirmEditedTemplate(message: string): Promise<boolean> {
  return confirm({
    message,
    detail: t('Nothing is rented until you confirm the price in a later step.'),
    button: t('Rent from the Current Version'),
  });
}

/** Asked wherever the known key of a machine may be forgotten; `button` says what follows. */
export function confirmForgettingHostKey(button: string): Promise<boolean> {
  return confirm({
    message: t('Forget the host key of this instance?'),
    detail: t(
      'The next connection trusts any key. Do this only if the instance was recreated, or its host announced that the key changed.',
    ),
    button,
  });
}
