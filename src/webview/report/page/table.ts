import type { TableView } from '../protocol';
import { element } from './dom';

export interface TableState {
  readonly open: boolean;
  /** The sorted column; -1 keeps the original order. */
  readonly column: number;
  readonly descending: boolean;
}

interface TableEvents {
  onState(state: TableState): void;
  onRow(row: string): void;
  onButton(id: string): void;
}

/**
 * Makes a table that sorts by its headings and announces the order to screen readers. Buttons keep the focus by their
 * ids.
 */
export function tableElement(
  id: string,
  view: TableView,
  initial: TableState,
  sortHint: string,
  events: TableEvents,
): HTMLElement {
  const table = element('table');
  const headings = element('tr');
  const body = element('tbody');
  let state = initial.column < view.columns.length ? initial : { ...initial, column: -1 };
  const cells = view.columns.map((column, index) => {
    const button = element(
      'button',
      { id: `sort-${id}-${index}`, type: 'button', title: sortHint },
      column.label,
    );
    button.addEventListener('click', () => {
      state = {
        ...state,
        column: index,
        descending: state.column === index ? !state.descending : column.numeric,
      };
      events.onState(state);
      fill();
    });
    const heading = element('th', { scope: 'col', ...(column.numeric ? { class: 'numeric' } : {}) }, button);
    headings.append(heading);
    return heading;
  });
  const fill = () => {
    cells.forEach((heading, index) => {
      const order = state.descending ? 'descending' : 'ascending';
      heading.setAttribute('aria-sort', state.column === index ? order : 'none');
    });
    body.replaceChildren(...sortRows(view, state).map((row) => rowElement(id, view, row, events)));
  };
  fill();
  if (view.columns.length === 0) {
    table.className = 'facts';
    table.append(body);
    return table;
  }
  table.append(
    element('caption', { id: `caption-${id}` }, view.caption),
    element('thead', {}, headings),
    body,
  );
  return element(
    'div',
    {
      class: 'scroll',
      tabindex: '0',
      role: 'region',
      // Several tables may have the same caption, and screen readers list regions by name.
      'aria-labelledby': `heading-${id} caption-${id}`,
      id: `table-${id}`,
    },
    table,
  );
}

type Row = TableView['rows'][number];

function rowElement(id: string, view: TableView, row: Row, events: TableEvents): HTMLElement {
  const line = element('tr');
  row.cells.forEach((cell, index) => {
    const numeric = view.columns[index]?.numeric === true;
    const content = contentOf(id, cell, index === 0 ? row : undefined, events);
    const made =
      index === 0
        ? element('th', { scope: 'row' }, content)
        : element('td', numeric ? { class: 'numeric' } : {}, content);
    if (cell.share !== undefined) {
      const bar = element('div', { class: 'share' });
      bar.style.setProperty('--share', `${cell.share * 100}%`);
      made.append(bar);
    }
    line.append(made);
  });
  return line;
}

/** Returns what a cell shows: its text, its button, or the link that opens `row`. */
function contentOf(
  id: string,
  { text, button }: Row['cells'][number],
  row: Row | undefined,
  events: TableEvents,
): HTMLElement | string {
  if (button) {
    return cellButton({ id: `cell-${button.id}`, 'aria-label': button.name }, text, () => {
      events.onButton(button.id);
    });
  }
  return row?.action === undefined
    ? text
    : cellButton({ id: `row-${id}-${row.id}`, class: 'link', title: row.action }, text, () => {
        events.onRow(row.id);
      });
}

function cellButton(attributes: Record<string, string>, label: string, onClick: () => void): HTMLElement {
  const button = element('button', { type: 'button', ...attributes }, label);
  button.addEventListener('click', onClick);
  return button;
}

/** Sorts rows; unknown values come last in both directions. */
function sortRows(view: TableView, state: TableState): readonly Row[] {
  if (state.column < 0) {
    return view.rows;
  }
  const key = (row: Row) => {
    const cell = row.cells[state.column];
    return cell?.sort ?? (view.columns[state.column]?.numeric === true ? undefined : cell?.text);
  };
  const sign = state.descending ? -1 : 1;
  return [...view.rows].sort((a, b) => {
    const left = key(a);
    const right = key(b);
    if (left === undefined || right === undefined) {
      return left === right ? 0 : left === undefined ? 1 : -1;
    }
    return (
      sign *
      (typeof left === 'number' && typeof right === 'number'
        ? left - right
        : String(left).localeCompare(String(right)))
    );
  });
}
