import { UserError } from '../../util/errors';
import { formatText, type Text, type TextArg } from '../../util/text';
import { ToolError } from '../model/answer';
import { NotAllowedNowError } from './agentDesk';

/** A number with its unit, such as `$0.40/h` or `12 s`. */
const amount = /^\$?\d[\d.,:]{0,11}(?: ?[a-zA-Z%/]{1,3})?$/;

/**
 * Returns the message of an error for a model, in our own words alone: texts of
 * the service, a machine or a file are only in the log.
 */
export function textForModel(error: unknown): string {
  if (error instanceof NotAllowedNowError) {
    return error.problem;
  }
  if (error instanceof ToolError) {
    return error.message;
  }
  if (!(error instanceof UserError)) {
    return 'GPU Rental could not do it: see the log of GPU Rental.';
  }
  const sentence = ownWords(error.text);
  return sentence === formatText(error.text) ? sentence : `${sentence} For “…”, see the log of GPU Rental.`;
}

/** Returns a text with what stands in it of others left out. */
export function ownWords(text: Text): string {
  return formatText(ownText(text));
}

function ownText({ template, args }: Text): Text {
  return { template, args: args.map(ownArgument) };
}

function ownArgument(arg: TextArg): TextArg {
  return typeof arg === 'object' ? ownText(arg) : typeof arg === 'number' || amount.test(arg) ? arg : '…';
}
