import { accountLines, type KeyAccount } from '../../instanceKeys';
import { explainMissingAgent } from '../../ssh/keyAgent';
import { worksUnattended, matchKeys } from '../../ssh/localKeys';
import type { SshService } from '../../ssh/service';
import { UserError } from '../../util/errors';
import { text, type Text } from '../../util/text';
import { attempt, finding, fixes, noAccountText, skipAll, type DoctorFinding } from './finding';

interface Ports {
  readonly account: KeyAccount | undefined;
  readonly unreadable?: unknown;
  readonly ssh: Pick<SshService, 'agent' | 'localKeys' | 'unreadKeys'>;
}

const titles = {
  localKey: text('SSH key on this computer'),
  unattended: text('Passphrases'),
  registered: text('Registered key'),
} as const;

/** Returns the text about private keys that can't be compared but may still match. */
export function uncomparedText(files: readonly string[]): Text {
  return text(
    "No readable key matches. The public part of these keys can't be read without a passphrase: {0}. Add them to an SSH agent.",
    files.join(', '),
  );
}

/** Returns the findings about the keys of this computer, and whether one of them is registered. */
export async function keyFindings(
  { account, unreadable, ssh }: Ports,
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  const [local, uncompared] = await Promise.all([ssh.localKeys(signal), ssh.unreadKeys(signal)]);
  if (local.length === 0) {
    const { localKey, ...others } = titles;
    if (uncompared.length > 0) {
      const why = uncomparedText(uncompared);
      return [finding('localKey', localKey, 'note', why, fixes.generateKey), ...skipAll(others, why)];
    }
    const none = text('There is no key in your .ssh folder, your SSH config or your agent.');
    return [finding('localKey', localKey, 'problem', none, fixes.generateKey), ...skipAll(others, none)];
  }
  const found = [
    finding(
      'localKey',
      titles.localKey,
      'ok',
      text('Found: {0}', local.map((key) => key.publicKey.fingerprint).join(', ')),
    ),
    local.some(worksUnattended)
      ? finding('unattended', titles.unattended, 'ok', text('No problem found.'))
      : finding('unattended', titles.unattended, 'problem', await lockedText(ssh), fixes.generateKey),
  ];
  const listed = account && (await attempt(() => account.client.sshKeys.list({ signal })));
  if (!account || !listed?.value) {
    const why = account ? text('Could not check this.') : noAccountText(unreadable);
    return [...found, finding('registered', titles.registered, 'skipped', why)];
  }
  const registered = accountLines(listed.value.items, account.user);
  return [
    ...found,
    matchKeys(local, registered).length > 0
      ? finding('registered', titles.registered, 'ok', text('No problem found.'))
      : uncompared.length > 0
        ? finding('registered', titles.registered, 'note', uncomparedText(uncompared), fixes.addKey)
        : listed.value.skipped > 0
          ? finding(
              'registered',
              titles.registered,
              'note',
              text(
                'No key of this computer was found. Keys that could not be read: {0}. The log names the field.',
                listed.value.skipped,
              ),
              fixes.addKey,
            )
          : finding(
              'registered',
              titles.registered,
              'problem',
              text("No key of this computer is registered, so you can't log in to instances that you rent."),
              fixes.addKey,
            ),
  ];
}

/** Returns why every key asks for a passphrase, and how the agent that ssh asks gets one. */
async function lockedText(ssh: Pick<SshService, 'agent'>): Promise<Text> {
  const { value: agent, error } = await attempt(() => ssh.agent());
  if (!agent) {
    if (error instanceof UserError) {
      return text('Every key asks for a passphrase. {0}', error.text);
    }
    throw error;
  }
  const { isRunning, asked } = agent;
  if (!isRunning || asked === 'none') {
    return text('Every key asks for a passphrase. {0}', explainMissingAgent(process.platform, asked).text);
  }
  return asked === 'environment'
    ? text('Every key asks for a passphrase, and no SSH agent holds one. Run ssh-add in a terminal.')
    : text(
        'Every key asks for a passphrase, and the SSH agent that your SSH config names holds none: {0}. To add one, set SSH_AUTH_SOCK to that path and run ssh-add in a terminal.',
        asked.socket,
      );
}
