import { errorCode } from './errorCode';
import { text, type Text } from './text';

/** The cause and the remedy of failed writes on this computer. */
const diskFull = text('The disk of this computer is full. Free some space on it.');
const readOnly = text('The disk of this computer is read-only. Make it writable.');
const denied = (path: string) => text('This computer denies access to {0}. Check its permissions.', path);

const templates = [diskFull, readOnly, denied('')].map(({ template }) => template);

/** Returns the problem with a file of this computer; `undefined` for every other error. */
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

/** Returns whether a reason that was read from a file is such a problem. */
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
