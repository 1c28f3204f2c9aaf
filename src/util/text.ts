import { plainArgument } from './plainLabel';

/**
 * A sentence for people: an English template with numbered places, kept apart from its values
 * so that the editor layer can translate it. The inner folders never format text for display.
 */
export interface Text {
  readonly template: string;
  readonly args: readonly TextArg[];
}

/** Strings are a stranger's until they are cleaned; a sentence of our own is handed over as a `Text`. */
export type TextArg = string | number | Text;

/** Makes a `Text`; `{0}`, `{1}` … in the template stand for the arguments. */
export function text(template: string, ...args: TextArg[]): Text {
  return { template, args };
}

/** Translates one template whose places are still open, for example `vscode.l10n.t`. */
export type Translate = (template: string) => string;

/**
 * Fills a text in; without `translate` in English. A string in the place of a text is a value as well. This is where each argument becomes plain words: names, paths and
 * texts from outside can be no link, no icon, no escape and no second line of a sentence.
 */
export function formatText(value: Text | string, translate: Translate = (template) => template): string {
  if (typeof value === 'string') {
    return plainArgument(value);
  }
  const fill = (place: string, quote: string, index: string) => {
    const arg = value.args[Number(index)];
    if (arg === undefined) {
      return place;
    }
    if (typeof arg === 'object') {
      return `${quote}${formatText(arg, translate)}`;
    }
    const words = plainArgument(String(arg));
    // Text in quotation marks can't close them and continue in our name.
    return quote === '' ? words : `${quote}${words.replace(/[“”„‟]/g, '"')}`;
  };
  // A text from outside may end with a full stop of its own, where the sentence has one.
  return translate(value.template).replace(
    /(“?)\{(\d+)\}(\.(?=\s|$))?/g,
    (place, quote: string, index: string, stop = '') => {
      const words = fill(stop === '' ? place : place.slice(0, -1), quote, index);
      return /[^\s.][.!?…]["”)]?$/.test(words) ? words : `${words}${stop}`;
    },
  );
}
