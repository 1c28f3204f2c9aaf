import * as vscode from 'vscode';
import type { JobRowTarget } from '../../../commandSpecs';
import { runCommand } from '../../../editor/commands';
import { t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { titleOf } from '../../../editor/titles';
import { readyModel, type EndpointDeps } from '../copyEndpoint';
import { chatVendor } from './chatModels';
import type { ChatDoor } from './registerChat';

/** From this version on, the chat answers without a sign-in. */
const withoutSignIn = [1, 122] as const;

/** Opens the editor's chat with a model, or says what this editor lacks. */
export async function useInChat(
  deps: EndpointDeps & { readonly chatDoor: Pick<ChatDoor, 'isOpen'>; readonly isWanted: () => boolean },
  target: JobRowTarget | undefined,
): Promise<void> {
  const model = await readyModel(deps, target, titleOf('gpuRental.model.useInChat'));
  if (!model) {
    return;
  }
  const copy = {
    label: t('Copy Endpoint'),
    run: () => runCommand('gpuRental.model.copyEndpoint', { jobId: model.id }),
  };
  if (!deps.isWanted()) {
    message(
      'info',
      t('The setting "GPU Rental › Models: In Chat" is off, so the chat has no models of yours.'),
      {
        label: t('Open Settings'),
        run: () => vscode.commands.executeCommand('workbench.action.openSettings', 'gpuRental.models.inChat'),
      },
    );
    return;
  }
  if (!deps.chatDoor.isOpen) {
    message('info', t("This editor can't show your own models in its chat. Use the endpoint instead."), copy);
    return;
  }
  try {
    const modelSelector = { vendor: chatVendor, id: model.name };
    await vscode.commands.executeCommand('workbench.action.chat.open', { modelSelector });
  } catch {
    message(
      'info',
      t('The chat of this editor did not open with {0}. Use the endpoint instead.', model.name),
      copy,
    );
    return;
  }
  if (asksForSignIn(vscode.version)) {
    message(
      'info',
      t(
        'VS Code {0} asks for a Copilot sign-in before its chat answers. From 1.122 on, none is needed.',
        vscode.version,
      ),
      copy,
    );
  }
}

function asksForSignIn(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < withoutSignIn[0] || (major === withoutSignIn[0] && minor < withoutSignIn[1]);
}
