import assert from 'node:assert/strict';
import { sameTitle } from '../fakeEditor/commands';
import { FakeCancellationTokenSource } from '../fakeEditor/events';
import { inWords, manifest } from '../fakeEditor/manifest';
import type { FakeTreeView, ShownRow } from '../fakeEditor/trees';
import { FakeDataTransferItem, FakeUri } from '../fakeEditor/values';
import { holds } from '../fakeEditor/whenClause';
import { fits, type Wanted } from './wanted';
import type { FeatureWindow } from './window';

const neverCancelled = new FakeCancellationTokenSource().token;

export type ViewName = 'instances' | 'jobs' | 'templates' | 'sshKeys' | 'account' | 'hosting';

/** One view of the side bar: rows by their text, menus by titles. */
export class ViewDriver {
  private readonly id: string;

  constructor(
    private readonly window: FeatureWindow,
    name: ViewName,
  ) {
    this.id = `gpuRental.${name}`;
  }

  get tree(): FakeTreeView {
    const tree = this.window.screen.trees.get(this.id);
    assert.ok(tree, `there is no view ${this.id}`);
    return tree;
  }

  /** Brings the view into sight, which is what makes the product load and read. */
  show(): this {
    this.tree.setVisible(true);
    return this;
  }

  async rows(): Promise<ShownRow[]> {
    const { tree } = this;
    if (!tree.visible) {
      this.show();
    }
    return tree.rows();
  }

  async texts(): Promise<string[]> {
    return (await this.rows()).map(({ text }) => text);
  }

  /** Waits for the first row with this text. */
  async row(text: Wanted): Promise<ShownRow> {
    return this.window.computer.until(`a row with ${String(text)} in ${this.id}`, async () =>
      (await this.rows()).find((row) => fits(row.text, text)),
    );
  }

  async noRow(text: Wanted): Promise<void> {
    await this.window.computer.until(
      `no row with ${String(text)} in ${this.id}`,
      async () => !(await this.rows()).some((row) => fits(row.text, text)),
    );
  }

  async expand(text: Wanted): Promise<void> {
    this.tree.expand(await this.row(text));
  }

  async tooltip(text: Wanted): Promise<string> {
    return this.tree.tooltip(await this.row(text));
  }

  /** Clicks a row: runs its command where it has one. */
  async click(text: Wanted): Promise<void> {
    this.window.screen.quick.loseFocus();
    const row = await this.row(text);
    this.tree.select([row]);
    const { command } = row.item;
    if (command) {
      this.window.start(command.command, ...((command.arguments ?? []) as unknown[]));
    }
    await this.window.computer.rest();
  }

  /** Drops files on a row, as the explorer and the system hand them over. */
  async drop(text: Wanted, files: readonly string[]): Promise<void> {
    const { node } = await this.row(text);
    const list = new FakeDataTransferItem(files.map((file) => String(FakeUri.file(file))).join('\r\n'));
    const data = new Map([['text/uri-list', list]]);
    void this.tree.drops?.handleDrop?.(node, data, neverCancelled);
    await this.window.computer.rest();
  }

  /** Returns the addresses that a row hands over where it is dragged to. */
  async drag(text: Wanted): Promise<readonly string[]> {
    const { node } = await this.row(text);
    const data = new Map<string, FakeDataTransferItem>();
    await this.tree.drops?.handleDrag?.([node], data, neverCancelled);
    return data.get('text/uri-list')?.value.split('\r\n') ?? [];
  }

  /** Chooses an entry of the row's context menu, for the row alone or for `also` as well; it must be offered. */
  async menu(text: Wanted, title: string, also: readonly Wanted[] = []): Promise<void> {
    const row = await this.row(text);
    const rows = [row, ...(await Promise.all(also.map((other) => this.row(other))))];
    const entry = this.entries(row, rows.length > 1).find((one) => sameTitle(one.title, title));
    assert.ok(
      entry,
      `the menu of "${row.text}" does not offer "${title}"; it has: ${this.titles(row).join(', ')}`,
    );
    this.window.start(entry.id, row.node, rows.length > 1 ? rows.map(({ node }) => node) : undefined);
    await this.window.computer.rest();
  }

  /** Presses the button that the row itself has with this tooltip. */
  async inline(text: Wanted, title: string): Promise<void> {
    this.window.screen.quick.loseFocus();
    const row = await this.row(text);
    const buttons = this.entries(row, false).filter(({ isInline }) => isInline);
    const entry = buttons.find((one) => sameTitle(one.title, title));
    assert.ok(
      entry,
      `"${row.text}" has no button "${title}"; it has: ${buttons.map((one) => one.title).join(', ')}`,
    );
    this.window.start(entry.id, row.node);
    await this.window.computer.rest();
  }

  /** What the context menu of a row offers, by titles. */
  async menuTexts(text: Wanted): Promise<string[]> {
    return this.titles(await this.row(text));
  }

  private titles(row: ShownRow): string[] {
    return this.entries(row, false).map(({ title }) => title);
  }

  private entries(row: ShownRow, listMultiSelection: boolean) {
    return this.window.screen.commands.menu('view/item/context', {
      view: this.id,
      viewItem: row.item.contextValue ?? '',
      listMultiSelection,
    });
  }

  /** Presses a button in the title of the view. */
  async titleAction(title: string): Promise<void> {
    this.window.screen.quick.loseFocus();
    const entries = this.window.screen.commands.menu('view/title', { view: this.id });
    const entry = entries.find((one) => sameTitle(one.title, title));
    assert.ok(entry, `the title of ${this.id} does not offer "${title}"`);
    // The editor brings the focused row and the selection; no row has the focus.
    this.window.start(entry.id, undefined, undefined);
    await this.window.computer.rest();
  }

  /** The welcome texts that are shown while the view has no rows. */
  async welcome(): Promise<string[]> {
    if ((await this.rows()).length > 0) {
      return [];
    }
    return manifest.contributes.viewsWelcome
      .filter(({ view, when }) => view === this.id && holds(when, this.window.screen.commands.keys))
      .map(({ contents }) => inWords(contents));
  }

  /** Waits for the welcome text with this text. */
  async welcomeShows(text: Wanted): Promise<string> {
    return this.window.computer.until(`a welcome with ${String(text)} in ${this.id}`, async () =>
      (await this.welcome()).find((one) => fits(one, text)),
    );
  }

  /** Presses a button or link of the welcome text by its words. */
  async welcomeButton(words: string): Promise<void> {
    this.window.screen.quick.loseFocus();
    const welcome = (await this.welcome()).join('\n');
    const links = [...welcome.matchAll(/\[([^\]]+)\]\(command:([\w.]+)\)/g)];
    const link = links.find(([, label]) => label === words);
    assert.ok(link, `the welcome of ${this.id} has no "${words}": ${welcome}`);
    this.window.start(link[2] ?? '');
    await this.window.computer.rest();
  }
}
