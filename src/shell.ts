import type * as vscode from 'vscode';
import type { ViewId } from './contributions';
import type { LazyFileSystem } from './editor/lazyFileSystem';
import type { LazyTree } from './editor/lazyTree';

/** What the entry point registers before the product is loaded, and what features fill afterwards. */
export interface Shell {
  readonly trees: Record<ViewId, LazyTree>;
  readonly templateFiles: LazyFileSystem;
  readonly links: { handle: ((uri: vscode.Uri) => unknown) | undefined };
}
