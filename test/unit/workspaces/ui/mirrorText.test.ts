import assert from 'node:assert/strict';
import { text } from '../../../../src/util/text';
import type { MirrorStatus } from '../../../../src/workspaces/model/mirror';
import { stayingText, namesText, mirrorState } from '../../../../src/workspaces/ui/mirrorText';
import { useScreen } from '../../../support/onScreen';

const now = new Date(2026, 10, 29, 17, 0).getTime();
const inStep: MirrorStatus = {
  inStepAt: now - 60_000,
  waiting: 0,
  isWorking: false,
  offlineSince: undefined,
  differing: [],
  leftOut: [],
  question: undefined,
};
const conflict = { name: 'a.py', change: 'both', size: 3 } as const;

describe('The row of a mirrored folder', () => {
  useScreen();

  for (const [what, status, words, icon] of [
    ['both sides are the same', {}, 'in step at 4:59 PM', 'sync'],
    ['nothing was compared yet', { inStepAt: undefined }, 'comparing…', 'sync'],
    [
      'files were changed there',
      { differing: [{ name: 'b.py', change: 'new', size: 3 }] },
      '1 changed there',
      'sync',
    ],
    ['it compares', { isWorking: true }, 'comparing…', 'sync'],
    [
      'what waits can’t be sent',
      { waiting: 3, problem: text('The disk is full') },
      'The disk is full',
      'warning',
    ],
    ['files wait', { waiting: 3 }, '3 waiting', 'sync'],
    [
      'the instance is away',
      { waiting: 3, offlineSince: now },
      '3 waiting · offline since 5:00 PM',
      'sync-ignored',
    ],
    [
      'a file was changed on both sides',
      { differing: [conflict], waiting: 2 },
      '1 on both sides · 2 waiting',
      'warning',
    ],
    [
      'it asks',
      { differing: [conflict], question: { kind: 'deletes', files: 60, bytes: 1, names: [] } },
      'waits for your answer',
      'question',
    ],
  ] as const) {
    it(`shows that ${what}`, () => {
      assert.deepEqual(mirrorState({ ...inStep, ...status }, now), { text: words, icon });
    });
  }

  it('names a few of many files as plain text', () => {
    assert.equal(namesText(['a\nb', '$(trash)', 'c', 'd', 'e']), 'a b, $ (trash), c and 2 more');
    const secret = text('may be a secret');
    const leftOut = ['.env', 'id_rsa'].map((name) => ({ name, why: secret }));
    assert.deepEqual(stayingText([...leftOut, { name: 'x', why: text('neither a file nor a folder') }]), [
      '.env, id_rsa (may be a secret)',
      'x (neither a file nor a folder)',
    ]);
  });
});
