import * as z from 'zod';
import { UserError, type NextStep } from '../../util/errors';
import { text, type Text } from '../../util/text';

const sharedText: z.ZodType<Text> = z.object({
  template: z.string(),
  args: z.array(z.union([z.string(), z.number(), z.lazy(() => sharedText)])).readonly(),
});
/** A failure in its user-facing words. */
export const sharedError = z.object({ text: sharedText, nextStep: z.string() });

/** A failure that occurred in another window. */
export class OtherWindowError extends UserError {}

export function shareError(error: unknown): z.infer<typeof sharedError> {
  return error instanceof UserError
    ? { text: error.text, nextStep: error.nextStep }
    : {
        text: text('Could not read the list because of an unexpected problem. See the log for details.'),
        nextStep: 'showLog',
      };
}

const steps: Readonly<Record<NextStep, true>> = {
  retry: true,
  signIn: true,
  replaceKey: true,
  secondFactor: true,
  openSettings: true,
  showLog: true,
  addSshKey: true,
  openConsole: true,
  none: true,
};

export function reviveError(shared: z.infer<typeof sharedError>): OtherWindowError {
  // The record above contains nothing but next steps.
  const nextStep = Object.hasOwn(steps, shared.nextStep) ? (shared.nextStep as NextStep) : 'none';
  return new OtherWindowError(shared.text, { nextStep });
}
