import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { fileNameOf } from '../../../src/model/templates/templateUri';
import { isKeyName } from '../../../src/ssh/localKeys';
import { isNameOnWindows, safeFileName } from '../../../src/util/fileName';
import { hostileText } from '../../support/hostileText';
import { removeFolder } from '../../support/removeFolder';
import { sized, testSeed } from '../../support/seeded';

/** Names that are a device, a stream, another file or no file on some computer, alone and with what may follow them. */
const devices = ['con', 'PRN', 'aux', 'Nul', 'com0', 'COM9', 'lpt1', 'com¹', 'LPT³', 'CONIN$', 'conout$'];
const special = fc
  .tuple(
    fc.constantFrom('', '.', ' ', '\u202e', '-'),
    fc.constantFrom(...devices, 'a:b', 'x', '..', '', 'C:\\x', '\ud800', 'a\u0301', '机'.repeat(120)),
    fc.constantFrom(
      '',
      '.',
      ' ',
      '...',
      '. .',
      ' .txt',
      '.tar.gz',
      '\t',
      '\0',
      ':$DATA',
      '\u200b',
      '\u2069.',
    ),
  )
  .map((pieces) => pieces.join(''));
const hostile = fc.oneof(hostileText, special);
const params = { numRuns: sized(2_000, 50_000), seed: testSeed };

/** What Windows documents, written down a second time (learn.microsoft.com, "Naming Files, Paths, and Namespaces"). */
function assertPlain(name: string, from: string): void {
  const [stem = ''] = name.split('.');
  const shown = `${JSON.stringify(name)} from ${JSON.stringify(from)}`;
  assert.doesNotMatch(name, /[<>:"/\\|?*]|\p{Cc}|\p{Cf}|\p{Cs}|^[. ]|[. ]$/u, shown);
  assert.ok(!devices.some((device) => device.toLowerCase() === stem.trimEnd().toLowerCase()), shown);
  assert.ok(name !== '', shown);
  assert.ok(Buffer.byteLength(name) <= 120, shown);
}

describe('A file name', () => {
  it('is valid on every computer, for any text it is made from', () => {
    fc.assert(
      fc.property(hostile, (from) => {
        const name = safeFileName(from, 'template');
        assertPlain(name, from);
        assert.equal(safeFileName(name, 'template'), name, 'it stays what it is');
        assert.ok(isNameOnWindows(name), name);
      }),
      params,
    );
  });

  it('of a template is one with each of its endings', () => {
    fc.assert(
      fc.property(hostile, (from) => {
        const name = fileNameOf(from);
        assertPlain(name, from);
        for (const ending of ['.json', '.gpu-template.json']) {
          assert.ok(isNameOnWindows(`${name}${ending}`), `${name}${ending}`);
        }
      }),
      params,
    );
  });

  it('can be written here', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'gr-names-'));
    try {
      const samples = fc.sample(hostile, { ...params, numRuns: 300 }).map((one) => safeFileName(one, 'x'));
      // Some disks take names for one that differ in their letters alone.
      const names = [...new Map(samples.map((name) => [name.toLowerCase(), name])).values()];
      for (const name of names) {
        writeFileSync(path.join(folder, name), '');
      }
      assert.deepEqual(readdirSync(folder).sort(), names.sort());
    } finally {
      await removeFolder(folder);
    }
  });

  it('keeps what needs no change', () => {
    for (const name of [
      'PyTorch 2.5',
      'a.con',
      'contents',
      'Übung (2)',
      'my-template_1',
      'com10',
      'auxiliary',
    ]) {
      assert.equal(safeFileName(name, 'template'), name);
    }
    assert.equal(safeFileName('con', 'template'), '_con');
    assert.equal(safeFileName('a:b', 'template'), 'a-b');
    assert.equal(safeFileName('x.', 'template'), 'x');
    assert.equal(safeFileName(' . ', 'template'), 'template');
  });

  it('of a key is no device either', () => {
    for (const name of ['con', 'nul.key', 'com1', 'key.']) {
      assert.equal(isKeyName(name), false, name);
    }
    assert.equal(isKeyName('gpu_rental'), true);
  });
});
