import assert from 'node:assert/strict';
import fc from 'fast-check';
import { mergeDocuments, withTheirs } from '../../../../src/model/templates/templateConflict';
import {
  documentChanges,
  sameField,
  type DocumentFields,
} from '../../../../src/model/templates/templateDocument';
import { sized } from '../../../support/seeded';

const base: DocumentFields = {
  name: 'n',
  image: 'i',
  desc: 'old',
  env: { A: '1', B: '2' },
  extra_filters: { num_gpus: { eq: 1 }, reliability: { gte: 0.9 } },
};

const values = fc.constantFrom('a', 'b', 'c');
const names = fc.constantFrom('name', 'image', 'desc', 'tag', 'onstart');
const documents = fc
  .record({
    texts: fc.dictionary(names, values),
    env: fc.dictionary(fc.constantFrom('A', 'B', 'C'), values),
  })
  .map(({ texts, env }): DocumentFields => ({ ...texts, env }));

describe('merging two edits of a template', () => {
  it('keeps both if they change different fields', () => {
    const merge = mergeDocuments(base, { ...base, desc: 'mine' }, { ...base, tag: '2' });
    assert.deepEqual(merge.conflicts, []);
    assert.deepEqual(merge.fields, { ...base, desc: 'mine', tag: '2' });
  });

  it('keeps both if they change different variables and filters', () => {
    const mine = {
      ...base,
      env: { A: 'mine', B: '2' },
      extra_filters: { num_gpus: { eq: 2 }, reliability: { gte: 0.9 } },
    };
    const theirs = {
      ...base,
      env: '-e A=1 -e C=3',
      extra_filters: { num_gpus: { eq: 1 }, reliability: { gte: 0.9, lte: 1 } },
    };
    const merge = mergeDocuments(base, mine, theirs);
    assert.deepEqual(merge.conflicts, []);
    assert.deepEqual(merge.fields['env'], { A: 'mine', C: '3' });
    assert.deepEqual(merge.fields['extra_filters'], {
      num_gpus: { eq: 2 },
      reliability: { gte: 0.9, lte: 1 },
    });
  });

  it('keeps mine and names the place where both changed the same thing', () => {
    const merge = mergeDocuments(
      base,
      { ...base, desc: 'mine', env: { A: 'mine', B: '2' } },
      { ...base, desc: 'theirs', env: { A: 'theirs', B: '2' } },
    );
    assert.deepEqual(
      merge.conflicts.map(({ path, mine, theirs }) => [path.join('.'), mine, theirs]),
      [
        ['desc', 'mine', 'theirs'],
        ['env.A', 'mine', 'theirs'],
      ],
    );
    assert.equal(merge.fields['desc'], 'mine');
  });

  it('sees one side deleting what the other changed', () => {
    const without = Object.fromEntries(Object.entries(base).filter(([name]) => name !== 'desc'));
    const merge = mergeDocuments(base, without, { ...base, desc: 'theirs' });
    assert.deepEqual(
      merge.conflicts.map(({ path, mine, theirs }) => [path, mine, theirs]),
      [[['desc'], undefined, 'theirs']],
    );
  });

  it('is no conflict where both made the same edit', () => {
    const same = { ...base, desc: 'same' };
    assert.deepEqual(mergeDocuments(base, same, { ...same }).conflicts, []);
  });

  it('uses theirs for one place and leaves the rest', () => {
    const mine = { ...base, desc: 'mine', env: { A: 'mine', B: '2' } };
    const merge = mergeDocuments(base, mine, { ...base, desc: 'theirs', env: { A: 'theirs', B: '2' } });
    const taken = merge.conflicts.reduce<DocumentFields>(withTheirs, mine);
    assert.deepEqual(taken, { ...base, desc: 'theirs', env: { A: 'theirs', B: '2' } });
  });

  it('never loses an edit of either side, in either order', () => {
    fc.assert(
      fc.property(documents, documents, documents, (start, mine, theirs) => {
        for (const [one, other] of [
          [mine, theirs],
          [theirs, mine],
        ] as const) {
          const { fields, conflicts } = mergeDocuments(start, one, other);
          const disputed = new Set(conflicts.map(({ path }) => path.join('.')));
          for (const name of ['name', 'image', 'desc', 'tag', 'onstart']) {
            const changedByOne = !sameField(name, start[name], one[name]);
            const changedByOther = !sameField(name, start[name], other[name]);
            const expected = changedByOne || !changedByOther ? one[name] : other[name];
            assert.ok(sameField(name, fields[name], expected), name);
            const bothDiffer = changedByOne && changedByOther && !sameField(name, one[name], other[name]);
            assert.equal(disputed.has(name), bothDiffer, name);
          }
          const env = (document: DocumentFields) =>
            (document['env'] ?? {}) as Record<string, string | undefined>;
          for (const name of ['A', 'B', 'C']) {
            const [was, ours, their] = [env(start)[name], env(one)[name], env(other)[name]];
            const expected = ours !== was || their === was ? ours : their;
            assert.equal(env(fields)[name], expected, `env.${name}`);
            assert.equal(disputed.has(`env.${name}`), ours !== was && their !== was && ours !== their);
          }
        }
      }),
      { numRuns: sized(200, 5_000) },
    );
  });

  it('gives what theirs is when nothing of mine was edited', () => {
    fc.assert(
      fc.property(documents, documents, (start, theirs) => {
        const { fields, conflicts } = mergeDocuments(start, start, theirs);
        assert.deepEqual(conflicts, []);
        assert.equal(documentChanges(theirs, fields).size, 0);
      }),
    );
  });
});
