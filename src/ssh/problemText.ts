import { text, type Text } from '../util/text';
import { hostKeyChanged, hostKeyNotPrinted, hostKeyRenewed } from './hostKey';
import type { Identity } from './identity';
import { explainKeyTrouble } from './keyTrouble';
import { plainText } from './plainText';
import type { Failure, PreflightProblem } from './preflight';
import { givenAway, type Override, type Verification } from './verify';

/** The action of a button beside a problem. */
export type ConnectFix =
  | 'retry'
  | 'waitLonger'
  | 'openTerminal'
  | 'attachKey'
  | 'forgetHostKey'
  | 'openConfig'
  | 'unlockKey'
  | 'protectKey'
  | 'connectAnyway'
  | 'showLog';

export interface Explained {
  readonly text: Text;
  readonly fixes: readonly ConnectFix[];
}

const explanations: Record<PreflightProblem, (failure: Failure) => Explained> = {
  refused: () => ({
    text: text(
      'The instance refuses SSH connections. Its SSH server may still be starting, or the image has none. Wait a minute and retry.',
    ),
    fixes: ['retry', 'showLog'],
  }),
  timedOut: () => ({
    text: text(
      'The instance did not answer in time. The network between may block its port, or the host is busy. Wait longer this time, or try another network.',
    ),
    fixes: ['waitLonger', 'retry', 'openTerminal'],
  }),
  unreachable: () => ({
    text: text('There is no network path to the instance. Check your network connection and retry.'),
    fixes: ['retry', 'showLog'],
  }),
  unresolved: ({ detail }) => ({
    text: text("The address of the instance can't be looked up. Check your network and retry. ({0})", detail),
    fixes: ['retry', 'showLog'],
  }),
  noGreeting: () => ({
    text: text(
      'Something answers at the address of the instance, but not with SSH. Its SSH server may still be starting. Wait a minute and retry.',
    ),
    fixes: ['retry', 'showLog'],
  }),
  authentication: ({ keysTried, keyFiles }) => ({
    text:
      keysTried.length === 0
        ? text('The instance accepts no key of this computer. Attach one to the instance.')
        : text(
            'The instance did not accept the key {0}. Attach a key to the instance.',
            keysTried.map((key) => triedKeyName(key, keyFiles)).join(', '),
          ),
    fixes: ['attachKey', 'retry'],
  }),
  notSigned: ({ keysTried, keyFiles }) => ({
    text: text(
      "The instance knows the key {0}, but this computer could not use it. Unlock its SSH agent, answer the agent's prompt or touch its security key, then retry.",
      triedKeyName(keysTried.at(-1) ?? '–', keyFiles),
    ),
    fixes: ['retry', 'openTerminal'],
  }),
  unprotectedKey: ({ detail }) => ({
    text: explainKeyTrouble({ kind: 'unprotected', file: detail }),
    fixes: ['protectKey', 'retry'],
  }),
  unusableKey: ({ trouble, detail }) => ({
    text: explainKeyTrouble(trouble ?? { kind: 'damaged', file: detail }),
    fixes: ['retry', 'openTerminal'],
  }),
  hostKeyChanged: ({ isPrinted }) => ({
    text: isPrinted === true ? hostKeyRenewed : hostKeyChanged,
    // A hasty Enter takes the first button.
    fixes: ['retry', 'forgetHostKey'],
  }),
  hostKeyNotPrinted: () => ({ text: hostKeyNotPrinted, fixes: ['retry', 'showLog'] }),
  startupScript: ({ detail }) => ({
    text: text(
      'The login worked, but a start-up file of the instance ended its shell too early. If it starts tmux, run touch ~/.no_auto_tmux in a terminal: {0}',
      detail,
    ),
    fixes: ['openTerminal', 'retry'],
  }),
  diskFull: ({ detail }) => ({
    text: text(
      'The disk of the instance is almost full ({0} free), so the server of a new window may not fit. Open a terminal and free some space.',
      detail,
    ),
    fixes: ['openTerminal', 'connectAnyway', 'retry'],
  }),
  config: ({ detail }) => ({
    text: text('ssh does not accept your SSH config: {0} Correct that line and retry.', detail),
    fixes: ['openConfig', 'retry'],
  }),
  other: ({ detail }) => ({
    text: text('ssh could not log in to the instance: {0}', detail === '' ? '–' : detail),
    fixes: ['retry', 'openTerminal', 'showLog'],
  }),
};

/** Returns the file of a key, or its fingerprint where only an agent holds it. */
export function triedKeyName(key: string, files: Failure['keyFiles']): string {
  const file = files?.[key];
  return file === undefined || /[/\\]gpu-rental\.d[/\\]/.test(file) ? key : file;
}

