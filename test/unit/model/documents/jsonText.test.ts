import assert from 'node:assert/strict';
import { JsonPlaces } from '../../../../src/model/documents/jsonPlaces';
import { jsonText } from '../../../../src/model/documents/jsonText';
import { renderDocument } from '../../../../src/model/templates/templateDocument';

const separators = /[\u2028\u2029]/;
const value = { readme: 'one\u2028two\u2029three', 'na\u2028me': 1 };

describe('JSON for an editor', () => {
  it('has no line or paragraph separator, and means the same', () => {
    const written = jsonText(value, 2);
    assert.doesNotMatch(written, separators);
    assert.deepEqual(JSON.parse(written), value);
  });

  it('is what documents and changes of them are written in', () => {
    assert.doesNotMatch(renderDocument({ readme: value.readme }), separators);
    const places = new JsonPlaces('{ "readme": "x" }');
    const [set, replaced] = [places.set('readme', value.readme), places.replace(['readme'], value.readme)];
    for (const { text } of [...set, ...replaced]) {
      assert.doesNotMatch(text, separators);
    }
  });
});
