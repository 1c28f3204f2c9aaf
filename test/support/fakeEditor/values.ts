import type * as vscode from 'vscode';
import { URI, Utils } from 'vscode-uri';

/** The editor's own type of addresses, with its one function that the library keeps elsewhere. */
export const FakeUri = Object.assign(URI, { joinPath: Utils.joinPath.bind(Utils) });

export class FakeThemeColor implements vscode.ThemeColor {
  constructor(readonly id: string) {}
}

export class FakeThemeIcon implements vscode.ThemeIcon {
  static readonly File = new FakeThemeIcon('file');
  static readonly Folder = new FakeThemeIcon('folder');
  constructor(
    readonly id: string,
    readonly color?: vscode.ThemeColor,
  ) {}
}

/** Text as such gets its signs escaped, as the editor escapes them. */
export class FakeMarkdownString implements vscode.MarkdownString {
  isTrusted?: boolean | { readonly enabledCommands: readonly string[] };
  supportHtml?: boolean;
  baseUri?: vscode.Uri;

  constructor(
    public value = '',
    public supportThemeIcons = false,
  ) {}

  appendText(text: string): this {
    const plain = this.supportThemeIcons ? text.replace(/\$\(([a-z0-9-~]+)\)/gi, '\\$($1)') : text;
    this.value += plain
      .replace(/[\\`*_{}[\]()#+\-!~]/g, '\\$&')
      .replace(/([ \t]+)/g, (_, spaces: string) => '&nbsp;'.repeat(spaces.length))
      .replace(/>/g, '\\>')
      .replace(/\n/g, '\n\n');
    return this;
  }

  appendMarkdown(markdown: string): this {
    this.value += markdown;
    return this;
  }

  appendCodeblock(code: string, language = ''): this {
    this.value += `\n\`\`\`${language}\n${code}\n\`\`\`\n`;
    return this;
  }
}

export class FakeTreeItem implements vscode.TreeItem {
  label?: string | vscode.TreeItemLabel;
  resourceUri?: vscode.Uri;

  constructor(
    label: string | vscode.TreeItemLabel | vscode.Uri,
    public collapsibleState: vscode.TreeItemCollapsibleState = 0,
  ) {
    if (URI.isUri(label)) {
      this.resourceUri = label;
    } else {
      this.label = label as string | vscode.TreeItemLabel;
    }
  }
}

export class FakeRelativePattern {
  constructor(
    readonly baseUri: vscode.Uri,
    readonly pattern: string,
  ) {}
}

export class FakePosition {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}

  compareTo(other: FakePosition): number {
    return this.line - other.line || this.character - other.character;
  }

  isEqual(other: FakePosition): boolean {
    return this.compareTo(other) === 0;
  }

  isBefore(other: FakePosition): boolean {
    return this.compareTo(other) < 0;
  }

  isBeforeOrEqual(other: FakePosition): boolean {
    return this.compareTo(other) <= 0;
  }

  isAfter(other: FakePosition): boolean {
    return this.compareTo(other) > 0;
  }

  isAfterOrEqual(other: FakePosition): boolean {
    return this.compareTo(other) >= 0;
  }

  translate(line = 0, character = 0): FakePosition {
    return new FakePosition(this.line + line, this.character + character);
  }

  with(line = this.line, character = this.character): FakePosition {
    return new FakePosition(line, character);
  }
}

export class FakeRange {
  readonly start: FakePosition;
  readonly end: FakePosition;

  constructor(start: FakePosition | number, end: FakePosition | number, line?: number, character?: number) {
    const [a, b] =
      start instanceof FakePosition && end instanceof FakePosition
        ? [start, end]
        : [new FakePosition(Number(start), Number(end)), new FakePosition(Number(line), Number(character))];
    [this.start, this.end] = a.isAfter(b) ? [b, a] : [a, b];
  }

  get isEmpty(): boolean {
    return this.start.isEqual(this.end);
  }

  get isSingleLine(): boolean {
    return this.start.line === this.end.line;
  }

  contains(inner: FakePosition | FakeRange): boolean {
    const { start, end } = inner instanceof FakeRange ? inner : { start: inner, end: inner };
    return this.start.isBeforeOrEqual(start) && this.end.isAfterOrEqual(end);
  }

  isEqual(other: FakeRange): boolean {
    return this.start.isEqual(other.start) && this.end.isEqual(other.end);
  }

  intersection(other: FakeRange): FakeRange | undefined {
    const start = this.start.isAfter(other.start) ? this.start : other.start;
    const end = this.end.isBefore(other.end) ? this.end : other.end;
    return start.isAfter(end) ? undefined : new FakeRange(start, end);
  }

  union(other: FakeRange): FakeRange {
    const start = this.start.isBefore(other.start) ? this.start : other.start;
    return new FakeRange(start, this.end.isAfter(other.end) ? this.end : other.end);
  }

  with(start = this.start, end = this.end): FakeRange {
    return new FakeRange(start, end);
  }
}

export class FakeSelection extends FakeRange {
  get anchor(): FakePosition {
    return this.start;
  }

  get active(): FakePosition {
    return this.end;
  }

  readonly isReversed = false;
}

export class FakeDiagnostic {
  source?: string;
  code?: string | number;

  constructor(
    readonly range: vscode.Range,
    readonly message: string,
    readonly severity: vscode.DiagnosticSeverity = 0,
  ) {}
}

export class FakeCodeLens {
  constructor(
    readonly range: vscode.Range,
    public command?: vscode.Command,
  ) {}

