/**
 * Collects every visible sentence of the code into `l10n/bundle.l10n.json`, which translators copy.
 *
 *   node scripts/l10n.mjs           write the bundle
 *   node scripts/l10n.mjs --check   fail when it is not current
 *
 * A sentence is the literal first argument of `t(…)` or `text(…)`; what is put together while running
 * could not be translated, so anything but a literal in its place is an error.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const bundleFile = path.join(root, 'l10n', 'bundle.l10n.json');

/** The bundle's text as the sources of today give it. */
export async function renderBundle(folder = path.join(root, 'src')) {
  const { default: ts } = await import('typescript');
  const found = new Map();
  const problems = [];
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.tsx?$/.test(file) || file.endsWith('.d.ts')) continue;
    const source = ts.createSourceFile(
      file,
      readFileSync(path.join(folder, file), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    );
    const visit = (node) => {
      if (ts.isCallExpression(node)) collect(ts, node, file, source, found, problems);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}

function collect(ts, call, file, source, found, problems) {
  const callee = call.expression.getText(source);
  const from = { t: '(editor/)?localize', text: '(util/)?text' }[callee];
  if (from === undefined || !imports(source, callee, from)) return;
  const [first] = call.arguments;
  if (first === undefined) return;
  if (ts.isStringLiteralLike(first)) {
    found.set(first.text, first.text);
    return;
  }
  const { line } = source.getLineAndCharacterOfPosition(first.getStart(source));
  problems.push(
    `src/${file}:${line + 1}: ${callee}(…) takes a literal, not ${first.getText(source).slice(0, 60)}`,
  );
}

/** Other functions may be called `t` or `text` too. */
function imports(source, name, from) {
  return new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '[./]*${from}'`).test(source.text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const current = await renderBundle();
  if (!process.argv.includes('--check')) {
    writeFileSync(bundleFile, current);
  } else if (current !== readFileSync(bundleFile, 'utf8')) {
    process.stderr.write('l10n/bundle.l10n.json is not current: run `node scripts/l10n.mjs`.\n');
    process.exit(1);
  }
}
