import * as vscode from 'vscode';
import type { EditorPlace } from '../model/accounts/editorPlace';

/** Returns where this extension host runs. */
export function currentPlace(context: vscode.ExtensionContext): EditorPlace {
  return {
    isWorkspaceExtension:
      vscode.env.remoteName !== undefined &&
      context.extension.extensionKind === vscode.ExtensionKind.Workspace,
    isBrowserEditor: vscode.env.uiKind === vscode.UIKind.Web,
    hasContainerKey: process.env['CONTAINER_API_KEY'] !== undefined,
  };
}
