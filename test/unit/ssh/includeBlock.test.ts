import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { placeBlock, removeBlock } from '../../../src/ssh/includeBlock';
import { configCorpus } from './configCorpus';

const include = '~/.ssh/gpu-rental.d/*.conf';
const start = '# >>> GPU Rental >>>';
const end = '# <<< GPU Rental <<<';
const block = `${start}\nInclude ${include}\n${end}\n`;

function placed(current: string, isNew = false): string {
  const result = placeBlock(current, include, isNew);
  assert.ok(result.kind !== 'trouble', JSON.stringify(result));
  return result.kind === 'same' ? current : result.text;
}

function trouble(current: string): string {
  const result = placeBlock(current, include, false);
  return result.kind === 'trouble' ? `${result.trouble} ${result.line}` : result.kind;
}

describe('The Include block', () => {
  it('has a corpus of at least sixty configs to prove itself on', () => {
    assert.ok(Object.keys(configCorpus).length >= 60);
  });

  for (const [name, config] of Object.entries(configCorpus)) {
    it(`is first and leaves all other bytes alone: ${name}`, () => {
      const result = placed(config);
      const bom = config.startsWith('\u00EF\u00BB\u00BF') ? 3 : 0;
      const length = result.length - config.length;
      assert.equal(result.slice(0, bom) + result.slice(bom + length), config);
      assert.ok(result.slice(bom).startsWith(start));
      assert.deepEqual(placeBlock(result, include, false), { kind: 'same' });
      assert.deepEqual(removeBlock(result), { kind: 'changed', text: config });
    });
  }

  it('follows the line endings of the file', () => {
    assert.equal(placed('Host a\r\n'), `${block.replaceAll('\n', '\r\n')}Host a\r\n`);
    assert.equal(placed('Host a\n'), `${block}Host a\n`);
  });

  it('moves up in front of what the user put above it, and stays below comments', () => {
    assert.equal(placed(`Host a\n  Port 1\n${block}Host b\n`), `${block}Host a\n  Port 1\nHost b\n`);
    const commented = `# my file\n\n${block}Host b\n`;
    assert.equal(placed(commented), commented);
  });

  it('is renewed where it includes something else', () => {
    assert.equal(placed(`${start}\nInclude old/*\n${end}\nHost b\n`), `${block}Host b\n`);
    assert.equal(placed(`${start}\n${end}\nHost b\n`), `${block}Host b\n`);
  });

  it('is not needed if the user pasted the line by hand', () => {
    const managed = `# managed\nInclude ${include}\nHost a\n`;
    assert.equal(placed(managed), managed);
  });

  it('is not touched where it is doubled, torn, edited or unreadable', () => {
    assert.equal(trouble(`${block}${block}`), 'doubled 4');
    assert.equal(trouble(`${start}\nInclude ${include}\nHost a\n`), 'unfinished 1');
    assert.equal(trouble(`Host a\n${end}\n`), 'unfinished 2');
    assert.equal(trouble(`${end}\nInclude x\n${start}\n`), 'unfinished 3');
    assert.equal(trouble(`${start}\nInclude x\nHost mine\n${end}\n`), 'altered 3');
    assert.equal(trouble(`${start}\nInclude x\nInclude y\n${end}\n`), 'altered 3');
    assert.equal(trouble(`${start} (old)\nInclude x\n${end}\n`), 'altered 1');
    assert.equal(trouble('\u00FF\u00FEH\u0000o\u0000'), 'encoding 1');
    assert.equal(trouble('Host a\n\u0000'), 'encoding 1');
  });

  it('removes the file as well if the file was made for it, and only then', () => {
    assert.deepEqual(removeBlock(placed('', true)), { kind: 'removeFile' });
    assert.deepEqual(removeBlock(`${placed('', true)}Host a\n`), { kind: 'changed', text: 'Host a\n' });
    assert.deepEqual(removeBlock(placed('')), { kind: 'changed', text: '' });
    assert.deepEqual(removeBlock('Host a\n'), { kind: 'same' });
  });

  it('is added and removed without a trace in any bytes', () => {
    const piece = fc.constantFrom(
      'Host a',
      '\n',
      '\r\n',
      '\r',
      '#',
      ' ',
      '\t',
      '$&',
      "$'",
      '\u00EF\u00BB\u00BF',
      start,
    );
    const bytes = fc.oneof(
      fc.array(piece).map((pieces) => pieces.join('')),
      fc.uint8Array().map((array) => Buffer.from(array).toString('latin1')),
    );
    fc.assert(
      fc.property(bytes, (config) => {
        const result = placeBlock(config, include, false);
        if (result.kind === 'changed') {
          assert.deepEqual(removeBlock(result.text), { kind: 'changed', text: config });
          assert.equal(placeBlock(result.text, include, false).kind, 'same');
        }
      }),
    );
  });
});
