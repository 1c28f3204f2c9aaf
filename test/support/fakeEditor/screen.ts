import { statSync } from 'node:fs';
import type * as vscode from 'vscode';
import { Commands } from './commands';
import { Documents } from './documents';
import { FakeDisposable, FakeEventEmitter } from './events';
import { LanguageFeatures } from './languageFeatures';
import { Messages } from './messages';
import { Panels } from './panels';
import { QuickInputPlace } from './quickInput';
import { Terminals } from './terminals';
import type { FakeTreeView } from './trees';
import { FakeUri } from './values';

export interface FakeStatusItem {
  readonly id: string;
  text: string;
  tooltip: string | vscode.MarkdownString | undefined;
  command: string | vscode.Command | undefined;
  name: string | undefined;
  accessibilityInformation?: vscode.AccessibilityInformation;
  backgroundColor?: vscode.ThemeColor | undefined;
  isShown: boolean;
}

type FakeNotebook = Pick<vscode.NotebookDocument, 'notebookType' | 'uri' | 'isUntitled'> & {
  isDirty: boolean;
};

/** Everything that one window shows and was told, as data. */
export class Screen {
  readonly quick = new QuickInputPlace();
  readonly messages = new Messages(this.quick);
  readonly commands = new Commands();
  readonly documents = new Documents(this.messages);
  readonly languages = new LanguageFeatures();
  readonly terminals = new Terminals();
  readonly panels = new Panels();
  readonly trees = new Map<string, FakeTreeView>();
  readonly status = new Map<string, FakeStatusItem>();
  /** The messages for some seconds in the status bar. */
  readonly statusMessages: string[] = [];
  /** Lines of the log, `[level] text`. */
  readonly log: string[] = [];
  /** Answers to the next file dialogs, in their order: paths, or nothing for *Cancel*. */
  readonly fileDialogs: (readonly string[] | undefined)[] = [];
  /** Paths that file dialogs proposed. */
  readonly proposedFiles: string[] = [];
  readonly externalLinks: string[] = [];
  /** Where progress is shown without words: the id of a view, or the status bar. */
  readonly quietProgress: string[] = [];
  readonly windowStateChanged = new FakeEventEmitter<vscode.WindowState>();
  readonly trustGranted = new FakeEventEmitter<undefined>();
  readonly foldersChanged = new FakeEventEmitter<unknown>();
  /** Fires where a file is made or deleted that the product watches. */
  readonly filesChanged = new FakeEventEmitter<unknown>();
  /** What the editor sees change below a folder that the product watches. */
  readonly watched = {
    changed: new FakeEventEmitter<vscode.Uri>(),
    created: new FakeEventEmitter<vscode.Uri>(),
    deleted: new FakeEventEmitter<vscode.Uri>(),
  };
  /** Open notebooks; the last one is in front. */
  readonly notebooks: FakeNotebook[] = [];
  readonly didOpenNotebook = new FakeEventEmitter<FakeNotebook>();
  readonly notebookChanged = new FakeEventEmitter<unknown>();
  uriHandler: vscode.UriHandler | undefined;
  terminalProfile: vscode.TerminalProfileProvider | undefined;
  tasks: vscode.TaskProvider | undefined;
  /** Sessions of the debugger, as they were asked for. */
  readonly debugging = {
    provider: undefined as vscode.DebugConfigurationProvider | undefined,
    started: [] as vscode.DebugConfiguration[],
    /** With what the next one fails. */
    failure: undefined as Error | undefined,
    terminated: new FakeEventEmitter<Pick<vscode.DebugSession, 'configuration' | 'parentSession'>>(),
  };
  /** Tools for the chat, by their name. */
  readonly chatTools = new Map<string, vscode.LanguageModelTool<unknown>>();
  /** Models that the product offers to the chat. */
  chatModels: vscode.LanguageModelChatProvider | undefined;
  /** Sessions for the accounts menu. */
  accounts: vscode.AuthenticationProvider | undefined;
  /** MCP servers that the product offers to the editor. */
  servers: vscode.McpServerDefinitionProvider | undefined;
  isFocused: boolean;

