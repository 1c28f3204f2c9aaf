import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  draftParts,
  draftTokenOf,
  fileNameOf,
  parseTemplateUri,
  templateUriParts,
  type TemplateUri,
} from '../../../../src/model/templates/templateUri';

const uris: fc.Arbitrary<TemplateUri> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('own' as const, 'public' as const, 'theirs' as const),
    id: fc.integer({ min: 1, max: 1e15 }),
    name: fc.string({ unit: 'binary' }),
  }),
  fc.record({
    kind: fc.constant('draft' as const),
    token: fc.stringMatching(/^[a-z0-9]{1,8}$/),
    name: fc.string(),
  }),
  fc.record({
    kind: fc.constant('preview' as const),
    token: fc.stringMatching(/^[a-z0-9]{1,8}$/),
    name: fc.string(),
  }),
);

describe('the address of a template document', () => {
  it('has the documented form', () => {
    assert.deepEqual(templateUriParts({ kind: 'own', id: 12, name: 'PyTorch 2.5' }), {
      scheme: 'gpurental',
      authority: 'templates',
      path: '/12/PyTorch 2.5.json',
    });
    assert.equal(templateUriParts({ kind: 'public', id: 12, name: 'a' }).authority, 'public');
  });

  it('names the account of a draft', () => {
    const token = draftTokenOf('0123456789abcdef', '1a2b3c4d');
    const uri = parseTemplateUri(templateUriParts({ kind: 'draft', token, name: 'New' }));
    assert.ok(uri?.kind === 'draft');
    assert.deepEqual(draftParts(uri.token), { accountKey: '0123456789abcdef', unique: '1a2b3c4d' });
    assert.equal(draftParts('1a2b3c4d').accountKey, undefined);
  });

  it('is read as the same document, for any name of the template', () => {
    fc.assert(
      fc.property(uris, (uri) => {
        const parsed = parseTemplateUri(templateUriParts(uri));
        assert.deepEqual({ ...parsed }, { ...uri, name: fileNameOf(uri.name) });
      }),
      { numRuns: 300 },
    );
  });

  it('is identified by the id alone', () => {
    const one = parseTemplateUri({ scheme: 'gpurental', authority: 'templates', path: '/12/old.json' });
    const other = parseTemplateUri({ scheme: 'gpurental', authority: 'templates', path: '/12/new.json' });
    assert.ok(one && other && 'id' in one && 'id' in other && one.id === other.id);
  });

  it('can’t lead out of its folder, hide, or reorder a title', () => {
    assert.equal(fileNameOf('../../etc/passwd'), '-..-etc-passwd');
    assert.equal(fileNameOf('.hidden'), 'hidden');
    assert.equal(fileNameOf('a\u202egnp.exe'), 'agnp.exe');
    assert.equal(fileNameOf('two\nlines\u0007'), 'twolines');
    assert.equal(fileNameOf('  '), 'template');
    assert.equal(fileNameOf('x'.repeat(500)).length, 80);
    assert.equal(fileNameOf('conf.json'), 'conf');
  });

  it('is refused in any other form', () => {
    for (const [authority, path] of [
      ['templates', '/12'],
      ['templates', '/12/a.txt'],
      ['templates', '/12/b/a.json'],
      ['templates', '/0/a.json'],
      ['templates', '/-1/a.json'],
      ['templates', '/1e3/a.json'],
      ['templates', '/99999999999999999/a.json'],
      ['elsewhere', '/12/a.json'],
      ['preview', '//a.json'],
    ] as const) {
      assert.equal(parseTemplateUri({ scheme: 'gpurental', authority, path }), undefined, authority + path);
    }
    assert.equal(parseTemplateUri({ scheme: 'file', authority: 'templates', path: '/1/a.json' }), undefined);
  });
});
