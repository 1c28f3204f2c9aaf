import type * as vscode from 'vscode';
import type { ViewId } from './contributions';
import type { LazyFileSystem } from './editor/lazyFileSystem';
import type { LazyTree } from './editor/lazyTree';

/** What the entry point registers before the product is loaded, and what features fill afterwards. */
export interface Shell {
  readonly trees: Record<ViewId, LazyTree>;
  readonly templateFiles: LazyFileSystem;
  readonly links: { handle: ((uri: vscode.Uri) => unknown) | undefined };
  readonly chat: { call: ChatCall | undefined };
}

/** A tool that the chat of the editor called: what it returns, or why it can't. */
export type ChatCall = (
  tool: string,
  input: unknown,
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly isError: boolean }>;
