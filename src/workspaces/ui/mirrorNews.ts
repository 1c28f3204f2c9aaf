import { basename } from 'node:path';
import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { choose } from '../../editor/confirm';
import { filesText } from '../../editor/filesText';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { sshAuthority } from '../../editor/remoteAuthority';
import { hostInAuthority } from '../../ssh/alias';
import { bytesText } from '../../util/bytes';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { plainLabel } from '../../util/plainLabel';
import { wordsOf } from '../machine/rawPath';
import type { FolderMirror } from '../model/mirror';
import { keyOf, type CarriedMirrors } from './carriedMirrors';
import { namesText } from './mirrorText';
import type { MirrorUiDeps } from './mirrors';

interface Deps extends Pick<MirrorUiDeps, 'accounts' | 'mirrors' | 'ssh'> {
  readonly carried: CarriedMirrors;
  readonly nameOf: (mirror: FolderMirror) => string;
}

/** What the user has to know of mirrors without looking at their rows: questions, conflicts, and the same folder twice. */
export class MirrorNews implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly seen = new Set<string>();

  constructor(private readonly deps: Deps) {
    const { carried, mirrors } = deps;
    this.owned.add(
      carried.onDidChange(() => {
        carried.all.forEach((mirror) => {
          this.check(mirror);
        });
      }),
    );
    const checkTwins = () => {
      this.checkTwins();
    };
    this.owned.add(mirrors.onDidChange(checkTwins));
    void mirrors.ready.then(checkTwins, checkTwins);
  }

  dispose(): void {
    this.owned.dispose();
  }

  private check(mirror: FolderMirror): void {
    const { folder, status } = mirror;
    const { differing, question } = status;
    const name = this.deps.nameOf(mirror);
    const here = plainLabel(basename(folder.local));
    const conflicts = differing.filter(({ change }) => change === 'both').map((one) => one.name);
    if (question && this.isNews(mirror, JSON.stringify(question))) {
      const files = filesText(question.files);
      const sentence =
        question.kind === 'deletes'
          ? t('{0} of {1} are gone here. Delete them on {2} too?', files, here, name)
          : t('{0} of {1} ({2}) wait for your answer.', files, here, bytesText(question.bytes));
      message('warning', sentence, { label: t('Review…'), run: () => review(mirror, name) });
    }
    const [first] = conflicts;
    if (first !== undefined && this.isNews(mirror, conflicts.join('\n'))) {
      const file = { mirroredFile: first, mirrorKey: keyOf(folder), instanceId: folder.instanceId };
      message('warning', t('Changed here and on {0}, so not sent: {1}.', name, namesText(conflicts)), {
        label: t('Compare'),
        run: () => runCommand('gpuRental.mirror.showDifference', file),
      });
    }
  }

  /** A remote window that has the mirror open, and the one with the folder, would each be right. */
  private checkTwins(): void {
    const { accounts, mirrors, ssh } = this.deps;
    const account = accounts.active;
    const host = hostInAuthority(sshAuthority());
    const open = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.path);
    if (!account || !host) {
      return;
    }
    for (const mirror of mirrors.all) {
      const { instanceId, local } = mirror.folder;
      const isHere = host.alias === ssh.aliasOf(account, instanceId);
      if (isHere && mirror.remote === undefined && this.isNews(mirror, 'place')) {
        // Where it is, is known after the first contact in this window.
        void mirror.settle().then(
          () => {
            this.checkTwins();
          },
          () => undefined,
        );
      }
      const remote = mirror.remote === undefined ? undefined : wordsOf(mirror.remote);
      const isOpen = open.some((path) => path === remote || path.startsWith(`${remote ?? ''}/`));
      if (isHere && remote !== undefined && isOpen && this.isNews(mirror, 'twin')) {
        message(
          'warning',
          t('This folder is the mirror of {0}. What you change here is not sent there by itself.', local),
          {
            label: t('Open Local Folder'),
            run: () => vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(local)),
          },
          { label: t('Stop Mirroring'), run: () => mirrors.end(mirror.folder) },
        );
      }
    }
  }

  private isNews({ folder }: FolderMirror, what: string): boolean {
    const key = `${folder.instanceId} ${folder.local}\n${what}`;
    return !this.seen.has(key) && this.seen.add(key).has(key);
  }
}

/** Asks what a mirror waits for; without an answer it goes on waiting. */
export async function review(mirror: FolderMirror, name: string): Promise<void> {
  const { question } = mirror.status;
  if (!question) {
    return;
  }
  const files = filesText(question.files);
  const names = namesText(question.names, 10);
  const isDelete = question.kind === 'deletes';
  const answer = (isAllowed: boolean) => () => {
    // Another look may have found more by now, of which the user does not know.
    mirror.answer(isAllowed, question);
  };
  await choose(
    isDelete
      ? {
          message: t('Delete {0} on {1}?', files, name),
          detail: t(
            'They are gone here: {0}. On the instance they are kept beside the mirror for a week, up to 1 GB.',
            names,
          ),
        }
      : {
          message: t('Send {0}, {1}, to {2}?', files, bytesText(question.bytes), name),
          detail: names,
        },
    { label: isDelete ? t('Delete') : t('Send'), run: answer(true) },
    { label: isDelete ? t('Keep on the Instance') : t('Keep Here Only'), run: answer(false) },
  );
}
