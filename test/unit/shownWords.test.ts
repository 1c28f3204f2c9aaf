import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { RawTexts } from '../support/rawTexts';

const root = path.resolve(__dirname, '..', '..');
const planted = path.join(root, 'src', 'features', 'planted.ts');

/** Each place in which a developer may forget a sentence tomorrow. */
const forgotten = `
import * as vscode from 'vscode';
import { t } from '../editor/localize';
import { confirm } from '../editor/confirm';
import { ask, message, suggest } from '../editor/message';
import { withCancellableProgress } from '../editor/progress';
import { askLine } from '../editor/quickPick';

interface Answer { readonly name: string }
export function plant({ name }: Answer, lines: readonly string[], bar: vscode.StatusBarItem, view: vscode.TreeView<string>, box: vscode.InputBox) {
  void vscode.window.showInformationMessage(name);
  void vscode.window.showWarningMessage(\`Stop \${name}?\`);
  void vscode.window.showErrorMessage(t('It failed.') + ' ' + name);
  void vscode.window.showErrorMessage(t('It failed.'), { modal: true, detail: lines.join(', ') });
  message('info', name);
  void suggest('warning', t('It failed.') + ' ' + name);
  void ask('warning', { message: t('It failed.'), detail: lines.join(', ') });
  void confirm({ message: quoted(name), button: t('Yes') });
  void withCancellableProgress(name, (signal, say) => { say(name); return Promise.resolve(signal); });
  vscode.window.setStatusBarMessage(name);
  bar.text = \`$(server) \${name}\`;
  bar.tooltip = new vscode.MarkdownString(\`[\${name}](command:x)\`);
  view.message = name;
  box.prompt = name;
  box.validationMessage = { message: name, severity: vscode.InputBoxValidationSeverity.Error };
  void askLine({ title: name, prompt: t('Name') });
  void askLine({ title: t('Name'), prompt: name });
  void askLine({ title: t('Name'), prompt: t('Name'), problem: () => name });
  vscode.window.createTerminal({ name });
  new vscode.Diagnostic(new vscode.Range(0, 0, 0, 0), name);
  new vscode.CodeAction(name);
}
const quoted = (value: string) => \`"\${value}"\`;
export function sound({ name }: Answer, lines: readonly string[]) {
  void vscode.window.showWarningMessage(t('Stop {0}?', name), { modal: true, detail: lines.map((one) => t('{0}!', one)).join() });
}
`;

describe('What the editor shows', function () {
  // It reads all sources with their types and waits for nothing: a limit would only tell of a busy computer.
  this.timeout(0);
  let words: RawTexts;

  before(() => {
    const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/^(?:simulator|webview)\b/.test(file))
      .map((file) => path.join(root, 'src', file));
    const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file));
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    const host = ts.createCompilerHost(options);
    const readFile = host.getSourceFile.bind(host);
    host.getSourceFile = (file, ...rest) =>
      path.resolve(file) === planted
        ? ts.createSourceFile(file, forgotten, rest[0], true)
        : readFile(file, ...rest);
    words = new RawTexts(ts.createProgram([...sources, planted], options, host));
  });

  it('is made of sentences alone, so that no name of a stranger is a link, an icon or a second line', () => {
    assert.ok(words.places > 300, `${words.places} places`);
    assert.deepEqual(
      words.find().filter(({ place, source }) => !isPlanted(place) && !isPlanted(source)),
      [],
    );
  });

  it('is found if a sentence is forgotten', () => {
    const lines = forgotten.split('\n');
    const expected = lines.flatMap((line, index) =>
      /window\.show|^ {2}(?:void )?(?:message|suggest|ask|askLine|confirm)\(|Progress\(|setStatusBar|bar\.|view\.|box\.|createTerminal|new vscode\.(?:D|C)/.test(
        line,
      ) && !line.includes("t('Stop {0}?'")
        ? [index + 1]
        : [],
    );
    const found = new Set(
      words.find().flatMap(({ place, source }) => {
        const at = isPlanted(source) ? source : place;
        return isPlanted(at) ? Number(/:(\d+)/.exec(at)?.[1]) : [];
      }),
    );
    assert.deepEqual(
      [...found].sort((a, b) => a - b),
      expected,
    );
  });
});

function isPlanted(place: string): boolean {
  return place.startsWith(path.join('src', 'features', 'planted.ts'));
}
