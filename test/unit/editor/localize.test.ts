import assert from 'node:assert/strict';
import type * as product from '../../../src/editor/localize';
import { loadSource } from '../../support/fakeEditor/product';

describe('The language of a page', () => {
  const l10n = { bundle: undefined as object | undefined };
  const { languageOfTexts } = loadSource('src/editor/localize.ts', {
    vscode: { l10n, env: { language: 'de' } },
  }) as typeof product;

  it('is that of its sentences, not that of an editor for which they are not translated', () => {
    assert.equal(languageOfTexts(), 'en');
    l10n.bundle = {};
    assert.equal(languageOfTexts(), 'de');
  });
});
