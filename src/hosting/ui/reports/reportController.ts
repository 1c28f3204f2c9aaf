import { posix } from 'node:path';
import * as vscode from 'vscode';
import { reasonOf, t } from '../../../editor/localize';
import { message, suggest } from '../../../editor/message';
import { pickOne } from '../../../editor/quickPick';
import { stepLabel } from '../../../editor/report';
import { ReportPanel } from '../../../editor/reportPanel';
import { saveFile } from '../../../editor/saveFile';
import { stampText } from '../../../editor/timeText';
import { labelOf } from '../../../editor/titles';
import type { Services } from '../../../services';
import { isCancelled } from '../../../util/errors';
import type { FilterView, FromPage, ReportView } from '../../../webview/report/protocol';
import { toCsv, toMarkdown } from './exports';
import type { ReportNotice } from './notice';

export type ReportDeps = Pick<
  Services,
  'extensionUri' | 'log' | 'accounts' | 'report' | 'clock' | 'commands'
>;

/** The parts of a report that differ from the others: what it reads and how it is drawn. */
export interface ReportSource<Data> {
  readonly id: string;
  readonly title: string;
  /** One sentence about the figures and the time that they cover. */
  subtitle(): string;
  filters(): readonly FilterView[];
  /** Sets a filter and returns true if the data must be read again. */
  setFilter(id: string, value: string): boolean;
  /** Buttons in addition to those that every report has. */
  buttons(): readonly { readonly id: string; readonly label: string }[];
  /** Runs one of the report's own buttons. */
  press?(id: string): void;
  read(signal: AbortSignal): Promise<Data>;
  draw(data: Data): Pick<ReportView, 'tiles' | 'sections' | 'comparison'> & {
    readonly notices?: readonly ReportNotice[];
  };
  /** When the data was read, if not now. */
  readAt?(data: Data): number;
  /** What the page waits for, if not for the data itself. */
  waitsFor?(): string | undefined;
  /** The content for *Save as JSON*. */
  json(data: Data): unknown;
  /** Called when the user chooses a row of a table. */
  openRow?(section: string, row: string): void;
}

/** One open report. It reads the data, keeps the last good data when a read fails, and exports it. */
export class ReportController<Data> implements vscode.Disposable {
  private panel: ReportPanel | undefined;
  private data: { readonly value: Data; readonly readAt: number } | undefined;
  private error: unknown;
  private reading: AbortController | undefined;
  /** True if the data was read with other filters than those on the screen. */
  private isOutdated = false;

  constructor(
    private readonly deps: ReportDeps,
    /** The choices in it end with the page. */
    private readonly source: ReportSource<Data>,
    onClosed: () => void,
  ) {
    this.panel = new ReportPanel(
      {
        id: source.id,
        title: source.title,
        extensionUri: deps.extensionUri,
        log: deps.log,
        onMessage: (message) => {
          void this.receive(message).catch((error: unknown) => {
            deps.report.error(error);
          });
        },
      },
      () => {
        this.panel = undefined;
        this.reading?.abort();
        this.reading = undefined;
        onClosed();
      },
    );
    void this.refresh();
  }

  reveal(): void {
    this.panel?.reveal();
  }

  /** Reads the data again and aborts a read that is still running. */
  async refresh(): Promise<void> {
    this.reading?.abort();
    const own = new AbortController();
    this.reading = own;
    this.error = undefined;
    this.draw();
    try {
      const value = await this.source.read(own.signal);
      if (this.reading === own) {
        this.data = { value, readAt: this.source.readAt?.(value) ?? this.deps.clock.now() };
        this.isOutdated = false;
      }
    } catch (error) {
      if (this.reading !== own) {
        return;
      }
      if (!isCancelled(error)) {
        this.error = error;
        this.deps.log.warn(`The report “${this.source.id}” could not be read: ${String(error)}`);
      }
    }
    if (this.reading === own) {
      this.reading = undefined;
      this.draw();
    }
  }

  /** Reads other data, instead of which the present one is never shown. */
  restart(): Promise<void> {
    this.isOutdated = true;
    return this.refresh();
  }

