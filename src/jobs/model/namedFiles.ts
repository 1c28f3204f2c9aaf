/** Returns the words of a script that may be file names. */
export function namedFiles(script: string): readonly string[] {
  const words = script.match(/[\w@%+~./-]+/g) ?? [];
  const paths = words
    .map((word) => word.replace(/^(?:\.\/)+/, ''))
    .filter((word) => /[\w-]\.\w+$|\//.test(word) && !/^[/~-]|(?:^|\/)\.\.(?:\/|$)/.test(word));
  return [...new Set(paths)];
}
