import * as vscode from 'vscode';
import type { Disposable } from '../../../util/disposable';
import { ChatModels, chatVendor } from './chatModels';

type Deps = ConstructorParameters<typeof ChatModels>[0] & {
  readonly isWanted: () => boolean;
  readonly onDidChangeWanted: (listener: () => void) => Disposable;
  readonly warn: (message: string) => void;
};

/** The models in the editor's chat, as far as the editor and the user want that. */
export interface ChatDoor extends Disposable {
  readonly isOpen: boolean;
}

/** Registers the models while the user wants them in the chat. Editors without such a chat have nothing of it. */
export function chatDoor(deps: Deps): ChatDoor {
  let registered: vscode.Disposable | undefined;
  const end = () => {
    registered?.dispose();
    registered = undefined;
  };
  const update = () => {
    if (!deps.isWanted()) {
      end();
    } else if (!registered && canRegister()) {
      const models = new ChatModels(deps);
      try {
        const provider = vscode.lm.registerLanguageModelChatProvider(chatVendor, models);
        registered = vscode.Disposable.from(provider, models);
      } catch (error) {
        models.dispose();
        deps.warn(`The editor took no models for its chat: ${String(error)}`);
      }
    }
  };
  const changes = deps.onDidChangeWanted(update);
  update();
  return {
    get isOpen() {
      return registered !== undefined;
    },
    dispose: () => {
      changes.dispose();
      end();
    },
  };
}

/** The types declare an API that forks of the editor lack. */
function canRegister(): boolean {
  const { lm } = vscode as { readonly lm?: { readonly registerLanguageModelChatProvider?: unknown } };
  return typeof lm?.registerLanguageModelChatProvider === 'function';
}
