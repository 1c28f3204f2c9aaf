import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { GpuRental } from '../../../src/extensionInterface';
import { FakeCancellationTokenSource } from '../fakeEditor/events';
import { manifest, repository } from '../fakeEditor/manifest';
import type { ShownMessage } from '../fakeEditor/messages';
import { loadProduct } from '../fakeEditor/product';
import { Screen } from '../fakeEditor/screen';
import type { FakeTextDocument } from '../fakeEditor/textDocument';
import { FakeUri } from '../fakeEditor/values';
import { createVscode, type WindowNature } from '../fakeEditor/vscodeModule';
import type { Computer } from './computer';
import { Fate } from './fate';
import { QuickDriver } from './quickDriver';
import { ViewDriver, type ViewName } from './viewDriver';
import { fits, type Wanted } from './wanted';

/** One window, used by meaning: commands by title, rows and messages by their text. */
export class FeatureWindow {
  readonly screen: Screen;
  readonly quick: QuickDriver;
  /** What the window is; change it with `change`. */
  readonly nature: { current: WindowNature };
  /** Errors of commands in the background. */
  readonly errors: unknown[] = [];
  private readonly context: { readonly subscriptions: { dispose(): unknown }[] } & Record<string, unknown>;
  private readonly module: typeof vscode;
  readonly fate: Fate;
  isOpen = true;
  private exported: GpuRental | undefined;

  constructor(
    readonly computer: Computer,
    isFocused: boolean,
    nature: WindowNature,
  ) {
    this.fate = new Fate(computer.clock);
    this.nature = { current: nature };
    this.screen = new Screen({ isFocused });
    Object.assign(this.screen.commands.keys, {
      workspaceFolderCount: nature.folders.length,
      isWorkspaceTrusted: nature.isTrusted,
      isWeb: nature.uiKind === 2,
      remoteName: nature.remoteName,
    });
    this.module = createVscode(this.screen, computer, this.nature);
    this.quick = new QuickDriver(this.screen, computer);
    this.context = {
      subscriptions: [],
      globalStorageUri: FakeUri.file(computer.storage),
      extensionUri: FakeUri.file(repository),
      globalState: computer.memento(),
      workspaceState: computer.memento(['workspace', ...nature.folders]),
      secrets: this.heldBackSecrets(computer.secretStorage()),
      extension: { id: 'gpu-rental.gpu-rental', extensionKind: 1, packageJSON: manifest },
      extensionMode: 1,
    };
  }

  private heldBackSecrets(secrets: vscode.SecretStorage): vscode.SecretStorage {
    const { fate } = this;
    return {
      ...secrets,
      get: (key) => fate.through(() => Promise.resolve(secrets.get(key))),
      store: (key, value) => fate.through(() => Promise.resolve(secrets.store(key, value))),
      delete: (key) => fate.through(() => Promise.resolve(secrets.delete(key))),
    };
  }

  activate(): void {
    // The context has what the product uses of it.
    this.exported = loadProduct(this.module, this.fate.modules).activate(
      this.context as unknown as vscode.ExtensionContext,
      this.fate.clock,
    );
  }

  /** What the product gives to other extensions. */
  get interface(): GpuRental {
    assert.ok(this.exported);
    return this.exported;
  }

  /** Ends the product in this window as a crash or a power cut does: nothing is put in order. */
  kill(): void {
    this.isOpen = false;
    this.fate.kill();
  }

  /** Ends the product in this window, as the editor does when a window closes. */
  close(): void {
    if (!this.isOpen) {
      return;
    }
    this.isOpen = false;
    this.quick.escape();
    for (const one of this.context.subscriptions.splice(0).reverse()) {
      one.dispose();
    }
  }

  /** Gives this window the focus, and takes it from the others. */
  focus(): void {
    for (const other of this.computer.windows) {
      if (other !== this) {
        other.screen.focus(false);
      }
    }
    this.screen.focus(true);
  }

  /**
   * Runs a command that the palette offers, by its title; does not wait for its end. The palette takes the place of
   * a list or box that is open, whose flow is over before somebody has found the command.
   */
  run(title: string): void {
    const id = this.screen.commands.inPalette(title);
    if (!this.quick.isOpen) {
      this.start(id);
      return;
    }
    this.quick.escape();
    void this.computer.rest().then(() => {
      this.start(id);
    });
  }

  /** Runs a command by its id, as a link, a button or another extension does. */
  start(id: string, ...args: readonly unknown[]): void {
    this.screen.commands.execute(id, ...args).catch((error: unknown) => {
      this.errors.push(error);
    });
  }

  /** Follows a link of ours from outside, once the user let the editor open it. */
  async follow(link: string): Promise<void> {
    const { uriHandler } = this.screen;
    assert.ok(uriHandler, 'nothing takes links');
    // The editor does not wait for it either.
    void uriHandler.handleUri(FakeUri.parse(`vscode://gpu-rental.gpu-rental${link}`));
    await this.computer.rest();
  }

  view(name: ViewName): ViewDriver {
    return new ViewDriver(this, name);
  }

  /** Waits for the pop-up with this text. */
  async toast(text: Wanted, { withinMs }: { readonly withinMs?: number } = {}): Promise<ShownMessage> {
    return this.message(
      `a pop-up with ${String(text)}`,
      (one) => !one.modal && fits(one.text, text),
      withinMs,
    );
  }