  /** Draws the data that has been read, after a choice that needs no new read. */
  draw(): void {
    const { source, shown: data } = this;
    const drawn = data && source.draw(data.value);
    this.panel?.show({
      title: source.title,
      subtitle: data === undefined ? source.subtitle() : `${source.subtitle()} ${asOfText(data.readAt)}`,
      busy: this.reading !== undefined,
      notices: [...this.errorNotice(), ...(drawn?.notices ?? [])],
      filters: [...source.filters()],
      buttons: [
        { id: 'refresh', label: labelOf('gpuRental.refresh') },
        ...(data
          ? [
              { id: 'csv', label: t('Save as CSV') },
              { id: 'json', label: t('Save as JSON…') },
              { id: 'markdown', label: t('Copy as Markdown') },
            ]
          : []),
        ...source.buttons(),
      ],
      tiles: drawn?.tiles ?? [],
      sections: drawn?.sections ?? [],
      comparison: drawn?.comparison,
      words: {
        loading: source.waitsFor?.() ?? t('Loading…'),
        showTable: t('Table'),
        savePicture: t('Save Picture…'),
        median: t('Median'),
        sortHint: t('Sort by this column'),
      },
    });
  }

  dispose(): void {
    this.panel?.dispose();
  }

  /** The last good data, unless it is of other filters: figures of one time are neither shown nor saved under another. */
  private get shown() {
    return this.isOutdated ? undefined : this.data;
  }

  private errorNotice(): ReportNotice[] {
    if (this.error === undefined) {
      return [];
    }
    const why = reasonOf(this.error) ?? t('Something unexpected happened. See the log for details.');
    // The page stays as it is, so an age in minutes would soon be wrong.
    const age = this.shown && t('Shown as of {0}.', stampText(this.shown.readAt));
    return [
      {
        severity: 'error',
        text: age === undefined ? why : `${why} ${age}`,
        buttons: [{ id: 'refresh', label: stepLabel('retry') ?? '' }],
      },
    ];
  }

  private async receive(message: Exclude<FromPage, { type: 'ready' }>): Promise<void> {
    switch (message.type) {
      case 'filter':
        if (this.source.setFilter(message.id, message.value)) {
          await this.restart();
        } else {
          this.draw();
        }
        return;
      case 'row':
        this.source.openRow?.(message.section, message.row);
        return;
      case 'picture':
        await save(
          `${this.source.id}-${message.section}.png`,
          Buffer.from(message.png, 'base64'),
          'PNG',
          'png',
        );
        return;
      case 'button':
        await this.press(message.id);
    }
  }

  private async press(id: string): Promise<void> {
    if (id === 'refresh') {
      return this.refresh();
    }
    const { shown } = this;
    if (!shown || !['csv', 'json', 'markdown'].includes(id)) {
      this.source.press?.(id);
      this.draw();
      return;
    }
    const { sections } = this.source.draw(shown.value);
    if (id === 'json') {
      const text = JSON.stringify(this.source.json(shown.value), null, 2);
      await save(`${this.source.id}.json`, text, 'JSON', 'json');
    } else if (id === 'markdown') {
      await vscode.env.clipboard.writeText(
        sections.map(({ title, table }) => toMarkdown(title, table)).join('\n'),
      );
      message('info', t('The tables were copied as Markdown.'));
    } else {
      await this.saveCsv(sections);
    }
  }

  private async saveCsv(sections: ReportView['sections']): Promise<void> {
    const picked = await pickOne(
      sections.map((section) => ({ label: section.title, section })),
      { title: t('Save as CSV'), placeHolder: t('Which one?') },
    );
    if (picked) {
      const name = `${this.source.id}-${picked.section.id}.csv`;
      await save(name, toCsv(picked.section.table), 'CSV', 'csv');
    }
  }
}

function asOfText(readAt: number): string {
  return t('Shown as of {0}.', stampText(readAt));
}

/** Writes a file that the user picks and offers to open it. */
async function save(name: string, content: string | Uint8Array, kind: string, ending: string): Promise<void> {
  const target = await saveFile({
    title: t('Save Report'),
    name,
    content,
    filters: { [kind]: [ending] },
  });
  if (!target) {
    return;
  }
  await suggest('info', t('Saved {0}.', posix.basename(target.path)), {
    label: t('Open'),
    run: () => vscode.commands.executeCommand('vscode.open', target),
  });
}
