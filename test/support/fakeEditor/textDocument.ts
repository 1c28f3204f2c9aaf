import type * as vscode from 'vscode';
import { FakePosition, FakeRange, type TextChange } from './values';

/** A document in memory, as far as the product reads it. */
export class FakeTextDocument {
  version = 1;
  isDirty = false;
  isClosed = false;
  readonly encoding = 'utf8';

  constructor(
    readonly uri: vscode.Uri,
    private text: string,
    public languageId: string,
    /** Writes the text where it belongs; rejects where it is refused. */
    private readonly write: (document: FakeTextDocument) => Promise<boolean>,
  ) {
    this.isDirty = this.isUntitled && text !== '';
  }

  get fileName(): string {
    return this.uri.fsPath;
  }

  get isUntitled(): boolean {
    return this.uri.scheme === 'untitled';
  }

  get eol(): vscode.EndOfLine {
    return this.text.includes('\r\n') ? 2 : 1;
  }

  get lineCount(): number {
    return this.lines().length;
  }

  getText(range?: FakeRange): string {
    if (range === undefined) {
      return this.text;
    }
    return this.text.slice(this.offsetAt(range.start), this.offsetAt(range.end));
  }

  setText(text: string): void {
    this.text = text;
    this.version += 1;
  }

  positionAt(offset: number): FakePosition {
    const before = this.text.slice(0, Math.max(0, offset)).split('\n');
    return new FakePosition(before.length - 1, before.at(-1)?.length ?? 0);
  }

  offsetAt({ line, character }: FakePosition): number {
    const starts = this.text.split('\n');
    if (line >= starts.length) {
      return this.text.length;
    }
    const before = starts.slice(0, line).reduce((sum, part) => sum + part.length + 1, 0);
    return before + Math.min(character, starts[line]?.length ?? 0);
  }

  lineAt(where: number | FakePosition) {
    const line = typeof where === 'number' ? where : where.line;
    const text = this.lines()[line] ?? '';
    const first = /\S/.exec(text)?.index ?? text.length;
    const range = new FakeRange(line, 0, line, text.length);
    return {
      lineNumber: line,
      text,
      range,
      rangeIncludingLineBreak: new FakeRange(line, 0, line + 1, 0),
      firstNonWhitespaceCharacterIndex: first,
      isEmptyOrWhitespace: first === text.length,
    };
  }

  validateRange(range: FakeRange): FakeRange {
    return new FakeRange(
      this.positionAt(this.offsetAt(range.start)),
      this.positionAt(this.offsetAt(range.end)),
    );
  }

  validatePosition(position: FakePosition): FakePosition {
    return this.positionAt(this.offsetAt(position));
  }

  getWordRangeAtPosition({ line, character }: FakePosition): FakeRange | undefined {
    for (const word of this.lineAt(line).text.matchAll(/[\w$-]+/g)) {
      if (word.index <= character && character <= word.index + word[0].length) {
        return new FakeRange(line, word.index, line, word.index + word[0].length);
      }
    }
    return undefined;
  }

  save(): Promise<boolean> {
    return this.write(this);
  }

  private lines(): string[] {
    return this.text.split(/\r?\n/);
  }
}

/** The text of a document with these changes. */
export function withChanges(document: FakeTextDocument, changes: readonly TextChange[]): string {
  const places = changes
    .map(({ range, newText }) => ({
      from: document.offsetAt(range.start),
      to: document.offsetAt(range.end),
      newText,
    }))
    .sort((a, b) => b.from - a.from);
  return places.reduce(
    (text, { from, to, newText }) => text.slice(0, from) + newText + text.slice(to),
    document.getText(),
  );
}
