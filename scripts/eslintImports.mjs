/**
 * The lint rule for the order of imports: modules of Node.js, packages, files, each by name. An import for its effect
 * stays where it is, and so do those on either side of it. A comment between imports belongs to the one after it.
 */

function groupOf(name) {
  return name.startsWith('node:') ? 0 : name.startsWith('.') ? 2 : 1;
}

function compare({ source: { value: one } }, { source: { value: other } }) {
  return groupOf(one) - groupOf(other) || (one < other ? -1 : Number(one > other));
}

/** Returns the imports that may change places with each other. */
function runsOf(statements) {
  const runs = [[]];
  for (const one of statements) {
    if (one.type === 'ImportDeclaration' && one.specifiers.length > 0) {
      runs.at(-1).push(one);
    } else {
      runs.push([]);
    }
  }
  return runs;
}

/** @type {import('eslint').Rule.RuleModule} */
export const importOrder = {
  meta: { type: 'layout', fixable: 'code', schema: [] },
  create: ({ sourceCode, report }) => ({
    Program({ body }) {
      for (const run of runsOf(body)) {
        const sorted = run.toSorted(compare);
        const node = run.find((one, index) => one !== sorted[index]);
        if (!node) {
          continue;
        }
        const [first] = run;
        const text = (one) =>
          (one === first ? [one] : [...sourceCode.getCommentsBefore(one), one])
            .map((part) => sourceCode.getText(part))
            .join('\n');
        report({
          node,
          message: 'Sort the imports: modules of Node.js, packages, files, each by name (`eslint --fix`).',
          fix: (fixer) =>
            fixer.replaceTextRange([first.range[0], run.at(-1).range[1]], sorted.map(text).join('\n')),
        });
      }
    },
  }),
};
