import { quoteForShell } from '../commandLine';
import { jobPrograms } from './programs';

/** Returns the program that lists and hashes what the patterns match, in the folder of the job. */
export function outputsProgram(patterns: readonly string[]): string {
  const finds = patterns.flatMap(alternatives).map((pattern) => `"$1" ${findWords(pattern).join(' ')}`);
  return jobPrograms.outputs.replace('  # patterns\n', () => finds.map((line) => `  ${line}\n`).join(''));
}

/**
 * Returns the folder of the first pattern, which is created for the job; relative to the folder of the job unless
 * absolute.
 */
export function outputsFolder([pattern]: readonly string[]): string | undefined {
  return pattern === undefined ? undefined : baseOf(partsOf(pattern.replace(/[{].*/, '*'))).folder;
}

function partsOf(pattern: string): readonly string[] {
  const path = pattern.startsWith('/') ? pattern : `./${pattern.replace(/^(?:\.\/)+/, '')}`;
  return path.split('/').filter((part, index) => part !== '' || index === 0);
}

/** Returns the part before the first wildcard. */
function baseOf(parts: readonly string[]): {
  readonly path: string;
  readonly folder: string;
  readonly isFixed: boolean;
} {
  const at = parts.findIndex((part) => /[*?[]/.test(part));
  const join = (some: readonly string[]) => some.join('/') || '/';
  const isFixed = at < 0;
  return {
    path: join(isFixed ? parts : parts.slice(0, at)),
    folder: join(parts.slice(0, at)),
    isFixed,
  };
}

/** Expands each `{a,b}`. */
function alternatives(pattern: string): readonly string[] {
  const [whole, choices] = /\{([^{}]*,[^{}]*)\}/.exec(pattern) ?? [];
  if (whole === undefined || choices === undefined) {
    return [pattern];
  }
  return choices.split(',').flatMap((choice) => alternatives(pattern.replace(whole, () => choice)));
}

/**
 * Returns where to search and for what. A star of `find -path` also matches slashes, so a pattern without `**` also
 * states the number of slashes: each slash of the pattern then matches one of the path, and none is left for a star.
 */
export function findWords(pattern: string): readonly string[] {
  const parts = partsOf(pattern);
  const { path, isFixed } = baseOf(parts);
  if (isFixed) {
    // A folder stands for its whole content.
    return [path, '-path', '*'].map(quoteForShell);
  }
  const words = withoutDoubleStars(parts).flatMap((one, index) => [
    ...(index === 0 ? [] : ['-o']),
    '-path',
    one,
  ]);
  const depth = parts.includes('**') ? [] : ['!', '-path', `${'*/'.repeat(parts.length)}*`];
  return [path, '(', ...words, ')', ...depth].map(quoteForShell);
}

/**
 * Returns a predicate for what the program would list, by names below the folder of the job; absolute patterns match
 * nothing here.
 */
export function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns
    .flatMap(alternatives)
    .filter((pattern) => !pattern.startsWith('/'))
    .map((pattern) => {
      const parts = partsOf(pattern);
      const { isFixed } = baseOf(parts);
      const words = isFixed ? [parts.join('/'), `${parts.join('/')}/**`] : withoutDoubleStars(parts);
      const isDeep = isFixed || parts.includes('**');
      return new RegExp(`^(?:${words.map((word) => expressionOf(word, isDeep)).join('|')})$`, 's');
    });
  return (name) => expressions.some((expression) => expression.test(`./${name}`));
}

/** Returns the expression that `find -path` would use; a star matches slashes only if the pattern contains `**`. */
function expressionOf(word: string, isDeep: boolean): string {
  const one = isDeep ? '.' : '[^/]';
  return word.replace(
    /\[(!?)([^\]]+)\]|\*+|\?|[\\^$+.()|{}[\]]/g,
    (sign: string, not?: string, set?: string) =>
      set !== undefined
        ? `[${not === '!' ? '^' : ''}${set.replaceAll('\\', '\\\\')}]`
        : sign.startsWith('*')
          ? `${one}*`
          : sign === '?'
            ? one
            : `\\${sign}`,
  );
}

// `**` between two slashes stands for any number of folders, including none, and at the end for everything below.
function withoutDoubleStars(parts: readonly string[]): readonly string[] {
  const at = parts.indexOf('**');
  if (at < 0) {
    return [parts.join('/')];
  }
  const [before, after] = [parts.slice(0, at), withoutDoubleStars(parts.slice(at + 1))];
  const join = (...more: readonly string[]) => [...before, ...more].join('/');
  return at === parts.length - 1 ? [join('*')] : after.flatMap((rest) => [join(rest), join('*', rest)]);
}
