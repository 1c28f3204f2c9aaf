/** Returns a program with its parts inserted at lines `# include NAME`. */
export function assembled(source: string, parts: Readonly<Record<string, string>>): string {
  return source.replace(/^# include ([\w.]+)\n/gm, (_, name: string) => assembled(parts[name] ?? '', parts));
}

/** Removes comments and empty lines, for programs whose length counts. */
export function withoutComments(program: string): string {
  return program.replace(/^[ \t]*(#(?!!).*)?\n/gm, '');
}
