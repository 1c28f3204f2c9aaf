import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientMethod } from './operation';
import { operations } from './operations';

const root = join(__dirname, '..', '..');
const tableStart = '<!-- operations: made by `npm run operations` -->';
const tableEnd = '<!-- end of operations -->';

export const clientMethods = Object.keys(operations) as ClientMethod[];

/** Returns the table of docs/operations.md: every operation with both ends, its tests and its callers. */
function renderOperations(): string {
  const rows = clientMethods.flatMap((method) =>
    operations[method].routes.map((route) => {
      const { source, isDocumented, simulator, usedBy } = operations[method];
      const tests = contractTestsOf(method).map((name) => `\`${name}\``);
      return [
        `\`${route}\``,
        linkTo(source),
        isDocumented ? 'yes' : 'no',
        `\`${method}\``,
        `\`${simulator}\``,
        tests.length > 0 ? tests.join(' ') : 'none yet',
        usedBy.length > 0 ? usedBy.map((id) => `\`${id.replace('gpuRental.', '')}\``).join(' ') : 'none yet',
      ];
    }),
  );
  return table(
    [
      'operation',
      'described in',
      'in the interface',
      'client method',
      'simulator',
      'contract tests',
      'used by',
    ],
    rows,
  );
}

/** Returns a link that works from docs/, named by its page. */
function linkTo(source: string): string {
  const target = source.replace('docs/', '');
  return `[${target.replace(/^.*\/|\.md#.*$/g, '')}](${target})`;
}

/** Files of test/contract that put the method through the failure matrix, else those that call it. */
export function contractTestsOf(method: ClientMethod): readonly string[] {
  const files = sources('test/contract').map((file) => ({
    name: file.replace('test/contract/', ''),
    text: readFileSync(join(root, file), 'utf8'),
  }));
  const inMatrix = files.filter(({ text }) => text.includes(`'${method}'`) || text.includes(`'${method},`));
  const found = inMatrix.length > 0 ? inMatrix : files.filter(({ text }) => calls(text, method));
  return found.map(({ name }) => name).sort();
}

/** Files of the product outside the client that call the method. */
export function callersOf(method: ClientMethod): readonly string[] {
  return ['src/features', 'src/store', 'src/createServices.ts']
    .flatMap((place) => sources(place))
    .filter((file) => calls(readFileSync(join(root, file), 'utf8'), method))
    .sort();
}

function calls(source: string, method: ClientMethod): boolean {
  const [group = '', name = ''] = method.split('.');
  // `secrets.list(` may also be a member of the editor's own objects; a client stands before ours.
  return new RegExp(`\\b[cC]lient(?:Of)?(?:\\([^)]*\\))?\\??\\s*\\.${group}\\s*\\.${name}\\b`).test(source);
}

function sources(place: string): readonly string[] {
  if (place.endsWith('.ts')) {
    return [place];
  }
  return readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(place, name));
}

/** Columns as wide as their widest cell, as the formatter wants them. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

/** Returns docs/operations.md with the table as the code has it. */
export function withTable(document: string): string {
  const start = document.indexOf(tableStart);
  const end = document.indexOf(tableEnd);
  if (start < 0 || end < start) {
    throw new Error('docs/operations.md has lost the marks of the table');
  }
  return `${document.slice(0, start)}${tableStart}\n\n${renderOperations()}\n\n${document.slice(end)}`;
}
