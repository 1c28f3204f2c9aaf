import os from 'node:os';
import path from 'node:path';
import type * as vscode from 'vscode';
import type { Screen } from '../fakeEditor/screen';
import { FakeThemeColor } from '../fakeEditor/values';
import type { Computer } from './computer';

/** Asked once: each time, the system reads its files of users. */
const user = `${os.userInfo().username}@${os.hostname()}`;

const repository = path.resolve(__dirname, '..', '..', '..');

const mostCharacters = 300;

/**
 * What the windows of a computer have shown, sent and logged so far, a line each, without what differs from run to
 * run: folders, ports and random names. Lines are kept from test to test, because a screen forgets.
 */
export class Shown {
  private readonly found = new Set<string>();

  constructor(private readonly computer: Computer) {}

  /** To be called at the end of each test, when everything is at rest. */
  look(): void {
    for (const { screen } of this.computer.windows) {
      for (const line of linesOf(screen)) this.add(line);
    }
    for (const { method, path, query, body, status } of this.computer.simulator.requests()) {
      this.add(`request ${method} ${path} ${JSON.stringify(query)} ${JSON.stringify(body)} ${status}`);
    }
    for (const [key, value] of Object.entries(this.computer.settings.values)) {
      this.add(`setting ${key} ${JSON.stringify(value)}`);
    }
    this.add(`clipboard ${this.computer.clipboard.text}`);
  }

  lines(): readonly string[] {
    return [...this.found].sort();
  }

  private add(line: string): void {
    this.found.add(this.plain(line).slice(0, mostCharacters));
  }

  /** Digits alone may be hexadecimal by chance, so long numbers count as such, too. */
  private plain(line: string): string {
    const { root, simulator } = this.computer;
    return line
      .replaceAll(root, '<root>')
      .replaceAll(repository, '<repository>')
      .replaceAll(simulator.url, '<service>')
      .replaceAll(String(simulator.port), '<port>')
      .replaceAll(user, '<user>')
      .replaceAll(`${process.platform} ${process.arch}, Node ${process.versions.node}`, '<system>')
      .replace(/\bSHA256(\\?:)(?:\\?[\w+/=])+/g, 'SHA256$1<key>')
      .replace(/\bAAAA[\w+/=]{30,}/g, '<key>')
      .replace(/\bgpu-[0-9a-f]{6}-/g, 'gpu-<address>-')
      .replace(/(?<![0-9A-Za-z])[0-9a-f]{8,}(?![0-9A-Za-z])/g, '<hex>')
      .replace(/(?<=rate limit, waiting )\d+(?= ms)/g, '<wait>')
      .replace(/\bpreview\/\w+-/g, 'preview/<id>-')
      .replace(/"code":"\d{6}"/g, '"code":"<code>"')
      .replace(/\b[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}\b/g, '<code>')
      .replace(/\b[A-Z2-7]{32}\b/g, '<code>')
      .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/(?<=[:@ ])\d{5}\b/g, '<port>')
      .replace(/\s+/g, ' ')
      .trim();
  }
}

function linesOf(screen: Screen): string[] {
  screen.quick.draw();
  const { messages, quick, trees, status, terminals, commands, documents } = screen;
  return [
    ...messages.history.map(
      ({ kind, modal, text, detail, buttons }) =>
        `${modal ? 'dialog' : kind} ${text} // ${detail ?? ''} [${buttons.join(', ')}]`,
    ),
    ...quick.drawn,
    ...[...trees.values()].flatMap((tree) => [
      ...tree.drawn,
      `view ${tree.id} ${JSON.stringify([tree.title, tree.description, tree.message, tree.badge])}`,
    ]),
    ...[...status.values()].map(
      ({ id, text, tooltip, command, name, isShown }) =>
        `status ${id} ${String(isShown)} ${text} ${markdown(tooltip)} ${JSON.stringify(command)} ${name ?? ''}`,
    ),
    ...[...status.values()].map(
      ({ id, accessibilityInformation, backgroundColor }) =>
        `spoken ${id} ${accessibilityInformation?.label ?? ''} ${backgroundColor instanceof FakeThemeColor ? backgroundColor.id : ''}`,
    ),
    ...screen.statusMessages.map((text) => `said ${text}`),
    ...terminals.history.map(
      ({ name, creationOptions, sent }) => `terminal ${name} ${JSON.stringify([creationOptions, sent])}`,
    ),
    ...commands.executed.map(({ id, args }) => `editor ${id} ${safeJson(args)}`),
    ...Object.entries(commands.keys).map(([key, value]) => `key ${key} ${JSON.stringify(value)}`),
    // Requests have lines of their own.
    ...screen.log
      .filter((line) => !line.startsWith('[debug] #'))
      .map((line) => `log ${line.split('\n')[0] ?? ''}`),
    ...screen.externalLinks.map((link) => `link ${link}`),
    ...screen.proposedFiles.map((file) => `file ${file}`),
    ...documents.shown.flatMap((document) =>
      document
        .getText()
        .split('\n')
        .slice(0, 60)
        .map((line) => `document ${document.uri.toString(true)} ${line}`),
    ),
  ];
}

function markdown(tooltip: string | vscode.MarkdownString | undefined): string {
  return typeof tooltip === 'object' ? tooltip.value : (tooltip ?? '');
}

/** Arguments of the editor's commands may lead back to themselves. */
function safeJson(value: readonly unknown[]): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '(circular)';
  }
}
