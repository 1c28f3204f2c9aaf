/* eslint-disable house/module-state -- A program of its own, whose state is what the page shows. */
import * as z from 'zod/mini';
import { toPage, type FromPage, type ReportView } from '../protocol';
import { drawChart, type DrawnChart } from './chart';
import { comparisonElement } from './comparison';
import { element } from './dom';
import './report.css';
import { tableElement, type TableState } from './table';

interface PageApi {
  postMessage(message: FromPage): void;
  getState(): unknown;
  setState(state: PageState): void;
}
/** State that survives while the page is hidden: sort order and unfolded tables, by section. */
interface PageState {
  readonly tables: Record<string, TableState>;
  restore?: ReportView['restore'];
}
declare function acquireVsCodeApi(): PageApi;

// The content-security policy forbids the code generation that the schemas would otherwise use.
z.config({ jitless: true });

const api = acquireVsCodeApi();
const saved = z.safeParse(
  z.object({
    tables: z.record(
      z.string(),
      z.object({ open: z.boolean(), column: z.number(), descending: z.boolean() }),
    ),
  }),
  api.getState(),
);
const state: PageState = saved.success ? saved.data : { tables: {} };
/** A part of the page, which is drawn again only if its data changed: selections, scrolled lines and charts stay. */
interface Part {
  readonly key: string;
  readonly data: unknown;
  readonly draw: () => Drawn;
}
interface Drawn {
  readonly element: HTMLElement;
  readonly chart?: DrawnChart;
}
let drawn = new Map<string, Drawn & { readonly json: string }>();
let shown: ReportView | undefined;
/**
 * Screen readers announce a changed text of a region that is there already, and nothing
 * inside a busy part. So one region stays beside the page, which is drawn again as a whole.
 */
const announcer = element('div', { role: 'status', class: 'announcer', id: 'announcer' });
document.body.append(announcer);

function send(message: FromPage): void {
  api.postMessage(message);
}

function render(view: ReportView, isAnew = false): void {
  const focused = document.activeElement?.id;
  shown = view;
  document.title = view.title;
  if (view.restore) {
    state.restore = view.restore;
    api.setState(state);
  }
  const root = document.getElementById('root');
  if (!root) {
    return;
  }
  root.setAttribute('aria-busy', String(view.busy));
  const before = drawn;
  drawn = new Map(
    partsOf(view).map(({ key, data, draw }) => {
      const json = JSON.stringify(data);
      const known = before.get(key);
      return [key, known?.json === json && !isAnew ? known : { json, ...draw() }];
    }),
  );
  for (const [key, old] of before) {
    if (drawn.get(key) !== old) {
      old.chart?.dispose();
      old.element.remove();
    }
  }
  let next = root.firstElementChild;
  for (const { element: part } of drawn.values()) {
    if (part === next) {
      next = next.nextElementSibling;
    } else {
      root.insertBefore(part, next);
    }
  }
  const output = drawn.get('output');
  if (output && output !== before.get('output')) {
    const lines = output.element.querySelector('pre');
    lines?.scrollTo(0, lines.scrollHeight);
  }
  if (focused && document.activeElement?.id !== focused) {
    document.getElementById(focused)?.focus({ preventScroll: true });
  }
  announce(view);
}

function partsOf(view: ReportView): readonly Part[] {
  const { title, subtitle, filters, buttons, notices, busy, words, comparison, sections, output } = view;
  return [
    part('header', { title, subtitle, filters, buttons }, () => header(view)),
    ...notices.map((notice, index) => part(`notice-${index}`, notice, () => noticeElement(notice, index))),
    ...(busy ? [part('busy', words.loading, () => element('p', { class: 'busy' }, words.loading))] : []),
    part('tiles', view.tiles, () => tiles(view)),
    ...(comparison
      ? [
          part('comparison', comparison, () =>
            comparisonElement(comparison, (id) => {
              send({ type: 'button', id });
            }),
          ),
        ]
      : []),
    ...sections.map((section) => ({
      key: `section-${section.id}`,
      data: [section, words],
      draw: () => sectionElement(view, section),
    })),
    ...(output ? [part('output', output, () => outputElement(output))] : []),
  ];
}

function part(key: string, data: unknown, draw: () => HTMLElement): Part {
  return { key, data, draw: () => ({ element: draw() }) };
}

/** Announces that the page loads, and then its first content: its notices and figures, or the time that it covers. */
function announce(view: ReportView): void {
  const figures = [
    ...view.notices.map(({ text }) => text),
    ...view.tiles.map(({ label, value }) => `${label}: ${value}`),
  ];
  const words = view.busy ? [view.words.loading] : figures.length === 0 ? [view.subtitle] : figures;
  const text = view.spoken ?? words.join(' ');
  // The same text again would be announced again, for example with a change of theme.
  if (announcer.textContent !== text) {
    announcer.textContent = text;
  }
}

function header(view: ReportView): HTMLElement {
  const bar = element('div', { class: 'bar' });
  for (const filter of view.filters) {
    const id = `filter-${filter.id}`;
    const label = element('label', { for: id }, filter.label);
    const choose = (value: string) => {
      send({ type: 'filter', id: filter.id, value });
    };
    const input = 'isDate' in filter ? dateInput(id, filter.value, choose) : choiceInput(id, filter, choose);
    bar.append(element('span', { class: 'field' }, label, input));
  }
  bar.append(actionsElement(view.buttons));
  return element('header', {}, element('h1', {}, view.title), element('p', {}, view.subtitle), bar);
}

