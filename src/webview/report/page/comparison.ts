import type { ComparisonView } from '../protocol';
import { element } from './dom';

/** Makes a table with a column for each item; a word and bold text mark the best value of a row. */
export function comparisonElement(view: ComparisonView, press: (id: string) => void): HTMLElement {
  const table = element('table', { class: 'comparison' }, element('caption', {}, view.caption));
  const head = element('tr', {}, element('th', { scope: 'col' }, view.corner));
  head.append(...view.columns.map((column) => columnHeading(column, press)));
  table.append(element('thead', {}, head));
  for (const group of view.groups) {
    const body = element('tbody');
    const span = String(view.columns.length + 1);
    body.append(
      element('tr', {}, element('th', { scope: 'rowgroup', colspan: span }, group.label)),
      ...group.rows.map((row) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, row.label),
          ...row.cells.map((cell) =>
            cell.best
              ? element('td', { class: 'best' }, cell.text, ' ', element('span', {}, view.best))
              : element('td', {}, cell.text),
          ),
        ),
      ),
    );
    table.append(body);
  }
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': view.caption, id: 'comparison' },
    table,
  );
}

function columnHeading(column: ComparisonView['columns'][number], press: (id: string) => void): HTMLElement {
  const heading = element('th', { scope: 'col' }, column.label);
  for (const note of column.notes) {
    heading.append(element('p', { class: `note ${note.severity}` }, note.text));
  }
  const actions = element('div', { class: 'actions' });
  for (const { id, label, name, primary } of column.buttons) {
    const button = element(
      'button',
      { id: `compare-${id}`, type: 'button', 'aria-label': name, ...(primary ? { class: 'primary' } : {}) },
      label,
    );
    button.addEventListener('click', () => {
      press(id);
    });
    actions.append(button);
  }
  heading.append(actions);
  return heading;
}
