import assert from 'node:assert/strict';
import type { Conflict } from '../../../../src/model/templates/templateConflict';
import { TemplateConflicts } from '../../../../src/store/templates/templateConflicts';
import { ListedTemplates } from '../../../../src/store/templates/templateReader';
import type { PendingConflict } from '../../../../src/store/templates/templateSaving';
import { aTemplate } from '../../../support/builders';

const place = (...path: string[]) => ({ path }) as unknown as Conflict;
const pendingOn = (hashId: string, ...conflicts: readonly Conflict[]) =>
  ({ theirs: { hashId }, conflicts }) as unknown as PendingConflict;

describe('The notices beside documents of templates', () => {
  let conflicts: TemplateConflicts;
  let noticed: number[];
  beforeEach(() => {
    conflicts = new TemplateConflicts();
    noticed = [];
    conflicts.onDidNotice((id) => noticed.push(id));
  });
  afterEach(() => conflicts.dispose());
  /** The templates whose notice changed since the last question. */
  const news = () => noticed.splice(0);

  it('appear and disappear with a conflict, and report that once', () => {
    const pending = pendingOn('a');
    conflicts.begin(7, pending);
    assert.deepEqual([news(), conflicts.get(7), conflicts.get(8)], [[7], pending, undefined]);
    conflicts.end(7);
    conflicts.end(7);
    assert.deepEqual([news(), conflicts.get(7)], [[7], undefined]);
  });

  it('appear and disappear with a change elsewhere, and report that once', () => {
    assert.deepEqual([conflicts.noteBehind(7), conflicts.noteBehind(7)], [true, false]);
    assert.deepEqual([news(), conflicts.isBehind(7), conflicts.isBehind(8)], [[7], true, false]);
    assert.deepEqual([conflicts.endBehind(7), conflicts.endBehind(7)], [true, false]);
    assert.deepEqual([news(), conflicts.isBehind(7)], [[7], false]);
  });

  it('end with a save, and with a document that is closed, of which nothing is shown', () => {
    for (const end of ['saved', 'forget'] as const) {
      conflicts.begin(7, pendingOn('a', place('image')));
      conflicts.overrule(7);
      conflicts.noteBehind(7);
      news();
      conflicts[end](7);
      assert.deepEqual([conflicts.get(7), conflicts.isBehind(7)], [undefined, false], end);
      assert.equal(conflicts.isOverruled(7, 'a', [place('image')]), false, end);
      assert.deepEqual(news(), end === 'saved' ? [7, 7] : [], end);
    }
  });

  it('let mine win in the places that were shown, of the version that was shown', () => {
    conflicts.overrule(7);
    assert.equal(conflicts.isOverruled(7, 'a', []), false, 'nothing was shown');
    conflicts.begin(7, pendingOn('a', place('image'), place('env', 'A')));
    assert.equal(conflicts.isOverruled(7, 'a', [place('image')]), false, 'the user has not decided yet');
    conflicts.overrule(7);
    for (const [hash, places, expected] of [
      ['a', [place('image')], true],
      ['a', [place('image'), place('env', 'A')], true],
      ['a', [place('image'), place('env', 'B')], false],
      ['b', [place('image')], false],
    ] as const) {
      assert.equal(conflicts.isOverruled(7, hash, places), expected);
    }
  });
});

describe('The templates of the last list', () => {
  it('are those of its account alone, without those that were deleted since', () => {
    const listed = new ListedTemplates();
    const [one, other] = [aTemplate({ id: 1 }), aTemplate({ id: 2 })];
    listed.remember('a', [one, other]);
    assert.deepEqual(
      [listed.get('a', 1), listed.get('b', 1), listed.get('a', 3)],
      [one, undefined, undefined],
    );
    listed.delete(1);
    assert.deepEqual([listed.get('a', 1), listed.get('a', 2)], [undefined, other]);
    listed.remember('b', [one]);
    assert.deepEqual(
      [listed.get('a', 2), listed.get('b', 2), listed.get('b', 1)],
      [undefined, undefined, one],
    );
  });
});
