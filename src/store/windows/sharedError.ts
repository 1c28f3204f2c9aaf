import * as z from 'zod';
import { nextSteps, UserError } from '../../util/errors';
import { text, type Text } from '../../util/text';

const sharedText: z.ZodType<Text> = z.object({
  template: z.string(),
  args: z.array(z.union([z.string(), z.number(), z.lazy(() => sharedText)])).readonly(),
});
/** A failure in its user-facing words. */
export const sharedError = z.object({ text: sharedText, nextStep: z.enum(nextSteps).catch('none') });
type SharedError = z.infer<typeof sharedError>;

/** A failure that occurred in another window. */
export class OtherWindowError extends UserError {}

export function shareError(error: unknown): SharedError {
  return error instanceof UserError
    ? { text: error.text, nextStep: error.nextStep }
    : {
        text: text('Something unexpected happened. See the log for details.'),
        nextStep: 'showLog',
      };
}

export function reviveError({ text: words, nextStep }: SharedError): OtherWindowError {
  return new OtherWindowError(words, { nextStep });
}
