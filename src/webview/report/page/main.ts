import * as z from 'zod/mini';
import { toPage, type FromPage, type ReportView } from '../protocol';
import { drawChart, type DrawnChart } from './chart';
import { comparisonElement } from './comparison';
import { element, replaceChildren } from './dom';
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
let charts: DrawnChart[] = [];
let shown: ReportView | undefined;
/**
 * Screen readers announce a changed text of a region that is there already, and nothing inside of what is busy. So one
 * region stays beside the page, which is drawn again as a whole.
 */
const announcer = element('div', { role: 'status', class: 'announcer', id: 'announcer' });
document.body.append(announcer);

function send(message: FromPage): void {
  api.postMessage(message);
}

function render(view: ReportView): void {
  const focused = document.activeElement?.id;
  charts.forEach((chart) => {
    chart.dispose();
  });
  charts = [];
  shown = view;
  document.title = view.title;
  const root = document.getElementById('root');
  if (!root) {
    return;
  }
  root.setAttribute('aria-busy', String(view.busy));
  replaceChildren(root, [
    header(view),
    ...view.notices.map((notice, index) => noticeElement(notice, index)),
    ...(view.busy ? [element('p', { class: 'busy' }, view.words.loading)] : []),
    tiles(view),
    ...(view.comparison
      ? [
          comparisonElement(view.comparison, (id) => {
            send({ type: 'button', id });
          }),
        ]
      : []),
    ...view.sections.map((section) => sectionElement(view, section)),
  ]);
  if (focused) {
    document.getElementById(focused)?.focus();
  }
  announce(view);
}

/** Announces that the page loads, and then what it says first: its notices and figures, or the time that it covers. */
function announce(view: ReportView): void {
  const figures = [
    ...view.notices.map(({ text }) => text),
    ...view.tiles.map(({ label, value }) => `${label}: ${value}`),
  ];
  const words = view.busy ? [view.words.loading] : figures.length === 0 ? [view.subtitle] : figures;
  const text = words.join(' ');
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
  const actions = element('span', { class: 'actions' });
  for (const button of view.buttons) {
    actions.append(
      buttonElement(`button-${button.id}`, button.label, () => {
        send({ type: 'button', id: button.id });
      }),
    );
  }
  bar.append(actions);
  return element('header', {}, element('h1', {}, view.title), element('p', {}, view.subtitle), bar);
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

function sectionElement(view: ReportView, section: ReportView['sections'][number]): HTMLElement {
  const heading = `heading-${section.id}`;
  const box = element('section', { 'aria-labelledby': heading });
  box.append(element('h2', { id: heading }, section.title));
  if (section.chart) {
    const chart = drawChart(section.id, section.title, section.chart, view.words);
    charts.push(chart);
    box.append(
      chart.element,
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
    onRow: (row) => {
      send({ type: 'row', section: section.id, row });
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
  return box;
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
    render(shown);
  }
}).observe(document.body, { attributes: true, attributeFilter: ['class', 'data-vscode-theme-id'] });
send({ type: 'ready' });