  constructor({ isFocused }: { readonly isFocused: boolean }) {
    this.isFocused = isFocused;
    this.commands.register('workbench.action.files.save', () => this.documents.saveActive());
  }

  focus(isFocused: boolean): void {
    if (this.isFocused === isFocused) {
      return;
    }
    this.isFocused = isFocused;
    this.windowStateChanged.fire({ focused: isFocused, active: isFocused });
  }

  /** Opens a notebook, of this computer with a path. */
  openNotebook(path?: string): FakeNotebook {
    const uri = path === undefined ? FakeUri.parse('untitled:Untitled-1.ipynb') : FakeUri.file(path);
    const notebook = {
      notebookType: 'jupyter-notebook',
      uri,
      isUntitled: path === undefined,
      isDirty: false,
    };
    this.notebooks.push(notebook);
    this.didOpenNotebook.fire(notebook);
    return notebook;
  }

  /** Reports that a cell of a notebook begins to run. */
  runCell(notebook: FakeNotebook): void {
    this.notebookChanged.fire({ notebook, cellChanges: [{ executionSummary: {} }], contentChanges: [] });
  }

  createStatusItem(id: string): Partial<vscode.StatusBarItem> {
    const item: FakeStatusItem = {
      id,
      text: '',
      tooltip: undefined,
      command: undefined,
      name: undefined,
      isShown: false,
    };
    this.status.set(id, item);
    return Object.assign(item, {
      show: () => {
        item.isShown = true;
      },
      hide: () => {
        item.isShown = false;
      },
      dispose: () => void this.status.delete(id),
    });
  }

  statusMessage(text: string): FakeDisposable {
    this.statusMessages.push(text);
    return new FakeDisposable(undefined);
  }

  createLog(): Partial<vscode.LogOutputChannel> {
    const line = (level: string) => (message: string | Error) => {
      this.log.push(`[${level}] ${message instanceof Error ? (message.stack ?? message.message) : message}`);
    };
    const channel = {
      name: 'GPU Rental',
      logLevel: 2,
      onDidChangeLogLevel: new FakeEventEmitter<vscode.LogLevel>().event,
      trace: line('trace'),
      debug: line('debug'),
      info: line('info'),
      warn: line('warning'),
      error: line('error'),
      append: line('info'),
      appendLine: line('info'),
      replace: line('info'),
      clear: () => undefined,
      hide: () => undefined,
      dispose: () => undefined,
      show: () => {
        this.commands.executed.push({ id: 'output.show', args: [] });
      },
    };
    return channel;
  }

  async answerFileDialog({ defaultUri }: { readonly defaultUri?: vscode.Uri } = {}): Promise<
    readonly string[] | undefined
  > {
    if (defaultUri) {
      this.proposedFiles.push(defaultUri.fsPath);
    }
    if (this.fileDialogs.length === 0) {
      throw new Error('A file dialog opened that the test has no answer for');
    }
    return Promise.resolve(this.fileDialogs.shift());
  }

  /** As in the editor, only what the dialog offers can be opened: files, folders, one or several. */
  async answerOpenDialog(options: vscode.OpenDialogOptions = {}): Promise<readonly string[] | undefined> {
    const { canSelectFiles = true, canSelectFolders = false, canSelectMany = false } = options;
    const answer = await this.answerFileDialog(options);
    for (const file of answer ?? []) {
      const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory();
      const isOffered = isFolder === undefined || (isFolder ? canSelectFolders : canSelectFiles);
      if (!isOffered) {
        throw new Error(`The file dialog does not offer ${file}`);
      }
    }
    if (!canSelectMany && (answer?.length ?? 0) > 1) {
      throw new Error('The file dialog takes one file only');
    }
    return answer;
  }
}
