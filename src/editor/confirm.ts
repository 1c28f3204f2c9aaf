import { t } from './localize';
import { ask } from './message';

/** A question before something is lost or costs money. */
export interface Question {
  readonly message: string;
  readonly detail?: string | undefined;
  /** The only way to say yes, named after what happens. */
  readonly button: string;
}

/** Asks in a dialog; true for the button alone, false for Cancel and Escape. */
export async function confirm({ message, detail, button }: Question): Promise<boolean> {
  return (await ask('warning', { message, detail }, { label: button, run: () => true })) === true;
}

/** Asked before renting from a template that is another one than was chosen; `message` says since when. */
export function confirmEditedTemplate(message: string): Promise<boolean> {
  return confirm({
    message,
    detail: t('Nothing is rented before you confirm the price in a later step.'),
    button: t('Rent from the Current Version'),
  });
}

/** Asked wherever the known key of a machine may be forgotten; `button` says what follows. */
export function confirmForgettingHostKey(button: string): Promise<boolean> {
  return confirm({
    message: t('Forget the host key of this instance?'),
    detail: t(
      'The next contact is trusted with any key. Do this only if the instance was recreated, or its host announced that the key changed.',
    ),
    button,
  });
}
