import * as vscode from 'vscode';
import { linkTo } from '../model/links';
import { t } from './localize';

/** Copies a link that opens one of our items in this editor product. */
export async function copyLink(link: Parameters<typeof linkTo>[1]): Promise<void> {
  await vscode.env.clipboard.writeText(linkTo(vscode.env.uriScheme, link));
  vscode.window.setStatusBarMessage(t('Copied'), 4_000);
}
