import type * as vscode from 'vscode';
import { FakeCancellationTokenSource, FakeDisposable, FakeEventEmitter } from './events';
import { translate } from './l10n';
import { fileAccess } from './localFiles';
import { ownExtension } from './manifest';
import { FakeInputBox, FakeQuickPick, backButton } from './quickInput';
import { showInputBox, showQuickPick } from './quickQuestions';
import type { Screen } from './screen';
import type { UserSettings } from './settings';
import { FakeTreeView } from './trees';
import * as values from './values';

/** What differs between windows besides what they show. */
export interface WindowNature {
  /** Paths, or addresses of folders elsewhere. */
  readonly folders: readonly string[];
  readonly isTrusted: boolean;
  readonly remoteName: string | undefined;
  readonly uiKind: vscode.UIKind;
  readonly appName: string;
  readonly extensions: readonly { readonly id: string; readonly packageJSON: unknown }[];
  /** False in a product that has no tools for language models. */
  readonly hasTools: boolean;
  /** False in a product that takes no MCP servers from extensions. */
  readonly takesServers?: boolean;
  /** Cursor's own registry of MCP servers. */
  readonly cursor?: object;
}

/** Shared by all windows of one computer. */
export interface SharedParts {
  readonly settings: UserSettings;
  readonly clipboard: { text: string };
}

/**
 * A stand-in for the module `vscode` for one window: what the product shows is kept in `screen`. It has what the
 * product uses; anything else throws by name. In-host tests run the same scripts on it and on the real editor.
 */
export function createVscode(
  screen: Screen,
  shared: SharedParts,
  nature: { current: WindowNature },
): typeof vscode {
  const module = {
    version: '1.105.0',
    ...values.enums,
    Disposable: FakeDisposable,
    EventEmitter: FakeEventEmitter,
    CancellationTokenSource: FakeCancellationTokenSource,
    Uri: values.FakeUri,
    ThemeIcon: values.FakeThemeIcon,
    ThemeColor: values.FakeThemeColor,
    MarkdownString: values.FakeMarkdownString,
    TreeItem: values.FakeTreeItem,
    Position: values.FakePosition,
    Range: values.FakeRange,
    Selection: values.FakeSelection,
    Diagnostic: values.FakeDiagnostic,
    CodeLens: values.FakeCodeLens,
    CodeAction: values.FakeCodeAction,
    Hover: values.FakeHover,
    WorkspaceEdit: values.FakeWorkspaceEdit,
    RelativePattern: values.FakeRelativePattern,
    TerminalExitReason: values.TerminalExitReason,
    TerminalProfile: values.FakeTerminalProfile,
    Task: values.FakeTask,
    CustomExecution: values.FakeCustomExecution,
    TabInputText: values.FakeTabInputText,
    FileSystemError: values.FakeFileSystemError,
    CancellationError: values.FakeCancellationError,
    QuickInputButtons: known('QuickInputButtons', { Back: backButton }),
    window: known('window', windowPart(screen, nature)),
    commands: known('commands', commandsPart(screen)),
    workspace: known('workspace', workspacePart(screen, shared, nature)),
    languages: known('languages', languagesPart(screen)),
    env: known('env', envPart(screen, shared, nature)),
    l10n: known('l10n', { t: translate, bundle: undefined, uri: undefined }),
    extensions: known('extensions', extensionsPart(nature)),
    DataTransferItem: values.FakeDataTransferItem,
    LanguageModelToolResult: values.FakeToolResult,
    ...values.chatParts,
    McpStdioServerDefinition: values.FakeMcpServer,
    get lm() {
      return languageModels(screen, nature.current);
    },
    get cursor() {
      return nature.current.cursor;
    },
    authentication: known('authentication', {
      registerAuthenticationProvider: (
        _id: string,
        _label: string,
        provider: vscode.AuthenticationProvider,
      ) => {
        screen.accounts = provider;
        return new FakeDisposable(() => (screen.accounts = undefined));
      },
    }),
    debug: known('debug', {
      registerDebugConfigurationProvider: (_type: string, provider: vscode.DebugConfigurationProvider) => {
        screen.debugging.provider = provider;
        return new FakeDisposable(undefined);
      },
      startDebugging: (_folder: unknown, configuration: vscode.DebugConfiguration) => {
        const { failure, started } = screen.debugging;
        started.push(configuration);
        screen.debugging.failure = undefined;
        return failure ? Promise.reject(failure) : Promise.resolve(true);
      },
      onDidTerminateDebugSession: screen.debugging.terminated.event,
    }),
    tasks: known('tasks', {
      registerTaskProvider: (_type: string, provider: vscode.TaskProvider) => {
        screen.tasks = provider;
        return new FakeDisposable(undefined);
      },
    }),
  };
  return known('vscode', module) as unknown as typeof vscode;
}

