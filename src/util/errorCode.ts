/** What a system call names its error, as `ENOENT`; empty where an error has no such name. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