  async toastButton(text: Wanted, button: string): Promise<void> {
    (await this.toast(text)).press(button);
  }

  /** Waits for the modal question; `text` is looked for in question and detail. */
  async dialog(text: Wanted = /./): Promise<ShownMessage> {
    return this.message(
      `a dialog with ${String(text)}`,
      (one) => one.modal && fits(`${one.text}\n${one.detail ?? ''}`, text),
    );
  }

  async dialogButton(button: string, text?: Wanted): Promise<void> {
    (await this.dialog(text)).press(button);
  }

  private async message(
    what: string,
    isWanted: (message: ShownMessage) => boolean,
    withinMs?: number,
  ): Promise<ShownMessage> {
    const found = await this.computer.until(
      what,
      () => this.screen.messages.shown.find(isWanted),
      withinMs === undefined ? {} : { withinMs },
    );
    found.wasSeen = true;
    return found;
  }

  /** Texts of the pop-ups that are shown now. */
  toasts(): string[] {
    return this.screen.messages.shown.filter((one) => !one.modal).map(({ text }) => text);
  }

  /** Closes every pop-up, whether a test has looked at it or not. */
  clearToasts(): void {
    for (const one of [...this.screen.messages.shown]) {
      if (one.modal || one.kind === 'progress') {
        continue;
      }
      one.wasSeen = true;
      one.close();
    }
  }

  /** The text of the status bar, without icons, and the tooltip below it. */
  status(): string {
    return [...this.screen.status.values()]
      .filter((item) => item.isShown)
      .map(({ text, tooltip = '' }) => {
        const below = typeof tooltip === 'string' ? tooltip : tooltip.value.replaceAll(/\\|  $/gm, '');
        return `${text.replace(/\$\([a-z0-9~-]+\)\s?/g, '')}\n${below}`;
      })
      .join(' | ');
  }

  async statusShows(text: Wanted): Promise<string> {
    return this.computer.until(`the status bar with ${String(text)}`, () => {
      const shown = this.status();
      return fits(shown, text) ? shown : undefined;
    });
  }

  /** Waits for a document whose text fits, shown by this window at any time. */
  async document(text: Wanted): Promise<FakeTextDocument> {
    return this.computer.until(`a document with ${String(text)}`, () =>
      this.screen.documents.shown.findLast((one) => fits(one.getText(), text)),
    );
  }

  /** Signs in to the marketplace by the palette, as the welcome view's button does. */
  async signIn(apiKey = this.computer.simulator.apiKey): Promise<void> {
    this.view('instances').show();
    await this.computer.rest();
    this.run('Sign In…');
    await this.answerSignIn(apiKey);
  }

  /** Answers the steps of the sign-in, however it began. */
  async answerSignIn(apiKey = this.computer.simulator.apiKey): Promise<void> {
    await this.quick.title('Sign In');
    await this.quick.pick(this.computer.simulator.url);
    await this.quick.title('Sign In: API key');
    await this.quick.type(apiKey);
    await this.toast(/Signed in as/);
  }

  /** Waits for the next window or folder that the editor is told to open; its address. */
  async opens(): Promise<{ readonly address: string; readonly options: unknown }> {
    const { executed } = this.screen.commands;
    const index = await this.computer.until('a folder to be opened', () => {
      const at = executed.findIndex(({ id }) => id === 'vscode.openFolder');
      return at < 0 ? undefined : at;
    });
    const [{ args }] = executed.splice(index, 1) as [(typeof executed)[number]];
    return { address: (args[0] as vscode.Uri).toString(true), options: args[1] };
  }

  /** What the terminal menu opens for our entry in it. */
  async terminalProfile(): Promise<vscode.TerminalProfile> {
    const { terminalProfile } = this.screen;
    assert.ok(terminalProfile, 'no terminal profile is provided');
    const { token } = new FakeCancellationTokenSource();
    const profile = await terminalProfile.provideTerminalProfile(token);
    assert.ok(profile, 'no terminal was chosen');
    return profile;
  }

  log(): string {
    return this.screen.log.join('\n');
  }

  /** Everything a person could read here, for closing checks. */
  allMessages(): string {
    const { messages, statusMessages, log, documents } = this.screen;
    return [
      ...messages.history.map(({ text, detail }) => `${text}\n${detail ?? ''}`),
      ...statusMessages,
      ...log,
      ...documents.shown.map((document) => document.getText()),
    ].join('\n');
  }

  describe(): string {
    const { messages, quick, log } = this.screen;
    return [
      `  quick input: ${quick.current ? `${quick.current.title ?? ''} · ${quick.current.message}` : 'none'}`,
      ...this.quick
        .rows()
        .slice(0, 15)
        .map((row) => `    ${row}`),
      ...messages.shown.map(
        ({ kind, modal, text, detail, buttons }) =>
          `  ${modal ? 'dialog' : kind}: ${text}${detail === undefined ? '' : ` // ${detail}`} [${buttons.join(', ')}]`,
      ),
      `  status: ${this.status()}`,
      ...this.errors.map((error) => `  error of a command: ${String(error)}`),
      ...log.slice(-6).map((line) => `  log: ${line}`),
    ].join('\n');
  }
}