function languageModels(screen: Screen, { hasTools, takesServers = true }: WindowNature) {
  const tools = {
    registerTool: (name: string, tool: vscode.LanguageModelTool<unknown>) => {
      screen.chatTools.set(name, tool);
      return new FakeDisposable(() => screen.chatTools.delete(name));
    },
  };
  const servers = {
    registerMcpServerDefinitionProvider: (_id: string, provider: vscode.McpServerDefinitionProvider) => {
      screen.servers = provider;
      return new FakeDisposable(() => (screen.servers = undefined));
    },
  };
  const absent = {
    registerTool: undefined,
    registerMcpServerDefinitionProvider: undefined,
    registerLanguageModelChatProvider: (_vendor: string, provider: vscode.LanguageModelChatProvider) => {
      screen.chatModels = provider;
      return new FakeDisposable(() => (screen.chatModels = undefined));
    },
  };
  return hasTools || takesServers
    ? known('lm', { ...absent, ...(hasTools ? tools : {}), ...(takesServers ? servers : {}) })
    : undefined;
}

/** Throws by name for what the stand-in does not have, so that a test never passes on `undefined`. */
function known<T extends object>(name: string, part: T): T {
  return new Proxy(part, {
    get: (target, key) => {
      if (typeof key === 'string' && !(key in target) && key !== 'then' && key !== '__esModule') {
        throw new Error(`${name}.${key} is not part of the fake editor`);
      }
      return Reflect.get(target, key) as unknown;
    },
  });
}

function windowPart(screen: Screen, nature: { current: WindowNature }) {
  const { messages, quick, documents, terminals } = screen;
  const print =
    (kind: 'info' | 'warning' | 'error') =>
    (text: string, ...rest: unknown[]) =>
      messages.show(kind, text, rest);
  return {
    get state() {
      return { focused: screen.isFocused, active: screen.isFocused };
    },
    get activeTextEditor() {
      return documents.active;
    },
    get activeNotebookEditor() {
      const notebook = screen.notebooks.at(-1);
      return notebook && { notebook };
    },
    get visibleTextEditors() {
      return documents.active ? [documents.active] : [];
    },
    get terminals() {
      return terminals.all;
    },
    get tabGroups() {
      return documents.tabGroups;
    },
    onDidChangeWindowState: screen.windowStateChanged.event,
    onDidChangeActiveTextEditor: documents.activeChanged.event,
    onDidChangeVisibleTextEditors: documents.visibleChanged.event,
    onDidOpenTerminal: terminals.opened.event,
    onDidCloseTerminal: terminals.closed.event,
    onDidChangeActiveTerminal: terminals.activeChanged.event,
    showInformationMessage: print('info'),
    showWarningMessage: print('warning'),
    showErrorMessage: print('error'),
    setStatusBarMessage: (text: string) => screen.statusMessage(text),
    withProgress: (options: vscode.ProgressOptions, task: ProgressTask) => progress(screen, options, task),
    createQuickPick: () => new FakeQuickPick(quick),
    createInputBox: () => new FakeInputBox(quick),
    showQuickPick: (...args: DropFirst<Parameters<typeof showQuickPick>>) => showQuickPick(quick, ...args),
    showInputBox: (...args: DropFirst<Parameters<typeof showInputBox>>) => showInputBox(quick, ...args),
    createTreeView: (
      id: string,
      { treeDataProvider, dragAndDropController }: vscode.TreeViewOptions<object>,
    ) => {
      const onDispose = () => screen.trees.delete(id);
      const view = new FakeTreeView(id, treeDataProvider, onDispose, dragAndDropController);
      screen.trees.set(id, view);
      screen.commands.ofEditor.set(`${id}.focus`, () => view.setVisible(true));
      return view;
    },
    createStatusBarItem: (id: string) => screen.createStatusItem(id),
    createOutputChannel: () => screen.createLog(),
    get activeTerminal() {
      return terminals.all.find(({ isShown }) => isShown);
    },
    createTerminal: (options: vscode.TerminalOptions) => terminals.create(options, nature.current.remoteName),
    createWebviewPanel: (type: string, title: string) => screen.panels.create(type, title),
    registerWebviewPanelSerializer: (type: string, serializer: vscode.WebviewPanelSerializer) => {
      screen.panels.serializers.set(type, serializer);
      return new FakeDisposable(undefined);
    },
    registerUriHandler: (handler: vscode.UriHandler) => {
      screen.uriHandler = handler;
      return new FakeDisposable(undefined);
    },
    registerTerminalProfileProvider: (_id: string, provider: vscode.TerminalProfileProvider) => {
      screen.terminalProfile = provider;
      return new FakeDisposable(undefined);
    },
    showTextDocument: (...args: Parameters<typeof documents.show>) => documents.show(...args),
    showOpenDialog: async (options?: vscode.OpenDialogOptions) => {
      const { remoteName } = nature.current;
      // A remote window shows the files of the machine, unless the dialog begins at a file of this computer.
      const isLocal = remoteName === undefined || options?.defaultUri?.scheme === 'file';
      const side = isLocal ? {} : { scheme: 'vscode-remote', authority: `${remoteName}+machine` };
      return (await screen.answerOpenDialog(options))?.map((file) => values.FakeUri.file(file).with(side));
    },
    showSaveDialog: async (options?: vscode.SaveDialogOptions) =>
      (await screen.answerFileDialog(options))?.map((file) => values.FakeUri.file(file))[0],
    showWorkspaceFolderPick: () => Promise.resolve(undefined),
  };
}

