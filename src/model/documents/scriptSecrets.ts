import { looksSecret } from '../templates/templateReference';
import type { Span } from './envFlags';

/** A value in a shell script that looks like a secret. */
export interface ScriptSecret {
  readonly value: string;
  /** The variable to which a line of its own assigns the value, so that the value can be set elsewhere. */
  readonly assigned?: { readonly name: string; readonly word: Span };
}

/** `NAME=value` and `--option=value`, the value with its quotes. */
const assignment =
  /(?<![\w.-])(?:(?<name>[A-Za-z_]\w*)|--(?<option>[A-Za-z][\w.-]*))=(?<word>"[^"\n]*"|'[^'\n]*'|[^\s"'`;&|<>()]+)/g;
/** `--password value`; the names end with what is hardly anything else. */
const argument =
  /(?<![\w.-])--[\w.-]*(?:api[-_]?key|password|secret)[ \t]+(?<word>"[^"\n]*"|'[^'\n]*'|[^\s"'`;&|<>()-][^\s"'`;&|<>()]*)/gi;
/** Tokens of well-known services, which contain a digit. The lookbehind begins them at a word and keeps this linear. */
const token =
  /(?<![\w-])(?:hf_|sk-|gh[opsu]_|github_pat_|glpat-|xox[abp]-|AKIA|ASIA|AIza|dckr_pat_|npm_|pypi-)(?=[A-Za-z_-]*\d)[\w-]{12,}/g;
/** The password in an address. */
const addressed = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/[^\s/:@"']+:(?<password>[^\s/@"'$]+)@/gi;

/**
 * Returns the values of a shell script that look like secrets, each once. Values that are computed when it runs, such as
 * `$TOKEN` and `$(cat token)`, do not.
 */
export function scriptSecrets(script: string): readonly ScriptSecret[] {
  const found = new Map<string, ScriptSecret>();
  for (const { index, groups } of script.matchAll(assignment)) {
    const { name, option, word = '' } = groups ?? {};
    const value = literal(word);
    if (value !== undefined && looksSecret(name ?? (option ?? '').replace(/[.-]/g, '_'), value)) {
      const place = { offset: index + (name ?? '').length + 1, length: word.length };
      const beginsLine = /^[ \t]*(export[ \t]+)?$/.test(lineBefore(script, index));
      // The shell reads text after a backslash as another value, unless it is in single quotes.
      const isPlain = word.startsWith("'") || !word.includes('\\');
      const assigned = name !== undefined && beginsLine && isPlain ? { name, word: place } : undefined;
      found.set(value, { value, ...(assigned ? { assigned } : {}) });
    }
  }
  const alone = [
    ...[...script.matchAll(argument)]
      .map(({ groups }) => literal(groups?.['word'] ?? '') ?? '')
      .filter((value) => looksSecret('PASSWORD', value)),
    ...[...script.matchAll(token)].map(([value]) => value),
    ...[...script.matchAll(addressed)].map(({ groups }) => groups?.['password'] ?? ''),
  ];
  for (const value of alone) {
    if (![...found.keys()].some((known) => known.includes(value))) {
      found.set(value, { value });
    }
  }
  return [...found.values()];
}

/** Returns the word without its quotes; `undefined` if the shell computes a part of it. */
function literal(word: string): string | undefined {
  return !word.startsWith("'") && /[$`]/.test(word) ? undefined : word.replace(/^(["'])(.*)\1$/, '$2');
}

function lineBefore(script: string, index: number): string {
  return script.slice(script.lastIndexOf('\n', index - 1) + 1, index);
}
