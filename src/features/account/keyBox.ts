import { t } from '../../editor/localize';
import { QuickInput } from '../../editor/quickInput';

export interface KeyBox<T> {
  readonly title: string;
  readonly prompt: string;
  /** Checks the key; the box shows a `UserError`. */
  readonly check: (apiKey: string, signal: AbortSignal) => Promise<T>;
}

/** Asks for a key; the box stays open, with the reason, until a key is accepted or the user cancels. */
export function askForKey<T>({ title, prompt, check }: KeyBox<T>): Promise<T | undefined> {
  const input = new QuickInput<T>();
  return input.open({
    title,
    prompt,
    placeholder: t('API key'),
    password: true,
    ignoreFocusOut: true,
    hint: () => undefined,
    problem: (value) => (value.trim() === '' ? t('Paste your key, or press Escape to cancel.') : undefined),
    accept: async (value, signal) => {
      input.close(await check(value.trim(), signal));
    },
  });
}
