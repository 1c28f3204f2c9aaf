import { errorCode } from './errorCode';
import { text, type Text } from './text';

/** Why nothing more can be written here, and what mends it. */
const diskFull = text('The disk of this computer is full. Free some space on it.');
const readOnly = text('The disk of this computer is read-only. Make it writable.');
const denied = (path: string) => text('This computer denies access to {0}. Check its permissions.', path);

const templates = [diskFull, readOnly, denied('')].map(({ template }) => template);

/** What this computer's own files stand in the way with; `undefined` for every other error. */
export function localProblem(error: unknown): Text | undefined {
  switch (errorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFull;
    case 'EROFS':
      return readOnly;
    case 'EACCES':
    case 'EPERM':
      return isOfFile(error) ? denied(error.path) : undefined;
    default:
      return undefined;
  }
}

/** True for such a reason as it comes back from a file. */
export function isLocalProblem(why: Text | undefined): boolean {
  return why !== undefined && templates.includes(why.template);
}

/** A program that can't be started and a refused connection have the same codes. */
function isOfFile(error: unknown): error is { readonly path: string } {
  return (
    error instanceof Error &&
    'path' in error &&
    typeof error.path === 'string' &&
    !('syscall' in error && /^(?:spawn|connect|listen|bind)/.test(String(error.syscall)))
  );
}