  get isResolved(): boolean {
    return this.command !== undefined;
  }
}

export class FakeCodeAction {
  edit?: vscode.WorkspaceEdit;
  command?: vscode.Command;
  diagnostics?: vscode.Diagnostic[];
  isPreferred?: boolean;

  constructor(
    readonly title: string,
    readonly kind?: vscode.CodeActionKind,
  ) {}
}

export class FakeHover {
  constructor(
    readonly contents: unknown,
    readonly range?: vscode.Range,
  ) {}
}

/** Why a terminal closed. */
export const TerminalExitReason = { Unknown: 0, Shutdown: 1, Process: 2, User: 3, Extension: 4 };

export class FakeTerminalProfile {
  constructor(readonly options: vscode.TerminalOptions) {}
}

export class FakeCustomExecution {
  constructor(readonly start: () => Thenable<vscode.Pseudoterminal>) {}
}

export class FakeTask {
  constructor(
    readonly definition: vscode.TaskDefinition,
    readonly scope: unknown,
    readonly name: string,
    readonly source: string,
    readonly execution: FakeCustomExecution,
  ) {}
}

export class FakeTabInputText {
  constructor(readonly uri: vscode.Uri) {}
}

export interface TextChange {
  readonly uri: vscode.Uri;
  readonly range: FakeRange;
  readonly newText: string;
}

export class FakeWorkspaceEdit {
  readonly changes: TextChange[] = [];

  replace(uri: vscode.Uri, range: FakeRange, newText: string): void {
    this.changes.push({ uri, range, newText });
  }

  insert(uri: vscode.Uri, position: FakePosition, newText: string): void {
    this.replace(uri, new FakeRange(position, position), newText);
  }

  delete(uri: vscode.Uri, range: FakeRange): void {
    this.replace(uri, range, '');
  }
}

export class FakeCancellationError extends Error {}

type Coded = (about?: string | vscode.Uri) => FakeFileSystemError;

export class FakeFileSystemError extends Error {
  constructor(
    message: string,
    readonly code = 'Unknown',
  ) {
    super(message);
  }

  static readonly FileNotFound = coded('FileNotFound');
  static readonly FileExists = coded('FileExists');
  static readonly FileNotADirectory = coded('FileNotADirectory');
  static readonly FileIsADirectory = coded('FileIsADirectory');
  static readonly NoPermissions = coded('NoPermissions');
  static readonly Unavailable = coded('Unavailable');
}

function coded(code: string): Coded {
  return (about = code) =>
    new FakeFileSystemError(typeof about === 'string' ? about : about.toString(), code);
}

class Kind {
  constructor(readonly value: string) {}
}

/** The enumerations that the product uses, with the editor's own numbers. */
export const enums = {
  QuickPickItemKind: { Separator: -1, Default: 0 },
  InputBoxValidationSeverity: { Info: 1, Warning: 2, Error: 3 },
  TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
  StatusBarAlignment: { Left: 1, Right: 2 },
  ProgressLocation: { SourceControl: 1, Window: 10, Notification: 15 },
  ConfigurationTarget: { Global: 1, Workspace: 2, WorkspaceFolder: 3 },
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  CodeActionKind: { QuickFix: new Kind('quickfix'), RefactorRewrite: new Kind('refactor.rewrite') },
  FileType: { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 },
  FileChangeType: { Changed: 1, Created: 2, Deleted: 3 },
  TextDocumentSaveReason: { Manual: 1, AfterDelay: 2, FocusOut: 3 },
  FilePermission: { Readonly: 1 },
  TaskScope: { Global: 1, Workspace: 2 },
  ExtensionKind: { UI: 1, Workspace: 2 },
  ExtensionMode: { Production: 1, Development: 2, Test: 3 },
  UIKind: { Desktop: 1, Web: 2 },
  ViewColumn: { Active: -1, Beside: -2, One: 1, Two: 2 },
  TextEditorRevealType: { Default: 0, InCenter: 1, InCenterIfOutsideViewport: 2, AtTop: 3 },
  EndOfLine: { LF: 1, CRLF: 2 },
} as const;

/** Something that is dragged, as a text. */
export class FakeDataTransferItem {
  constructor(readonly value: string) {}

  asString(): Promise<string> {
    return Promise.resolve(this.value);
  }

  asFile(): undefined {
    return undefined;
  }
}

export class FakeTextPart {
  constructor(readonly value: string) {}
}

class FakeToolCallPart {
  constructor(
    readonly callId: string,
    readonly name: string,
    readonly input: object,
  ) {}
}

class FakeToolResultPart {
  constructor(
    readonly callId: string,
    readonly content: readonly unknown[],
  ) {}
}

class FakeDataPart {
  constructor(
    readonly data: Uint8Array,
    readonly mimeType: string,
  ) {}
}

class FakeThinkingPart {
  constructor(readonly value: string) {}
}

export class FakeMcpServer {
  constructor(
    readonly label: string,
    readonly command: string,
    readonly args: readonly string[],
    readonly env: Readonly<Record<string, string>>,
    readonly version: string,
  ) {}
}

export class FakeToolResult {
  constructor(readonly content: readonly unknown[]) {}
}

export const chatParts = {
  LanguageModelTextPart: FakeTextPart,
  LanguageModelToolCallPart: FakeToolCallPart,
  LanguageModelToolResultPart: FakeToolResultPart,
  LanguageModelPromptTsxPart: FakeTextPart,
  LanguageModelDataPart: FakeDataPart,
  LanguageModelThinkingPart: FakeThinkingPart,
  LanguageModelChatMessageRole: { User: 1, Assistant: 2 },
  LanguageModelChatToolMode: { Auto: 1, Required: 2 },
};
