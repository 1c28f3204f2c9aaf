/** A program for the POSIX shell of these lines. */
export function program(...lines: readonly string[]): string {
  return ['#!/bin/sh', ...lines, ''].join('\n');
}

/** As one word of a POSIX shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
