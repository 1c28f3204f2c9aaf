/** Returns the name of a system call's error, such as `ENOENT`; empty for other errors. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
