import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyChanges, JsonPlaces, type TextChange } from '../../../../src/model/documents/jsonPlaces';

const parse = (source: string) => JSON.parse(source) as Record<string, unknown>;
const changed = (source: string, change: (places: JsonPlaces) => readonly TextChange[]) =>
  applyChanges(source, change(new JsonPlaces(source)));

/** Documents with keys that occur twice, in the layouts that people use. */
const source = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', '__proto__', ''), fc.jsonValue({ maxDepth: 2 })), {
      maxLength: 5,
    }),
    fc.constantFrom('', '\n  ', '\r\n\t'),
  )
  .map(([pairs, gap]) => {
    const entries = pairs.map(([name, value]) => `${gap}${JSON.stringify(name)}: ${JSON.stringify(value)}`);
    return `{${entries.join(',')}${gap.replace(/[ \t]+$/, '')}}`;
  });

describe('the places of a JSON text', () => {
  it('have the values that the text has, the last one of a key that occurs twice', () => {
    fc.assert(
      fc.property(source, (text) => {
        const places = new JsonPlaces(text);
        const value = parse(text);
        assert.deepEqual(places.value([]), value);
        for (const name of Object.keys(value)) {
          assert.deepEqual(places.value([name]), value[name]);
        }
      }),
    );
  });

  it('are set so that the text has it and everything else stays', () => {
    fc.assert(
      fc.property(source, fc.constantFrom('a', 'new'), fc.jsonValue({ maxDepth: 2 }), (text, name, value) => {
        const after = parse(changed(text, (places) => places.set(name, value)));
        // Written and read once, as -0 is.
        assert.deepEqual(after, { ...parse(text), [name]: JSON.parse(JSON.stringify(value)) as unknown });
      }),
    );
  });

  it('are taken out with their comma', () => {
    fc.assert(
      fc.property(source, (text) => {
        let left = text;
        while (Object.hasOwn(parse(left), 'a')) {
          left = changed(left, (places) => places.remove(['a']));
        }
        const others = Object.entries(parse(text)).filter(([name]) => name !== 'a');
        assert.deepEqual(parse(left), Object.fromEntries(others));
      }),
    );
  });

  it('are found in lists and below, and the nearest where there is none', () => {
    const text = '{"a": [{"b": 1}], "c": 2}';
    const places = new JsonPlaces(text);
    assert.equal(places.value(['a', '0', 'b']), 1);
    assert.equal(places.value(['a', 'length']), undefined);
    assert.equal(places.value(['c', 'd']), undefined);
    const { offset, length } = places.nearest(['c', 'd']);
    assert.equal(text.slice(offset, offset + length), '2');
  });
});