type DropFirst<T extends unknown[]> = T extends [unknown, ...infer Rest] ? Rest : never;
/** The real editor takes a label for the button, which its types leave out. */
interface Progress {
  readonly title?: string;
  readonly cancellable?: boolean | string;
}
type ProgressTask = (
  progress: { report(value: { message?: string }): void },
  token: vscode.CancellationToken,
) => Thenable<unknown>;

function progress(screen: Screen, options: vscode.ProgressOptions, task: ProgressTask): Promise<unknown> {
  const source = new FakeCancellationTokenSource();
  if (options.location !== values.enums.ProgressLocation.Notification) {
    const { location } = options;
    const place = typeof location === 'object' ? location.viewId : String(location);
    screen.quietProgress.push(place);
    const end = () => screen.quietProgress.splice(screen.quietProgress.indexOf(place), 1);
    return Promise.resolve(task({ report: () => undefined }, source.token)).finally(end);
  }
  const { title = '', cancellable = false }: Progress = options;
  return screen.messages.progress({ title, cancellable }, source, (report) =>
    task(
      {
        report: ({ message }) => {
          if (message !== undefined) {
            report(message);
          }
        },
      },
      source.token,
    ),
  );
}

function commandsPart({ commands, documents }: Screen) {
  return {
    registerCommand: (id: string, handler: (...args: unknown[]) => unknown, self?: unknown) =>
      commands.register(id, handler, self),
    executeCommand: async (id: string, ...args: unknown[]) => {
      // What the product shows by the editor's own commands counts as shown.
      if (id === 'vscode.open') {
        await documents.show(args[0]);
      }
      if (id === 'vscode.diff') {
        await documents.showDiff(args[0], args[1]);
      }
      return commands.execute(id, ...args);
    },
    getCommands: () => Promise.resolve(commands.ids()),
  };
}

