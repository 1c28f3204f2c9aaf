import { formatText, type Text } from './text';

export const nextSteps = [
  'retry',
  'signIn',
  'replaceKey',
  'secondFactor',
  'openSettings',
  'showLog',
  'addSshKey',
  'openConsole',
  'none',
] as const;
/** The one action a message offers; `editor/report.ts` turns it into a button. */
export type NextStep = (typeof nextSteps)[number];

/** The page of the web console to which `openConsole` leads; without one the user chooses. */
export type ConsolePageName = 'credit' | 'user' | 'apiKeys';

/**
 * An error whose text may be shown to the user as it is. Each subclass states what failed
 * and what to do about it; anything else that is thrown is a bug and is shown as one.
 */
export class UserError extends Error {
  readonly text: Text;
  readonly nextStep: NextStep;
  readonly consolePage: ConsolePageName | undefined;
  /** The user has just read and left a message about it, so none is shown. */
  readonly isShown: boolean;

  constructor(
    text: Text,
    options: {
      nextStep?: NextStep;
      consolePage?: ConsolePageName | undefined;
      cause?: unknown;
      isShown?: boolean;
    } = {},
  ) {
    super(formatText(text), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.text = text;
    this.nextStep = options.nextStep ?? 'none';
    this.consolePage = options.consolePage;
    this.isShown = options.isShown ?? false;
  }
}

/** The user, or the end of a window, stopped the action. No message is shown. */
export class CancelledError extends Error {
  constructor() {
    super('Cancelled');
    this.name = 'CancelledError';
  }
}

/** True for our own cancellation and for the platform's `AbortError`. */
export function isCancelled(error: unknown): boolean {
  return error instanceof CancelledError || (error instanceof Error && error.name === 'AbortError');
}

/** Returns true if the user has to enter a verification code first; another try without one fails, too. */
export function needsCode(error: unknown): boolean {
  return error instanceof UserError && error.nextStep === 'secondFactor';
}

export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