/** Returns why no login was possible and what helps; text from the machine is made safe to display. */
export function explainFailure(
  failure: Failure,
  identity?: Pick<Identity, 'lockedFile' | 'unusable'>,
): Explained {
  const lockedFile = identity?.lockedFile;
  if (isLocked(failure, lockedFile)) {
    return {
      text: text(
        'The key {0} asks for a passphrase, and no SSH agent holds it. Add it to the agent, or open a terminal, which asks for it.',
        lockedFile,
      ),
      fixes: ['unlockKey', 'openTerminal', 'retry'],
    };
  }
  // A machine that refuses what was offered may know the key that could not be.
  const unusable = failure.problem === 'authentication' ? identity?.unusable : undefined;
  return unusable
    ? { text: explainKeyTrouble(unusable), fixes: ['retry', 'openTerminal'] }
    : explanations[failure.problem](failure);
}

function isLocked({ problem }: Failure, lockedFile: string | undefined): lockedFile is string {
  return lockedFile !== undefined && (problem === 'authentication' || problem === 'notSigned');
}

/** Returns the same for a prepared host: if the config is at fault, it explains more than the failed login. */
export function explainNoLogin(
  failure: Failure,
  { identity, verification }: { readonly identity: Identity; readonly verification: Verification },
): Explained {
  return explainVerification(verification) ?? explainFailure(failure, identity);
}

const overrideFixes = ['openConfig', 'connectAnyway', 'retry'] as const;

/** Returns which line of the user's config is in the way; `undefined` if none is. */
export function explainVerification(verification: Verification): Explained | undefined {
  switch (verification.kind) {
    case 'equal':
      return undefined;
    case 'notIncluded':
      return {
        text: text(
          'Your SSH config does not read the entry of this instance: the Include line of GPU Rental stands inside a block for other hosts. Move it to the first line.',
        ),
        fixes: ['openConfig', 'retry'],
      };
    case 'broken':
      return {
        text: text('ssh does not accept your SSH config: {0}', plainText(verification.message)),
        fixes: ['openConfig', 'retry'],
      };
    case 'overridden': {
      const [first] = verification.overrides;
      if (!first) {
        return undefined;
      }
      const option = plainText(first.option);
      if (first.wanted === '') {
        return explainGivenAway(verification);
      }
      if (first.isCrowding === true) {
        return { text: crowdingText(first), fixes: overrideFixes };
      }
      return {
        text: first.place
          ? text(
              'Line {0} of {1} overrides the entry of this instance: "{2}". Move it below the Include line, or limit it to other hosts.',
              first.place.line,
              plainText(first.place.file),
              plainText(first.place.text),
            )
          : text(
              'Your SSH config gives {0} the value {1} instead of {2} for this instance.',
              option,
              plainText(first.found),
              plainText(first.wanted),
            ),
        fixes: overrideFixes,
      };
    }
  }
}

/** Returns why ssh reads no entry of ours at all, so that no login by the alias can work; `undefined` if it reads them. */
export function explainUnread(verification: Verification): Explained | undefined {
  return verification.kind === 'broken' || verification.kind === 'notIncluded'
    ? explainVerification(verification)
    : undefined;
}

/**
 * Returns a message if the config would send something of this computer to the machine, which a terminal does not show
 * either.
 */
export function explainGivenAway(verification: Verification | undefined): Explained | undefined {
  const [given] = givenAway(verification);
  return given && { text: givenAwayText(given), fixes: overrideFixes };
}

function crowdingText({ option, found, place }: Override): Text {
  return place
    ? text(
        'Line {0} of {1} and others like it have ssh offer more keys than a machine allows before that of the instance: "{2}". Limit them to other hosts, for example with "Host * !gpu-*".',
        place.line,
        plainText(place.file),
        plainText(place.text),
      )
    : text(
        'Your SSH config has ssh offer more keys than a machine allows before that of the instance: {0} {1}. Limit such lines to other hosts, for example with "Host * !gpu-*".',
        plainText(option),
        plainText(found),
      );
}

function givenAwayText({ option, found, place }: Override): Text {
  return place
    ? text(
        'Line {0} of {1} gives rented machines something of this computer: "{2}". Limit it to other hosts, for example with "Host * !gpu-*".',
        place.line,
        plainText(place.file),
        plainText(place.text),
      )
    : text(
        'Your SSH config gives rented machines something of this computer: {0} {1}. Limit it to other hosts, for example with "Host * !gpu-*".',
        plainText(option),
        plainText(found),
      );
}
