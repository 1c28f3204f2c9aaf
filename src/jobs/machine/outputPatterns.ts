import { quoteForShell } from '../../ssh/commandLine';
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
    // A folder means its whole content.
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
 * Returns a predicate for what the program would list: names below the folder of the job, and absolute ones with their
 * slash.
 */
export function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  const globs = patterns.flatMap(alternatives).flatMap((pattern) => {
    const parts = partsOf(pattern);
    const { isFixed } = baseOf(parts);
    const words = isFixed ? [parts.join('/'), `${parts.join('/')}/**`] : withoutDoubleStars(parts);
    const isDeep = isFixed || parts.includes('**');
    return words.map((word) => globOf(bytesOf(word), isDeep));
  });
  return (name) => {
    const path = bytesOf(name.startsWith('/') ? name : `./${name}`);
    return globs.some((glob) => isMatch(glob, path));
  };
}

/** The program runs in the C locale, in which a character is a byte. */
function bytesOf(word: string): string {
  return Buffer.from(word).toString('latin1');
}

type Test = (sign: string) => boolean;

interface Glob {
  readonly steps: readonly (Test | 'star')[];
  /** The characters that a star matches; a slash only if the pattern contains `**`. */
  readonly one: Test;
}

function globOf(word: string, isDeep: boolean): Glob {
  const one: Test = isDeep ? () => true : (sign) => sign !== '/';
  const signs = word.matchAll(
    /\[([!^]?)((?:\]|\[:[a-z]{1,9}:\]|[^\]])(?:\[:[a-z]{1,9}:\]|[^\]]){0,200})\]|\*+|[^]/g,
  );
  const steps = [...signs].map(([sign, not, set]): Test | 'star' => {
    if (set !== undefined) {
      const expression = new RegExp(`[${not === '' ? '' : '^'}${setOf(set)}]`);
      return (other) => expression.test(other);
    }
    return sign.startsWith('*') ? 'star' : sign === '?' ? one : (other) => other === sign;
  });
  return { steps, one };
}

/**
 * Matches like `find -path`. Only the last star is extended, so that no name of a machine takes longer than its length
 * times that of the pattern.
 */
function isMatch({ steps, one }: Glob, path: string): boolean {
  let step = 0;
  let star = -1;
  let starEnd = 0;
  for (let at = 0; at < path.length;) {
    const next = steps[step];
    if (next === 'star') {
      [star, starEnd] = [step, at];
      step += 1;
    } else if (next?.(path.charAt(at)) === true) {
      step += 1;
      at += 1;
    } else if (star >= 0 && one(path.charAt(starEnd))) {
      starEnd += 1;
      [step, at] = [star + 1, starEnd];
    } else {
      return false;
    }
  }
  return steps.slice(step).every((rest) => rest === 'star');
}

/** The characters of the classes in the C locale. */
const classes: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  blank: ' \\t',
  cntrl: '\\0-\\x1f\\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@[-`{-~',
  space: ' \\t-\\r',
  upper: 'A-Z',
  xdigit: '0-9A-Fa-f',
};

/** Returns the content of brackets as a regular expression has it; a range that runs backward is empty. */
function setOf(set: string): string {
  return [...set.matchAll(/\[:([a-z]+):\]|([^])-([^])|[^]/g)]
    .map(([sign, name, from, to]) => {
      if (name !== undefined) {
        return classes[name] ?? '';
      }
      if (from === undefined || to === undefined) {
        return escaped(sign);
      }
      return from <= to ? `${escaped(from)}-${escaped(to)}` : '';
    })
    .join('');
}

function escaped(sign: string): string {
  return /[\\\]^-]/.test(sign) ? `\\${sign}` : sign;
}

// `**` between two slashes means any number of folders, including none, and at the end for everything below.
function withoutDoubleStars(parts: readonly string[]): readonly string[] {
  const at = parts.indexOf('**');
  if (at < 0) {
    return [parts.join('/')];
  }
  const [before, after] = [parts.slice(0, at), withoutDoubleStars(parts.slice(at + 1))];
  const join = (...more: readonly string[]) => [...before, ...more].join('/');
  return at === parts.length - 1 ? [join('*')] : after.flatMap((rest) => [join(rest), join('*', rest)]);
}
