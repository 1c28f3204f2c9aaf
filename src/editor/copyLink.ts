import * as vscode from 'vscode';
import { linkTo } from '../model/links';

/** Puts the address that opens something of ours in an editor of this kind on the clipboard. */
export async function copyLink(link: Parameters<typeof linkTo>[1]): Promise<void> {
  await vscode.env.clipboard.writeText(linkTo(vscode.env.uriScheme, link));
  vscode.window.setStatusBarMessage(vscode.l10n.t('Link copied'), 4_000);
}
