import { isIP } from 'node:net';
import { UserError } from '../util/errors';
import { text, type Text } from '../util/text';

/**
 * A value from outside that must not reach a config file or a command line
 * (docs/rules.md#outside-values-are-hostile).
 */
export class UnsafeValueError extends UserError {
  constructor(what: Text) {
    super(
      text(
        "The service sent {0} that can't be used safely, so nothing was written. Try again later or contact the host.",
        what,
      ),
    );
  }
}

const label = /^[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$/;

/**
 * Checks a host name or address for an SSH config: letters, digits, dots and inner hyphens, or an IP address without
 * a zone. Anything else is refused, never escaped.
 */
export function checkHost(value: unknown): string {
  if (typeof value === 'string' && value.length <= 253) {
    if (isIP(value) !== 0 && !value.includes('%')) {
      return value;
    }
    // Browsers and the system's lookup parse a name that ends in a number as an address.
    if (value.split('.').every((part) => label.test(part)) && !/(?:^|\.)(?:\d+|0x[0-9a-f]*)$/i.test(value)) {
      return value;
    }
  }
  throw new UnsafeValueError(text('an SSH host name'));
}

/** Checks a TCP port, 1 to 65535. */
export function checkPort(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535) {
    return value;
  }
  throw new UnsafeValueError(text('an SSH port'));
}

/** Checks an instance id: a positive whole number that is exact in JavaScript. */
export function checkId(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) {
    return value;
  }
  throw new UnsafeValueError(text('an instance number'));
}

const aliasPattern = /^gpu-(?:(?:demo|[0-9a-f]{6})-)?[1-9][0-9]{0,15}$/;

export function isAlias(value: unknown): value is string {
  return typeof value === 'string' && aliasPattern.test(value);
}

const workspacePattern = /^gpu-ws-[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** True for the name of a workspace, which leads to the instance that it is open on. */
export function isWorkspaceHost(value: unknown): value is string {
  return typeof value === 'string' && workspacePattern.test(value);
}

/** True for a host key as ssh stores it: its blob begins with its own type, and nothing else fits in a line. */
export function isHostKey({ type, base64 }: { readonly type: string; readonly base64: string }): boolean {
  if (!/^(?:ssh-(?:ed25519|rsa)|ecdsa-sha2-nistp(?:256|384|521))$/.test(type)) {
    return false;
  }
  const blob = /^[A-Za-z0-9+/]{32,1000}={0,2}$/.test(base64)
    ? Buffer.from(base64, 'base64')
    : Buffer.alloc(0);
  return blob.length >= 4 && blob.subarray(4, 4 + blob.readUInt32BE(0)).toString('latin1') === type;
}

/** Returns the name under which the key of an instance's host is stored, separate from the key of the instance. */
export function hostAliasOf(alias: string): string {
  return `${alias}.host`;
}

/** Checks one of our aliases, the only host names that our commands receive. */
export function checkAlias(value: unknown): string {
  if (isAlias(value)) {
    return value;
  }
  throw new UnsafeValueError(text('an SSH host alias'));
}

/** Checks the name of a workspace in an SSH config. */
export function checkWorkspaceHost(value: unknown): string {
  if (isWorkspaceHost(value)) {
    return value;
  }
  throw new UnsafeValueError(text('an SSH host alias'));
}
