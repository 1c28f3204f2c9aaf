import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** What the default button of a dialog may be: nothing is lost, paid or trusted by it. */
const harmless = ['Check Again', 'gpuRental.tfa.removeMethod', 'gpuRental.openConsole'];
const source = path.join(__dirname, '../../../src');

/** Labels of the first button of each dialog that is shown past `choose`, with the file; *Not Now* comes first there. */
function firstButtons(): readonly string[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(?:features|editor|\w+\/ui)\/.*\.ts$/.test(name) && name !== 'editor/confirm.ts')
    .flatMap((name) => buttonsIn(path.join(source, name)));
}

function buttonsIn(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  if (!/import \{[^}]*\bask\b[^}]*\} from '[./]*(editor\/)?message'/.test(text)) {
    return [];
  }
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'ask') {
      const label =
        node.arguments[2] && /(?:\bt|labelOf|titledAction)\('([^']+)'/.exec(node.arguments[2].getText())?.[1];
      if (node.arguments.length > 2) {
        found.push(label ?? `${path.basename(file)}: ${node.arguments[2]?.getText()}`);
      }
    }
    node.forEachChild(look);
  };
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true).forEachChild(look);
  return found;
}

describe('questions in a dialog', () => {
  it('have a default that loses, pays and trusts nothing', () => {
    const known = [...harmless, 'powerOutcome.ts: isOpen && refreshAction()'];
    assert.deepEqual([...firstButtons()].sort(), known.sort());
  });

  it('are asked through the two places alone that put a safe button first', () => {
    const modal = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('simulator'))
      .filter((name) => /\bmodal: true\b/.test(readFileSync(path.join(source, name), 'utf8')));
    assert.deepEqual(modal, ['editor/message.ts']);
  });
});
