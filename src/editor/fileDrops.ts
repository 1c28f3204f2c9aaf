import * as vscode from 'vscode';
import { reportProblem } from './message';

/** Takes files that are dropped on a row of a tree, and gives rows that are dragged to the editor as files. */
export class FileDrops implements vscode.TreeDragAndDropController<object> {
  /** Files of the system and of the explorer. */
  readonly dropMimeTypes = ['files', uriList];
  readonly dragMimeTypes = [uriList];
  private feature:
    | {
        take(row: object, files: readonly vscode.Uri[]): Promise<void>;
        give(rows: readonly object[]): readonly vscode.Uri[];
      }
    | undefined;

  constructor(private readonly load: () => Promise<unknown>) {}

  /** Called once, by the feature that owns these rows. */
  setFeature(feature: NonNullable<FileDrops['feature']>): void {
    this.feature = feature;
  }

  handleDrag(rows: readonly object[], data: vscode.DataTransfer): void {
    const files = this.feature?.give(rows) ?? [];
    if (files.length > 0) {
      data.set(uriList, new vscode.DataTransferItem(files.map(String).join('\r\n')));
    }
  }

  async handleDrop(row: object | undefined, data: vscode.DataTransfer): Promise<void> {
    // Before anything else is waited for: the data is gone with the event.
    const listed = (await data.get(uriList)?.asString()) ?? '';
    const named = listed.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
    const files =
      named.length > 0
        ? named.map((line) => vscode.Uri.parse(line, true))
        : [...data].flatMap(([, item]) => item.asFile()?.uri ?? []);
    if (!this.feature) {
      await this.load();
    }
    if (row) {
      await this.feature?.take(row, files).catch((error: unknown) => reportProblem(error));
    }
  }
}

const uriList = 'text/uri-list';
