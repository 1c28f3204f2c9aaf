import * as vscode from 'vscode';
import { type Disposable, toDisposable } from '../util/disposable';
import { markdownLines, markdownWords } from '../util/plainMarkdown';
import { t } from './localize';

/** What the item is about; an earlier part is in front of a later one. */
const partIds = ['window', 'instances', 'jobs', 'agents'] as const;
type PartId = (typeof partIds)[number];

export interface StatusPart {
  /** Begins with an icon, which stands for the part while another is in front. */
  readonly text: string;
  /** Lines of plain text. */
  readonly tooltip: string;
  readonly spoken: string;
  /** True for a part that is in front of all others, in color. */
  readonly isWarning: boolean;
  /** Runs at a click while the part is in front, and always by its link in the tooltip. */
  readonly command: vscode.Command;
}

/** The only item in the status bar. Its tooltip holds all parts and their links. */
export class StatusItem implements Disposable {
  private readonly parts = new Map<PartId, StatusPart>();
  private item: vscode.StatusBarItem | undefined;

  set(id: PartId, part: StatusPart | undefined): void {
    if (part) {
      this.parts.set(id, part);
    } else if (!this.parts.delete(id)) {
      return;
    }
    this.show();
  }

  /** Removes a part with its owner. */
  owned(id: PartId): Disposable {
    return toDisposable(() => this.set(id, undefined));
  }

  dispose(): void {
    this.item?.dispose();
  }

  private show(): void {
    const parts = partIds.flatMap((id) => this.parts.get(id) ?? []);
    const front = parts.find(({ isWarning }) => isWarning) ?? parts[0];
    if (!front) {
      this.item?.hide();
      return;
    }
    this.item ??= vscode.window.createStatusBarItem('gpuRental.status', vscode.StatusBarAlignment.Left, 10);
    const ordered = [front, ...parts.filter((part) => part !== front)];
    this.item.name = t('GPU Rental');
    this.item.text = ordered.map(({ text }, place) => (place === 0 ? text : iconsOf(text))).join(' ');
    this.item.tooltip = tooltipOf(ordered);
    this.item.accessibilityInformation = {
      label: ordered.map(({ spoken }) => spoken).join(', '),
      role: 'button',
    };
    this.item.command = front.command.command;
    this.item.backgroundColor = front.isWarning
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined;
    this.item.show();
  }
}

function iconsOf(text: string): string {
  return (/^(?:\$\([\w~-]+\) ?)*/.exec(text)?.[0] ?? '').trim();
}

function tooltipOf(parts: readonly StatusPart[]): vscode.MarkdownString {
  const ids = parts.map(({ command }) => command.command);
  const links = parts
    .map(({ command }) => command)
    .filter(({ command }, place) => ids.indexOf(command) === place)
    .map(({ command, title }) => `[${markdownWords(title)}](command:${command})`);
  const sections = [...parts.map((part) => markdownLines([part.tooltip])), links.join(' · ')];
  const shown = new vscode.MarkdownString(sections.join('\n\n---\n\n'));
  shown.isTrusted = { enabledCommands: ids };
  return shown;
}
