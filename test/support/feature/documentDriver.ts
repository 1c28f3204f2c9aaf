import assert from 'node:assert/strict';
import type { FakeTextDocument } from '../fakeEditor/textDocument';
import { FakeRange, type FakeWorkspaceEdit } from '../fakeEditor/values';
import { fits, type Wanted } from './wanted';
import type { FeatureWindow } from './window';

export type Severity = 'error' | 'warning' | 'info';
const severities: readonly Severity[] = ['error', 'warning', 'info'];

/** The document in front, used as by a user: its text, the commands above its first line, and the light bulb. */
export class DocumentDriver {
  constructor(private readonly window: FeatureWindow) {}

  get document(): FakeTextDocument {
    const { active } = this.window.screen.documents;
    assert.ok(active, 'no document is in front');
    return active.document;
  }

  get text(): string {
    return this.document.getText();
  }

  get isDirty(): boolean {
    return this.document.isDirty;
  }

  /** Waits until the document in front has this file name and text. */
  async shows(file: string, text: Wanted): Promise<void> {
    await this.window.computer.until(`${file} with ${String(text)}`, () => {
      const document = this.window.screen.documents.active?.document;
      return document?.uri.path.endsWith(`/${file}`) === true && fits(document.getText(), text);
    });
  }

  /** Puts this text in the place of all. */
  async replaceAll(text: string): Promise<void> {
    this.window.screen.documents.edit(this.document, text);
    await this.window.computer.rest();
  }

  /** Changes some fields of the JSON and leaves the others. */
  async type(changes: Readonly<Record<string, unknown>>): Promise<void> {
    const fields = JSON.parse(this.text) as Record<string, unknown>;
    await this.replaceAll(JSON.stringify({ ...fields, ...changes }, null, 2));
  }

  /** Saves, and waits until nothing is under way: a save that asks something has not ended then. */
  async save(): Promise<void> {
    this.window.start('workbench.action.files.save');
    await this.window.computer.rest();
  }

  async saved(): Promise<void> {
    await this.window.computer.until('the document to be saved', () => !this.isDirty);
  }

  /** Closes every document without saving, and puts what was typed away. */
  async closeAll(): Promise<void> {
    const { documents } = this.window.screen;
    for (const document of [...documents.all]) {
      documents.close(document);
    }
    await this.window.computer.rest();
  }

  async lenses(): Promise<string[]> {
    return (await this.commands()).map(({ title }) => title);
  }

  /** Waits for the command above the first line, and runs it. */
  async press(title: string): Promise<void> {
    const found = await this.lens(title);
    this.window.start(found.command, ...((found.arguments ?? []) as unknown[]));
    await this.window.computer.rest();
  }

  async lens(title: string) {
    return this.window.computer.until(`"${title}" above the first line`, async () =>
      (await this.commands()).find((one) => one.title.includes(title)),
    );
  }

  async noLens(title: string): Promise<void> {
    await this.window.computer.until(
      `"${title}" to be gone from above the first line`,
      async () => !(await this.lenses()).some((one) => one.includes(title)),
    );
  }

  private async commands() {
    if (!this.window.screen.documents.active) {
      return [];
    }
    const lenses = await this.window.screen.languages.lensesOf(this.document);
    return lenses.flatMap(({ command }) => (command ? [command] : []));
  }

  /** What is marked in the text, by severity. */
  findings(severity: Severity): string[] {
    return this.window.screen.languages
      .diagnosticsOf(this.document.uri)
      .filter((one) => severities[one.severity] === severity)
      .map(({ message }) => message);
  }

  /** The first lines of the places that the findings are about. */
  linesOf(severity: Severity): string[] {
    return this.window.screen.languages
      .diagnosticsOf(this.document.uri)
      .filter((one) => severities[one.severity] === severity)
      .map(({ range }) => this.document.lineAt(range.start.line).text.trim().replace(/,$/, ''));
  }

  async finding(severity: Severity, text: Wanted = /./): Promise<string> {
    return this.window.computer.until(`a finding of ${severity} with ${String(text)}`, () =>
      this.findings(severity).find((one) => fits(one, text)),
    );
  }

  /** Takes what the light bulb offers in the line with this text. */
  async fix(text: string, title: string): Promise<void> {
    const action = await this.window.computer.until(`the fix ${title}`, async () => {
      const { document } = this;
      const at = document.getText().indexOf(text);
      assert.ok(at >= 0, `the text has no ${text}`);
      const { line } = document.positionAt(at);
      const range = new FakeRange(line, 0, line, document.lineAt(line).text.length);
      const offered = await this.window.screen.languages.actionsAt(document, range);
      return offered.find((one) => one.title.includes(title));
    });
    if (action.edit) {
      await this.window.screen.documents.apply(action.edit as unknown as FakeWorkspaceEdit);
    }
    if (action.command) {
      this.window.start(action.command.command, ...((action.command.arguments ?? []) as unknown[]));
    }
    await this.window.computer.rest();
  }
}
