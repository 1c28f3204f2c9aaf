import { durationText } from '../../util/duration';
import { text, type Text } from '../../util/text';
import {
  isCheckLong,
  type CheckProblem,
  type CheckStage,
  type MachineCheck,
  type MachineProblem,
  type NotCheckedReason,
} from './machineCheck';

const stages: Readonly<Record<CheckStage, Text>> = {
  port: text('Waiting for its SSH port'),
  login: text('Logging in…'),
  gpu: text('Checking its GPUs'),
};

const reasons: Readonly<Record<CheckProblem, Text>> = {
  refused: text('its SSH port is closed'),
  timedOut: text('its SSH port does not answer'),
  noGreeting: text('its SSH server sends no greeting'),
  unreachable: text('there is no network path to it'),
  authentication: text('it refuses the key'),
  hostKeyChanged: text('its host key has changed'),
  hostKeyNotPrinted: text('its host key is not the one in its log'),
  startupScript: text('its shell exits immediately'),
  other: text('the login fails'),
  cut: text('its connection ends'),
  noRoom: text('its disk is full'),
  busy: text('another window or computer is checking it'),
};

/** Returns the stage, how long it takes, and the reason if that is longer than usual; the caller joins them. */
export function checkTexts(check: MachineCheck, now: number, isTimed = true): readonly Text[] {
  const { stage, since, problem } = check;
  // Waiting does not help against another host key, so it is no delay.
  if (problem === 'hostKeyChanged' || problem === 'hostKeyNotPrinted') {
    return [text('No login: {0}', reasons[problem])];
  }
  const late =
    problem === undefined ? text('longer than usual') : text('longer than usual: {0}', reasons[problem]);
  return [
    stages[stage],
    ...(isTimed ? [durationText(now - since)] : []),
    ...(isCheckLong(check, now) ? [late] : []),
  ];
}

const unproved: Readonly<Record<MachineProblem, (name: string, detail: string) => Text>> = {
  refused: (name) =>
    text('{0} is running, but its SSH port is closed. The image may have no SSH server.', name),
  timedOut: (name) =>
    text(
      '{0} is running, but its SSH port does not answer. A network in between may block it, or the host is too busy.',
      name,
    ),
  noGreeting: (name) =>
    text(
      '{0} is running, but the program at its SSH port is not an SSH server, or it closes the connection immediately.',
      name,
    ),
  authentication: (name) => text('{0} is running, but it refuses the SSH key of this computer.', name),
  hostKeyChanged: (name) =>
    text('{0} is running, but its host key has changed: another machine may answer at its address.', name),
  hostKeyNotPrinted: (name) =>
    text(
      '{0} is running, but its host key is not the one in its log: another machine may answer at its address.',
      name,
    ),
  startupScript: (name) =>
    text(
      '{0} is running and accepts the login, but its shell exits immediately. A start-up file of the image may cause this.',
      name,
    ),
  cut: (name) => text('{0} is running, but its connection ended while its GPUs were checked.', name),
  noRoom: (name) => text('{0} is running, but its disk is full, so its GPUs could not be checked.', name),
  other: (name, detail) => text('{0} is running, but ssh could not log in: {1}', name, detail),
};

/** Explains why a running machine can't be used, once its check has used all its time. */
export function unprovedText(name: string, problem: MachineProblem, detail = '–'): Text {
  return unproved[problem](name, detail);
}

const notChecked: Readonly<Record<NotCheckedReason, (detail: string) => Text>> = {
  consent: () => text('you have not confirmed the SSH program or config in your settings yet'),
  noKey: () => text('no SSH key of this computer is registered'),
  lockedKey: (detail) => text('the key {0} asks for a passphrase', detail),
  unsignedKey: (detail) => text('this computer could not use the key {0}', detail),
  unprotectedKey: (detail) => text('other users of this computer can read the key {0}', detail),
  unusableKey: (detail) => text("ssh can't use the key {0}", detail),
  noClient: () => text('no SSH client was found'),
  noAddress: () => text('the service names no SSH address'),
  config: () => text('your SSH config needs a change first'),
  network: () => text('this computer has no network path to it'),
  busy: () => text('another computer is checking it'),
  failed: () => text('the log has the details'),
};

export function notCheckedText(reason: NotCheckedReason, detail = '–'): Text {
  return text('login not checked: {0}', notChecked[reason](detail));
}

/** States that the service reports a machine as running, and why nothing more is known about it. */
export function runsUncheckedText(name: string, reason: NotCheckedReason, detail = '–'): Text {
  return text(
    '{0} is running, but its login and GPUs could not be checked: {1}.',
    name,
    notChecked[reason](detail),
  );
}
