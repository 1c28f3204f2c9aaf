import { text, type Text } from '../../util/text';

export type Verdict = 'ok' | 'note' | 'problem';

/** One thing looked at: what it is, how it is, and the command that mends it. */
export interface Finding {
  readonly id: string;
  readonly title: Text;
  readonly verdict: Verdict;
  readonly detail: Text | string;
  readonly fix?: Fix;
}

/** A command to run, or a file to look into. */
export type Fix =
  | { readonly label: Text; readonly command: string; readonly args?: readonly unknown[] }
  | { readonly label: Text; readonly file: string };

export const finding = (
  id: string,
  title: Text,
  verdict: Verdict,
  detail: Text | string,
  fix?: Finding['fix'],
): Finding => ({ id, title, verdict, detail, ...(fix ? { fix } : {}) });

export const fixes = {
  signIn: { label: text('Sign In'), command: 'gpuRental.signIn' },
  addKey: { label: text('Add SSH Key'), command: 'gpuRental.sshKey.add' },
  generateKey: { label: text('Generate SSH Key'), command: 'gpuRental.sshKey.generate' },
  installRemoteSsh: {
    label: text('Find Remote-SSH'),
    command: 'workbench.extensions.search',
    args: ['remote ssh'],
  },
  openFile: (file: string) => ({ label: text('Open File'), file }),
} as const;
