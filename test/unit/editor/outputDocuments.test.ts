import assert from 'node:assert/strict';
import type * as product from '../../../src/editor/outputDocuments';
import { FakeEventEmitter } from '../../support/fakeEditor/events';
import { loadSource } from '../../support/fakeEditor/product';
import { FakePosition, FakeRange, FakeUri } from '../../support/fakeEditor/values';

describe('A document with text that was fetched', () => {
  const nothing = { dispose: () => undefined };
  const changed = new FakeEventEmitter<{ readonly document: object }>();
  const visibleTextEditors: object[] = [];
  const { OutputDocuments } = loadSource('src/editor/outputDocuments.ts', {
    vscode: {
      EventEmitter: FakeEventEmitter,
      Uri: FakeUri,
      l10n: { t: (words: string, ...args: readonly string[]) => words.replace('{0}', args[0] ?? '{0}') },
      workspace: {
        registerTextDocumentContentProvider: () => nothing,
        onDidCloseTextDocument: () => nothing,
        onDidChangeTextDocument: changed.event,
      },
      window: { visibleTextEditors },
      Position: FakePosition,
      Range: FakeRange,
    },
  }) as typeof product;
  const documents = new OutputDocuments();
  const uri = documents.uri('1', 'train.log');
  const shown = (content: string, cut?: product.Cut) => {
    documents.set(uri, content, cut);
    return documents.provideTextDocumentContent(uri);
  };

  it('is shown as it is', () => {
    assert.equal(shown('one\ntwo\n'), 'one\ntwo\n');
    assert.equal(shown('one\n', { isCut: false, whole: '/log' }), 'one\n');
  });

  it('names what is left out of it, and begins with a whole line', () => {
    const lines = shown(`${'x'.repeat(99)}\n`.repeat(30_000)).split('\n');
    assert.equal(lines[0], '[The beginning is omitted.]');
    assert.equal(lines[1], 'x'.repeat(99));
    assert.ok(lines.length > 19_900 && lines.length < 20_010, String(lines.length));
    assert.equal(
      shown('rest of a line\nlast\n', { isCut: true, whole: '/jobs/1.log' }),
      '[The beginning is omitted. The full text is in /jobs/1.log]\nlast\n',
    );
  });

  it('is shown from its end on where it grows, unless the user looks at another place', () => {
    const log = documents.uri('2', 'grows.log');
    const document = { uri: log, lineCount: 100 };
    const editorAt = (first: number, last: number) => {
      const editor = {
        document,
        visibleRanges: [new FakeRange(first, 0, last, 0)],
        revealRange: (range: FakeRange) => {
          editor.visibleRanges = [range];
        },
      };
      return editor;
    };
    const [atEnd, above] = [editorAt(60, 99), editorAt(10, 49)];
    visibleTextEditors.push(atEnd, above);
    documents.grow(log, 'many lines');
    assert.equal(atEnd.visibleRanges[0]?.end.line, 99, 'its text is as before until the editor has read it');
    document.lineCount = 150;
    changed.fire({ document });
    assert.deepEqual(
      [atEnd, above].map(({ visibleRanges }) => visibleRanges[0]?.end.line),
      [149, 49],
    );
    atEnd.visibleRanges = [new FakeRange(20, 0, 59, 0)];
    documents.grow(log, 'more lines');
    changed.fire({ document });
    assert.equal(atEnd.visibleRanges[0]?.end.line, 59, 'the user has looked elsewhere since');
  });
});
