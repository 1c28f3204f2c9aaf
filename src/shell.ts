import type * as vscode from 'vscode';
import type { ViewId } from './contributions';
import type { AccountsMenu } from './editor/accountsMenu';
import type { FileDrops } from './editor/fileDrops';
import type { LazyFileSystem } from './editor/lazyFileSystem';
import type { LazyTree } from './editor/lazyTree';
import type { GpuRental } from './extensionInterface';

/** Objects that the entry point registers before the product loads, and that features fill later. */
export interface Shell {
  readonly trees: Record<ViewId, LazyTree>;
  readonly templateFiles: LazyFileSystem;
  /** Single files of instances. */
  readonly machineFiles: LazyFileSystem;
  /** Files that are dropped on a row of the instances, or dragged from one. */
  readonly fileDrops: FileDrops;
  readonly links: { handle: ((uri: vscode.Uri) => unknown) | undefined };
  readonly chat: { call: ChatCall | undefined };
  readonly accountsMenu: AccountsMenu;
  readonly otherExtensions: {
    answers: Pick<GpuRental, 'instances' | 'prepareSsh'> | undefined;
    readonly instancesChanged: vscode.EventEmitter<void>;
  };
}

/** Handles a tool call of the editor's chat: returns its result, or why it failed. */
export type ChatCall = (
  tool: string,
  input: unknown,
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly isError: boolean }>;
