/**
 * Collects every visible sentence of the code into `l10n/bundle.l10n.json`, which translators copy.
 *
 *   npm run l10n              write the bundle
 *   npm run l10n -- --check   fail when it is not current
 *
 * A sentence is the literal first argument of `t(…)` or `text(…)`; what is put together while running
 * could not be translated, so anything but a literal in its place is an error.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const bundleFile = path.join(root, 'l10n', 'bundle.l10n.json');

/** Functions that take a sentence, where they are imported from our own files: others may be called so too. */
const sentenceMakers = [
  ['t', '(editor/)?localize'],
  ['text', '(util/)?text'],
].map(([name, from]) => ({
  name,
  isImported: new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '[./]*${from}'`),
}));

/** The bundle's text as the sources of today give it. */
export async function renderBundle(folder = path.join(root, 'src')) {
  const { default: ts } = await import('typescript');
  const found = new Map();
  const problems = [];
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.tsx?$/.test(file) || file.endsWith('.d.ts')) continue;
    const content = readFileSync(path.join(folder, file), 'utf8');
    const makers = sentenceMakers
      .filter(({ isImported }) => isImported.test(content))
      .map(({ name }) => name);
    if (makers.length === 0) continue;
    const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest);
    const visit = (node) => {
      if (
        ts.isCallExpression(node) &&
        ts.isIdentifier(node.expression) &&
        makers.includes(node.expression.text)
      ) {
        collect(ts, node, file, source, found, problems);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}

function collect(ts, call, file, source, found, problems) {
  const [first] = call.arguments;
  if (first === undefined) return;
  if (ts.isStringLiteralLike(first)) {
    found.set(first.text, first.text);
    return;
  }
  const { line } = source.getLineAndCharacterOfPosition(first.getStart(source));
  problems.push(
    `src/${file}:${line + 1}: ${call.expression.text}(…) takes a literal, not ${first.getText(source).slice(0, 60)}`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const current = await renderBundle();
  if (!process.argv.includes('--check')) {
    writeFileSync(bundleFile, current);
  } else if (current !== readFileSync(bundleFile, 'utf8')) {
    process.stderr.write('l10n/bundle.l10n.json is not current: run `npm run l10n`.\n');
    process.exit(1);
  }
}
