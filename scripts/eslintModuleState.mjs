/**
 * The lint rule against state of a module: a `let` at its top, and a constant there whose object the module changes. Such
 * state outlives what it belongs to, and tests and windows share it unseen.
 */

const changes = new Set(
  'set add delete clear push pop shift unshift splice sort reverse fill copyWithin'.split(' '),
);

/** Returns whether a reference changes the object; the place of a regular expression is set before each use. */
function isChange({ identifier }) {
  const { parent: member } = identifier;
  if (member.type !== 'MemberExpression' || member.object !== identifier) {
    return false;
  }
  const { parent } = member;
  return (
    (parent.type === 'CallExpression' && parent.callee === member && changes.has(member.property.name)) ||
    (parent.type === 'AssignmentExpression' &&
      parent.left === member &&
      member.property.name !== 'lastIndex') ||
    (parent.type === 'UpdateExpression' && parent.argument === member)
  );
}

/** @type {import('eslint').Rule.RuleModule} */
export const moduleState = {
  meta: { type: 'problem', schema: [] },
  create: ({ sourceCode, report }) => ({
    'Program:exit'() {
      const scope = sourceCode.scopeManager.globalScope.childScopes[0];
      for (const { defs, references } of scope.variables) {
        const [def] = defs;
        if (def?.type === 'Variable' && (def.parent.kind !== 'const' || references.some(isChange))) {
          report({
            node: def.name,
            message: 'Keep state in an object that somebody owns, not in the module.',
          });
        }
      }
    },
  }),
};
