import * as vscode from 'vscode';
import type { Placement } from './placement';

/** Where this extension host runs. */
export function currentPlacement(context: vscode.ExtensionContext): Placement {
  return {
    isWorkspaceExtension:
      vscode.env.remoteName !== undefined &&
      context.extension.extensionKind === vscode.ExtensionKind.Workspace,
    isBrowserEditor: vscode.env.uiKind === vscode.UIKind.Web,
    hasContainerKey: process.env['CONTAINER_API_KEY'] !== undefined,
  };
}
