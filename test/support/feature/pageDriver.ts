import assert from 'node:assert/strict';
import { toPage, type FromPage, type ReportView } from '../../../src/webview/report/protocol';
import type { FakePanel } from '../fakeEditor/panels';
import { fits, type Wanted } from './wanted';
import type { FeatureWindow } from './window';

type Section = ReportView['sections'][number];

/** The page of a report or of the comparison: what it is given to draw, and what a user can do in it. */
export class PageDriver {
  constructor(
    private readonly window: FeatureWindow,
    /** Of the panel, without the prefix of the product. */
    private readonly id: string,
  ) {}

  /** The panel that is open. */
  get panel(): FakePanel {
    const found = this.window.screen.panels.all.findLast(
      ({ viewType, isClosed }) => viewType === `gpuRental.${this.id}` && !isClosed,
    );
    assert.ok(found, `no page ${this.id} is open`);
    return found;
  }

  /** What the page shows: the last that it was given. It takes nothing that is not of the form both sides know. */
  get view(): ReportView {
    return toPage.parse(this.panel.posted.at(-1)).view;
  }

  /** Waits until the page is open and shows something that fits, and is not busy. */
  async shows(what: string, isWanted: (view: ReportView) => boolean = () => true): Promise<ReportView> {
    const { computer, screen } = this.window;
    return computer.until(`the page ${this.id} to show ${what}`, () => {
      const isOpen = screen.panels.all.some(
        (one) => one.viewType === `gpuRental.${this.id}` && !one.isClosed,
      );
      if (!isOpen || this.panel.posted.length === 0) {
        return undefined;
      }
      const { view } = this;
      return !view.busy && isWanted(view) ? view : undefined;
    });
  }

  /** Waits for the notice with this text. */
  async notice(text: Wanted): Promise<ReportView['notices'][number]> {
    const isIt = (notice: ReportView['notices'][number]) => fits(notice.text, text);
    const { notices } = await this.shows(`a notice with ${String(text)}`, (view) => view.notices.some(isIt));
    const found = notices.find(isIt);
    assert.ok(found);
    return found;
  }

  section(id: string): Section {
    const found = this.view.sections.find((one) => one.id === id);
    assert.ok(
      found,
      `there is no section ${id}; there are: ${this.view.sections.map((one) => one.id).join()}`,
    );
    return found;
  }

  /** Texts of a table, row by row. */
  rows(section: string): string[][] {
    return this.section(section).table.rows.map(({ cells }) => cells.map(({ text }) => text));
  }

  /** Presses the button with this label or name: in the head, in a notice, in a part of the page or in a column. */
  async press(label: string): Promise<void> {
    const { buttons, notices, comparison, sections, output } = this.view;
    const all = [
      ...buttons,
      ...notices.flatMap((notice) => notice.buttons),
      ...sections.flatMap((section) => section.buttons ?? []),
      ...(output?.buttons ?? []),
      ...(comparison?.columns ?? []).flatMap((column) =>
        column.buttons.map(({ id, name }) => ({ id, label: name })),
      ),
      ...sections
        .flatMap(({ table }) => table.rows.flatMap(({ cells }) => cells))
        .flatMap(({ button }) => (button ? [{ id: button.id, label: button.name }] : [])),
    ];
    const button = all.find((one) => one.label.startsWith(label));
    assert.ok(button, `there is no button ${label}; there are: ${all.map((one) => one.label).join(', ')}`);
    await this.send({ type: 'button', id: button.id });
  }

  /** Chooses a value that the filter offers. */
  async choose(filter: string, value: string): Promise<void> {
    const found = this.view.filters.find(({ label }) => label === filter);
    assert.ok(found, `there is no filter ${filter}`);
    if (!('isDate' in found)) {
      const offered = found.options.map((option) => option.value);
      assert.ok(offered.includes(value), `${filter} does not offer ${value}, only ${offered.join(', ')}`);
    }
    await this.send({ type: 'filter', id: found.id, value });
  }

  /** Clicks the button that a row begins with. */
  async clickRow(section: string, text: Wanted): Promise<void> {
    const row = this.section(section).table.rows.find(({ cells }) => fits(cells[0]?.text ?? '', text));
    assert.ok(row?.action, `no row ${String(text)} in ${section} can be clicked`);
    await this.send({ type: 'row', section, row: row.id });
  }

  /** Sends what the page would send. */
  async send(message: FromPage): Promise<void> {
    this.panel.send(message);
    await this.window.computer.rest();
  }
}
