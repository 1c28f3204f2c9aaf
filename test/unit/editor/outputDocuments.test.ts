import assert from 'node:assert/strict';
import type * as product from '../../../src/editor/outputDocuments';
import { FakeEventEmitter } from '../../support/fakeEditor/events';
import { loadSource } from '../../support/fakeEditor/product';
import { FakeUri } from '../../support/fakeEditor/values';

describe('A document with text that was fetched', () => {
  const nothing = { dispose: () => undefined };
  const { OutputDocuments } = loadSource('src/editor/outputDocuments.ts', {
    vscode: {
      EventEmitter: FakeEventEmitter,
      Uri: FakeUri,
      l10n: { t: (words: string, ...args: readonly string[]) => words.replace('{0}', args[0] ?? '{0}') },
      workspace: {
        registerTextDocumentContentProvider: () => nothing,
        onDidCloseTextDocument: () => nothing,
      },
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
});
