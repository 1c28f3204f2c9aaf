import { isCancelled } from '../../util/errors';
import { text, type Text } from '../../util/text';

/** `skipped` means that the check does not apply; the detail holds the reason. */
export type Verdict = 'ok' | 'note' | 'problem' | 'skipped';

/** The result of one check: its subject, its verdict, and the command that repairs it. */
export interface DoctorFinding {
  readonly id: string;
  readonly title: Text;
  readonly verdict: Verdict;
  readonly detail: Text | string;
  readonly fix?: DoctorFix | undefined;
}

/** The action of a row. */
export type DoctorFix = { readonly label: Text } & (
  | { readonly kind: 'command'; readonly command: string; readonly args?: readonly unknown[] }
  | { readonly kind: 'openFile'; readonly file: string; readonly copy?: string }
  /** Removes the access of other users to the SSH files. */
  | { readonly kind: 'tighten' }
  | { readonly kind: 'forgetHostKey'; readonly alias: string }
);

export const finding = (
  id: string,
  title: Text,
  verdict: Verdict,
  detail: Text | string,
  fix?: DoctorFinding['fix'],
): DoctorFinding => ({ id, title, verdict, detail, fix });

/** Returns a skipped finding for each check (title by id), all with the same reason. */
export function skipAll(checks: Readonly<Record<string, Text>>, why: Text): readonly DoctorFinding[] {
  return Object.entries(checks).map(([id, title]) => finding(id, title, 'skipped', why));
}

/** Returns why nothing of an account can be checked: no account is signed in, or the saved account can't be read. */
export function noAccountText(unreadable: unknown): Text {
  return unreadable === undefined
    ? text('You are not signed in. Sign in first.')
    : text("The account can't be read on this computer.");
}

const command = (label: Text, id: string, ...args: readonly unknown[]): DoctorFix => ({
  label,
  kind: 'command',
  command: id,
  args,
});

export const fixes = {
  signIn: command(text('Sign In'), 'gpuRental.signIn'),
  replaceKey: command(text('Replace Key'), 'gpuRental.replaceKey'),
  readAgain: command(text('Retry'), 'gpuRental.refresh'),
  createKey: command(text('Create API Key'), 'gpuRental.apiKey.create'),
  addCredit: command(text('Add Credit'), 'gpuRental.openConsole', { kind: 'credit' }),
  addKey: command(text('Add SSH Key'), 'gpuRental.sshKey.add'),
  generateKey: command(text('Generate SSH Key'), 'gpuRental.sshKey.generate'),
  findRemoteSsh: command(text('Find Remote-SSH'), 'workbench.extensions.search', 'remote ssh'),
  showRemoteSsh: command(text('Show Extensions'), 'workbench.extensions.search', '@installed remote ssh'),
  openSetting: (name: string) => command(text('Open Settings'), 'workbench.action.openSettings', name),
  openTerminal: (instanceId: number) =>
    command(text('Open Terminal'), 'gpuRental.instance.openTerminal', { instanceId }),
  attachKey: (instanceId: number) =>
    command(text('Attach Key'), 'gpuRental.instance.attachKey', { instanceId }),
  showLogs: (instanceId: number) =>
    command(text('Show Instance Log'), 'gpuRental.instance.showLogs', { instanceId }),
  checkMachine: (instanceId: number) =>
    command(text('Check Machine'), 'gpuRental.instance.check', { instanceId }),
  reboot: (instanceId: number) => command(text('Reboot'), 'gpuRental.instance.reboot', { instanceId }),
  tighten: { label: text('Make Private'), kind: 'tighten' },
  forgetHostKey: (alias: string): DoctorFix => ({
    label: text('Forget the Old Key'),
    kind: 'forgetHostKey',
    alias,
  }),
  openFile: (file: string): DoctorFix => ({ label: text('Open File'), kind: 'openFile', file }),
  pasteLine: (file: string, copy: string): DoctorFix => ({
    label: text('Copy Line and Open File'),
    kind: 'openFile',
    file,
    copy,
  }),
} as const;

/** Returns the value or the error of an attempt; a cancellation rejects and ends the examination. */
export async function attempt<T>(
  run: () => Promise<T>,
): Promise<{ readonly value?: T; readonly error?: unknown }> {
  try {
    return { value: await run() };
  } catch (error) {
    if (isCancelled(error)) {
      throw error;
    }
    return { error };
  }
}
