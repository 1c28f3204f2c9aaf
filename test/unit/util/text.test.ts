import assert from 'node:assert/strict';
import fc from 'fast-check';
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

  it('ends with one full stop for any ending of a text in the place before it', () => {
    fc.assert(
      fc.property(fc.constantFrom('.', '!', '?', '…', '.”', '.)', ''), fc.boolean(), (end, isText) => {
        const said = `queued${end}`;
        const arg = isText ? text(said) : said;
        const stop = end === '' ? '.' : '';
        assert.equal(
          formatText(text('The service answered: {0}. It exists.', arg)),
          `The service answered: queued${end}${stop} It exists.`,
        );
        assert.equal(formatText(text('It said: {0}.', arg)), `It said: queued${end}${stop}`);
      }),
    );
    // A dot that belongs to a name stays, and so does a folder that is one.
    assert.equal(formatText(text('Open {0}.pub.', 'id.')), 'Open id..pub.');
    assert.equal(formatText(text('Saved in {0}.', '.')), 'Saved in ..');
    assert.equal(formatText(text('Nothing in {1}.', 'a')), 'Nothing in {1}.');
  });

  it('is filled in after its translation', () => {
    assert.equal(
      formatText(text('Stop “{0}”?', 'a'), (template) => (template === 'Stop “{0}”?' ? '{0} halten?' : '')),
      'a halten?',
    );
  });
});
