import { UserError } from '../util/errors';
import { text, type Text } from '../util/text';
import { tokenPath } from './paths';

/** Matches ssh's message when the server's host key differs from the known one. */
export const changedHostKey = /REMOTE HOST IDENTIFICATION HAS CHANGED|you have requested strict checking/;

export const hostKeyChanged = text(
  'The host key of the instance has changed. It may have been created again, or the connection may be intercepted. Nothing was sent. Forget the old key only if you know why it changed.',
);

/** The same where the log of the instance names the new key. */
export const hostKeyRenewed = text(
  'The host key of the instance has changed, and its log names the new one, so its image probably created it at the last start. Nothing was sent. Forget the old key to connect.',
);

export const hostKeyNotPrinted = text(
  'The host key at the address is not the one that the log of the instance names. The connection may be intercepted, so it was ended and the key was not kept. Retry, or connect over another network.',
);

/** Returns how the stored host key of an entry was checked; `undefined` before a login has proved one. */
export function hostKeyTrust(
  entry: { readonly isProved?: boolean; readonly isKeyPrinted?: boolean } | undefined,
): Text | undefined {
  if (entry?.isKeyPrinted === true) {
    return text('Verified: the instance printed it into its log');
  }
  return entry?.isProved === true
    ? text('Trusted since the first login: the log of the instance did not name it in time')
    : undefined;
}

const hostKeyUnknown = text(
  'No login has proved the host key of the instance yet, so nothing was sent. Connect to it, then try again.',
);

/**
 * Returns the options by which ssh checks the host key of an alias against a file, and by nothing else: on the command
 * line they also hold where lines of the user's config come before our entry.
 */
export function hostKeyOptions(
  alias: string,
  file: string,
  checking: 'yes' | 'ask' | 'accept-new',
): readonly string[] {
  return [
    `HostKeyAlias=${alias}`,
    `UserKnownHostsFile=${tokenPath(file)}`,
    'GlobalKnownHostsFile=none',
    'HashKnownHosts=no',
    // Otherwise ssh stores the key for the address as well, which the next machine there contradicts.
    'CheckHostIP=no',
    `StrictHostKeyChecking=${checking}`,
  ];
}

/** ssh did not accept the host key of the machine, so nothing was sent to it. */
export class HostKeyError extends UserError {
  /** The fingerprint of the key that the server offered, if ssh named it; distinguishes one change from the next. */
  readonly offered: string | undefined;

  constructor(message: string) {
    super(changedHostKey.test(message) ? hostKeyChanged : hostKeyUnknown, { nextStep: 'retry' });
    this.offered = /sent by the remote host is\s+(\S+?)\.?(?:\s|$)/.exec(message)?.[1];
  }
}

/**
 * Returns the error if ssh's message reports that it refused the host key, so that
 * the message is the same for every command.
 */
export function hostKeyErrorOf(stderr: string): HostKeyError | undefined {
  return /^Host key verification failed\./m.test(stderr) ? new HostKeyError(stderr) : undefined;
}
