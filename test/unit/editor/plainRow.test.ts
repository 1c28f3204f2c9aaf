import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { plainItem, plainRow } from '../../../src/editor/plainRow';
import { markdownLines, markdownWords } from '../../../src/util/plainMarkdown';
import { hostileText } from '../../support/hostileText';

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const drawn = /\$\(|\]\(/;
const trap = '[Fix it](command:a) $(sync) ![b](https://example.com/p.png) <img src=x>';
const hostile = fc.oneof(
  hostileText,
  hostileText.map((value) => trap + value),
);

describe('A row of a list', () => {
  it('draws its own icons alone', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (label, description, detail) => {
        const row = plainRow({ icon: 'add', label, description, detail, detailIcon: 'warning' });
        assert.match(row.label, /^\$\(add\) /);
        assert.match(row.detail, /^\$\(warning\) /);
        for (const words of [row.label.slice(7), row.description, row.detail.slice(11)]) {
          assert.doesNotMatch(words, drawn);
          assert.doesNotMatch(words, hidden);
        }
      }),
    );
  });

  it('draws none where it has none, and keeps what else it holds', () => {
    const row = plainRow({ label: '$(sync) a', id: '7', value: { of: 'it' } });
    assert.deepEqual(row, { label: '$ (sync) a', id: '7', value: { of: 'it' } });
  });
});

describe('A row of a tree', () => {
  it('is plain words, for any name', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (label, description, tooltip) => {
        const item = plainItem({ label, description, tooltip });
        for (const words of [item.label, item.description, ...item.tooltip.split('\n')]) {
          assert.doesNotMatch(words, drawn);
          assert.doesNotMatch(words, hidden);
        }
      }),
    );
  });
});

describe('A tooltip', () => {
  it('holds no mark that is not escaped, so no link, picture, icon or tag', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const words = markdownWords(value);
        assert.match(words, /^(?:[^!-/:-@[-`{-~]|\\[!-/:-@[-`{-~])*$/u);
        assert.doesNotMatch(words, hidden);
        assert.ok(!words.includes('\\$\\('));
      }),
    );
  });

  it('has a line for each value that is there', () => {
    assert.equal(
      markdownLines([['State', 'a_b\nc'], 'd', ['Host', undefined], ['Image', ' '], '']),
      '**State**: a\\_b  \nc  \nd',
    );
  });
});
