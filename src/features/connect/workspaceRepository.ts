import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { message, suggest } from '../../editor/message';
import { withCancellableProgress } from '../../editor/progress';
import { pickFromList, type Row } from '../../editor/quickPick';
import { labelOf } from '../../editor/titles';
import { cloneRepository } from '../../ssh/cloneRepository';
import { remotesOf, UnreadRepositoryError } from '../../ssh/localGit';
import { overHttps, type RepositoryUrl } from '../../ssh/repositoryUrl';
import type { Run } from '../../ssh/run';
import type { SshService } from '../../ssh/service';
import { plainLabel } from '../../util/plainLabel';

/**
 * Returns the remotes of the open folders; none in untrusted folders.
 *
 * @throws UnreadRepositoryError if no remote was found and git could not read one of the folders.
 */
export async function workspaceRemotes(run: Run): Promise<readonly RepositoryUrl[]> {
  const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  const found = new Map<string, RepositoryUrl>();
  let failure: UnreadRepositoryError | undefined;
  for (const { uri } of folders) {
    try {
      for (const address of uri.scheme === 'file' ? await remotesOf({ run }, uri.fsPath) : []) {
        found.set(address.url, address);
      }
    } catch (error) {
      if (!(error instanceof UnreadRepositoryError)) {
        throw error;
      }
      failure ??= error;
    }
  }
  if (failure && found.size === 0) {
    throw failure;
  }
  return [...found.values()];
}

/** Asks for the remote and the protocol; a single choice needs no question. */
export async function pickRemote(remotes: readonly RepositoryUrl[]): Promise<RepositoryUrl | undefined> {
  const rows = remotes.flatMap((address): Row<RepositoryUrl>[] => {
    const https = address.protocol === 'ssh' ? overHttps(address) : undefined;
    return [...(https ? [row(https)] : []), row(address)];
  });
  const [only] = rows;
  if (rows.length <= 1) {
    return only?.value;
  }
  const picked = await pickFromList<RepositoryUrl>({
    title: t('Clone the Repository'),
    placeholder: t('From which address?'),
    rows,
  });
  return picked.kind === 'picked' ? picked.value : undefined;
}

function row(address: RepositoryUrl): Row<RepositoryUrl> {
  return {
    label: plainLabel(address.url),
    description: address.hadSecret ? t('without the login in the remote') : '',
    detail:
      address.protocol === 'https'
        ? t('Needs no login where the repository is public')
        : t('Needs a key on the instance, or agent forwarding'),
    value: address,
  };
}

/** Clones with progress; returns the folder, or `undefined` after an explained failure. */
export async function cloneWithProgress(
  ssh: SshService,
  alias: string,
  address: RepositoryUrl,
  openTerminal: () => Promise<void>,
): Promise<string | undefined> {
  const result = await withCancellableProgress(t('Cloning {0}', address.name), (signal, report) =>
    cloneRepository(ssh, alias, address, {
      signal,
      onProgress: (percent) => {
        report(t('{0} % received', percent));
      },
    }),
  );
  switch (result.kind) {
    case 'cloned':
      return result.folder;
    case 'exists':
      return (await mayOpen(result.folder)) ? result.folder : undefined;
    case 'noGit':
      offerTerminal(
        t('The instance has no git. Install it there, for example with "apt install git".'),
        openTerminal,
      );
      return undefined;
    case 'noAccess':
      offerTerminal(
        t(
          'The repository needs a login, and none was sent to the instance. Log in there in a terminal and clone it, or turn on agent forwarding. ({0})',
          result.message,
        ),
        openTerminal,
      );
      return undefined;
  }
}

async function mayOpen(folder: string): Promise<boolean> {
  const sentence = t('The instance already has the folder {0}, so nothing was cloned.', plainLabel(folder));
  return (await suggest('info', sentence, { label: t('Open'), run: () => true })) === true;
}

function offerTerminal(sentence: string, openTerminal: () => Promise<void>): void {
  message('warning', sentence, { label: labelOf('gpuRental.instance.openTerminal'), run: openTerminal });
}
