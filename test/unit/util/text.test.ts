import assert from 'node:assert/strict';
import { formatText, text } from '../../../src/util/text';

describe('a sentence with words of a stranger', () => {
  it('has them as one plain line', () => {
    assert.equal(formatText(text('Rent {0}?', 'a\n$(bug)b')), 'Rent a $ (bug)b?');
  });

  it('keeps them within its quotation marks', () => {
    const spoof = 'x” It costs nothing. „y‟';
    assert.equal(
      formatText(text('Stop “{0}” for {1}?', spoof, 'z”')),
      'Stop “x" It costs nothing. "y"” for z”?',
    );
    assert.equal(formatText(text('Stop “{0}”?', text('all of “{0}”', 'a”b'))), 'Stop “all of “a"b””?');
  });

  it('is filled in after its translation', () => {
    assert.equal(
      formatText(text('Stop “{0}”?', 'a'), (template) => (template === 'Stop “{0}”?' ? '{0} halten?' : '')),
      'a halten?',
    );
  });
});