function actionsElement(buttons: ReportView['buttons']): HTMLElement {
  const actions = element('div', { class: 'actions' });
  for (const button of buttons) {
    const made = buttonElement(`button-${button.id}`, button.label, () => {
      send({ type: 'button', id: button.id });
    });
    made.classList.toggle('primary', button.primary === true);
    actions.append(made);
  }
  return actions;
}

type Choice = Exclude<ReportView['filters'][number], { readonly isDate: true }>;

function choiceInput(id: string, { options, value }: Choice, choose: (value: string) => void): HTMLElement {
  const input = element('select', { id });
  for (const option of options) {
    const item = element('option', { value: option.value }, option.label);
    item.toggleAttribute('selected', option.value === value);
    input.append(item);
  }
  input.addEventListener('change', () => {
    choose(input.value);
  });
  return input;
}

/**
 * Makes a field for a date. A typed date counts once the field is left or Enter is pressed: the browser calls each part
 * of it a change, after which the page would be drawn again with the focus on the first part.
 */
function dateInput(id: string, value: string, choose: (value: string) => void): HTMLElement {
  const input = element('input', { id, type: 'date', value });
  let isTyped = false;
  let chosen = value;
  const done = () => {
    if (input.value !== chosen) {
      chosen = input.value;
      choose(chosen);
    }
  };
  input.addEventListener('keydown', ({ key }) => {
    isTyped = true;
    if (key === 'Enter') {
      done();
    }
  });
  input.addEventListener('pointerdown', () => {
    isTyped = false;
  });
  input.addEventListener('change', () => {
    if (!isTyped) {
      done();
    }
  });
  input.addEventListener('blur', done);
  return input;
}

function buttonElement(id: string, label: string, onClick: () => void): HTMLElement {
  const button = element('button', { id, type: 'button' }, label);
  button.addEventListener('click', onClick);
  return button;
}

function noticeElement(notice: ReportView['notices'][number], index: number): HTMLElement {
  const box = element('div', { class: `notice ${notice.severity}` });
  box.append(element('span', {}, notice.text));
  for (const button of notice.buttons) {
    box.append(
      buttonElement(`notice-${index}-${button.id}`, button.label, () => {
        send({ type: 'button', id: button.id });
      }),
    );
  }
  return box;
}

function tiles(view: ReportView): HTMLElement {
  const list = element('dl', { class: 'tiles' });
  for (const tile of view.tiles) {
    list.append(element('div', {}, element('dt', {}, tile.label), element('dd', {}, tile.value)));
  }
  return list;
}

function sectionElement(view: ReportView, section: ReportView['sections'][number]): Drawn {
  const heading = `heading-${section.id}`;
  const box = element('section', { 'aria-labelledby': heading });
  box.append(element('h2', { id: heading }, section.title));
  const openRow = (row: string) => {
    send({ type: 'row', section: section.id, row });
  };
  const chart = section.chart && drawChart(section.id, section.title, section.chart, view.words, openRow);
  if (chart) {
    box.append(chart.element);
  }
  if (chart && view.words.savePicture !== '') {
    box.append(
      buttonElement(`picture-${section.id}`, view.words.savePicture, () => {
        send({ type: 'picture', section: section.id, png: chart.png() });
      }),
    );
  }
  const remembered = state.tables[section.id] ?? { open: !section.folded, column: -1, descending: false };
  const table = tableElement(section.id, section.table, remembered, view.words.sortHint, {
    onState: (next) => {
      state.tables[section.id] = { ...next, open: details?.open ?? true };
      api.setState(state);
    },
    onRow: openRow,
    onButton: (id) => {
      send({ type: 'button', id });
    },
  });
  let details: HTMLDetailsElement | undefined;
  if (section.folded) {
    const fold = element(
      'details',
      {},
      element('summary', { id: `fold-${section.id}` }, view.words.showTable),
      table,
    );
    fold.open = remembered.open;
    fold.addEventListener('toggle', () => {
      state.tables[section.id] = { ...(state.tables[section.id] ?? remembered), open: fold.open };
      api.setState(state);
    });
    details = fold;
    box.append(fold);
  } else {
    box.append(table);
  }
  if (section.buttons) {
    box.append(actionsElement(section.buttons));
  }
  return chart ? { element: box, chart } : { element: box };
}

function outputElement({ title, text, buttons }: NonNullable<ReportView['output']>): HTMLElement {
  const lines = element('pre', { id: 'output', tabindex: '0', role: 'group', 'aria-label': title }, text);
  return element(
    'section',
    { 'aria-labelledby': 'heading-output' },
    element('h2', { id: 'heading-output' }, title),
    ...(text === '' ? [] : [lines]),
    actionsElement(buttons),
  );
}

window.addEventListener('message', (event: MessageEvent<unknown>) => {
  const message = z.safeParse(toPage, event.data);
  if (message.success) {
    performance.mark('report-start');
    render(message.data.view);
    // The charts find their size, and draw again, in the frame after they were added.
    requestAnimationFrame(() => {
      requestAnimationFrame(() => {
        performance.measure('report', 'report-start');
      });
    });
  }
});
// Style sheets don't reach a canvas, so a change of theme draws the charts again.
new MutationObserver(() => {
  if (shown) {
    render(shown, true);
  }
}).observe(document.body, { attributes: true, attributeFilter: ['class', 'data-vscode-theme-id'] });
send({ type: 'ready' });
