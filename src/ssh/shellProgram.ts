/** Puts the parts into a program that names them by lines `# include NAME`. */
export function assembled(source: string, parts: Readonly<Record<string, string>>): string {
  return source.replace(/^# include ([\w.]+)\n/gm, (_, name: string) => assembled(parts[name] ?? '', parts));
}

/** Without comments and empty lines, for where each character counts. */
export function withoutComments(program: string): string {
  return program.replace(/^[ \t]*(#(?!!).*)?\n/gm, '');
}