function workspacePart(screen: Screen, { settings }: SharedParts, nature: { current: WindowNature }) {
  const { documents } = screen;
  return {
    notebookDocuments: screen.notebooks,
    onDidOpenNotebookDocument: screen.didOpenNotebook.event,
    get workspaceFolders() {
      const { folders } = nature.current;
      if (folders.length === 0) {
        return undefined;
      }
      return folders.map((folder, index) => ({
        uri: folder.includes('://') ? values.FakeUri.parse(folder) : values.FakeUri.file(folder),
        name: folder.split('/').at(-1) ?? folder,
        index,
      }));
    },
    get isTrusted() {
      return nature.current.isTrusted;
    },
    get textDocuments() {
      return [...documents.all];
    },
    getWorkspaceFolder: (uri: vscode.Uri) => {
      const index = nature.current.folders.findIndex((one) => `${uri.fsPath}/`.startsWith(`${one}/`));
      const folder = nature.current.folders[index];
      return folder === undefined ? undefined : { uri: values.FakeUri.file(folder), name: folder, index };
    },
    saveAll: async () => {
      for (const document of documents.all) {
        if (document.isDirty) {
          await document.save();
        }
      }
      return true;
    },
    workspaceFile: undefined,
    name: undefined,
    getConfiguration: (section?: string) => settings.section(section, declaredSettings(nature.current)),
    onDidChangeConfiguration: settings.changed.event,
    onDidOpenTextDocument: documents.opened.event,
    onDidCloseTextDocument: documents.closed.event,
    onDidChangeTextDocument: documents.changed.event,
    onWillSaveTextDocument: documents.willSave.event,
    onDidSaveTextDocument: documents.saved.event,
    onDidGrantWorkspaceTrust: screen.trustGranted.event,
    onDidChangeWorkspaceFolders: screen.foldersChanged.event,
    createFileSystemWatcher: (pattern: unknown) => ({
      onDidChange: screen.watched.changed.event,
      onDidCreate: (typeof pattern === 'string' ? screen.filesChanged : screen.watched.created).event,
      onDidDelete: (typeof pattern === 'string' ? screen.filesChanged : screen.watched.deleted).event,
      dispose: () => undefined,
    }),
    onDidChangeNotebookDocument: screen.notebookChanged.event,
    onDidSaveNotebookDocument: new FakeEventEmitter<unknown>().event,
    onDidCreateFiles: new FakeEventEmitter<unknown>().event,
    onDidDeleteFiles: new FakeEventEmitter<unknown>().event,
    onDidRenameFiles: new FakeEventEmitter<unknown>().event,
    registerFileSystemProvider: (scheme: string, provider: vscode.FileSystemProvider) =>
      documents.registerFileSystem(scheme, provider),
    registerTextDocumentContentProvider: (scheme: string, provider: vscode.TextDocumentContentProvider) =>
      documents.registerContent(scheme, provider),
    openTextDocument: (what: unknown) => documents.open(what),
    applyEdit: (edit: values.FakeWorkspaceEdit) => documents.apply(edit),
    asRelativePath: (uri: vscode.Uri) => {
      const folder = nature.current.folders.find((one) => uri.fsPath.startsWith(`${one}/`));
      return folder === undefined ? uri.fsPath : uri.fsPath.slice(folder.length + 1);
    },
    fs: fileAccess(documents.files.systems),
  };
}

/** Settings that the installed extensions contribute; others cannot be written. */
function declaredSettings({ extensions }: WindowNature): ReadonlySet<string> {
  return new Set(
    extensions.flatMap(({ packageJSON }) => {
      const { contributes } = packageJSON as { contributes?: { configuration?: unknown } };
      return [contributes?.configuration ?? []]
        .flat()
        .flatMap((group) => Object.keys((group as { properties?: object }).properties ?? {}));
    }),
  );
}

function languagesPart({ languages, documents }: Screen) {
  return {
    registerCodeLensProvider: languages.registerLenses.bind(languages),
    registerCodeActionsProvider: languages.registerActions.bind(languages),
    registerHoverProvider: languages.registerHovers.bind(languages),
    createDiagnosticCollection: languages.createDiagnosticCollection.bind(languages),
    setTextDocumentLanguage: documents.setLanguage.bind(documents),
  };
}

function envPart(screen: Screen, { clipboard }: SharedParts, nature: { current: WindowNature }) {
  return {
    language: 'en',
    get remoteName() {
      return nature.current.remoteName;
    },
    get uiKind() {
      return nature.current.uiKind;
    },
    get appName() {
      return nature.current.appName;
    },
    uriScheme: 'vscode',
    shell: '/bin/bash',
    clipboard: {
      readText: () => Promise.resolve(clipboard.text),
      writeText: async (text: string) => {
        clipboard.text = text;
        return Promise.resolve();
      },
    },
    openExternal: async (uri: vscode.Uri) => {
      screen.externalLinks.push(uri.toString(true));
      return Promise.resolve(true);
    },
    asExternalUri: (uri: vscode.Uri) => Promise.resolve(uri),
  };
}

function extensionsPart(nature: { current: WindowNature }) {
  return {
    get all() {
      return nature.current.extensions;
    },
    getExtension: (id: string) =>
      [ownExtension, ...nature.current.extensions].find((one) => one.id.toLowerCase() === id.toLowerCase()),
    onDidChange: new FakeEventEmitter<undefined>().event,
  };
}
