import { areAgentsLetIn } from './agentAccess';
import { t } from './localize';
import { ask, type Action } from './message';

interface Choice {
  readonly message: string;
  readonly detail?: string | undefined;
  /** Label of the default button, which changes nothing; *Not Now* by default. */
  readonly keep?: string | undefined;
}

/** A question before data is lost, money is spent or something is trusted. */
export interface Question extends Choice {
  /** The only button that confirms; its label names the action. */
  readonly button: string;
}

/**
 * Asks in a dialog before an answer may lose data, cost money or grant trust. The editor makes the first button the
 * default and adds *Cancel* at the end, so the first button changes nothing. Resolves to `undefined` for the first
 * button, *Cancel* and Escape.
 *
 * The first button and *Cancel* have the same effect, because the editor knows no form with one of them: it leaves its
 * *Cancel* out only for a button with `isCloseAffordance`, which it puts last, so that the button that acts becomes the
 * default (`_showModalMessage` in `mainThreadMessageService.ts` of VS Code 1.139).
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

/** Asks a question with one confirming button. */
export async function confirm({ button, ...choice }: Question): Promise<boolean> {
  return (await choose(choice, { label: button, run: () => true })) === true;
}

/**
 * Returns true if a person approved an action that costs money. While agents have access, it asks in a dialog, because
 * an agent in the editor can accept lists, boxes and messages by commands, but not a dialog.
 */
export async function isPerson({ detail, ...question }: Question): Promise<boolean> {
  const why = t(
    'This dialog appears because agents have access: they can press Enter in a list or a message, but not here.',
  );
  return (
    !areAgentsLetIn() || confirm({ ...question, detail: detail === undefined ? why : `${detail}\n${why}` })
  );
}

/** Asks before renting from a template that changed after the user chose it; `message` states when. */
export function confirmEditedTemplate(message: string): Promise<boolean> {
  return confirm({
    message,
    detail: t('Nothing is rented until you confirm the price in a later step.'),
    button: t('Rent from the Current Version'),
  });
}

/** Asks before the known host key of a machine is forgotten; `button` names the action. */
export function confirmForgettingHostKey(button: string): Promise<boolean> {
  return confirm({
    message: t('Forget the host key of this instance?'),
    detail: t(
      'The next connection trusts any key that its log does not contradict. Do this only if the instance was recreated, its log names the new key, or its host announced that the key changed.',
    ),
    button,
  });
}
