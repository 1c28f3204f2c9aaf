import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { suggest } from '../../editor/message';
import { labelOf } from '../../editor/titles';
import { findResolvers, resolverToInstall, type Resolver } from '../../ssh/resolvers';

/** Returns what can open SSH windows here; looked up at every use, since extensions change. */
export function installedResolvers(): readonly Resolver[] {
  return findResolvers(
    vscode.extensions.all.map((extension) => ({
      id: extension.id,
      manifest: extension.packageJSON as unknown,
    })),
  );
}

/** Offers alternatives without Remote-SSH: install it, or use a terminal. */
export async function offerOtherWays(ways: {
  openTerminal(): Promise<void>;
  copyCommand(): Promise<void>;
}): Promise<void> {
  const id = resolverToInstall(vscode.env.appName);
  await suggest<unknown>(
    'info',
    t(
      'The login works. To open the instance in a window, this editor needs a Remote-SSH extension, and none is installed.',
    ),
    {
      label: t('Install Remote-SSH'),
      run: () => vscode.commands.executeCommand('workbench.extensions.search', `@id:${id}`),
    },
    { label: labelOf('gpuRental.instance.openTerminal'), run: () => ways.openTerminal() },
    { label: labelOf('gpuRental.instance.copySshCommand'), run: () => ways.copyCommand() },
  );
}
