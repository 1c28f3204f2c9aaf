import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { findResolvers, resolverToInstall, type Resolver } from '../../ssh/resolvers';

/** What can open SSH windows here; looked up at every use, since extensions come and go. */
export function installedResolvers(): readonly Resolver[] {
  return findResolvers(
    vscode.extensions.all.map((extension) => ({
      id: extension.id,
      manifest: extension.packageJSON as unknown,
    })),
  );
}

/** Nobody is left standing where there is no Remote-SSH: install one, or use a terminal. */
export async function offerOtherWays(ways: {
  openTerminal(): Promise<void>;
  copyCommand(): Promise<void>;
}): Promise<void> {
  const install = t('Install Remote-SSH');
  const terminal = t('Open Terminal');
  const copy = t('Copy SSH Command');
  const chosen = await vscode.window.showInformationMessage(
    t(
      'The login works. To open the instance in a window, this editor needs a Remote-SSH extension, and none is installed.',
    ),
    install,
    terminal,
    copy,
  );
  if (chosen === install) {
    const id = resolverToInstall(vscode.env.appName);
    await vscode.commands.executeCommand('workbench.extensions.search', `@id:${id}`);
  } else if (chosen === terminal) {
    await ways.openTerminal();
  } else if (chosen === copy) {
    await ways.copyCommand();
  }
}
