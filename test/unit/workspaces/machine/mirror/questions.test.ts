import assert from 'node:assert/strict';
import { Questions } from '../../../../../src/workspaces/machine/mirror/questions';
import type { MirrorMemory } from '../../../../../src/workspaces/model/mirrorMemory';

describe('questions of a mirror', () => {
  const megabyte = 1_000_000;
  let large: MirrorMemory['large'];

  beforeEach(() => {
    large = new Map();
  });

  /** Returns the names that wait, and those that are sent, as a look at files of these sizes has it. */
  const look = (questions: Questions, sizes: Readonly<Record<string, number>>) => {
    const sends = Object.keys(sizes).map((name) => ({ name, stamp: '-', hashes: [] }));
    const files = new Map(
      Object.entries(sizes).map(([name, size]) => [name, { size, stamp: '1 1 1', isExecutable: false }]),
    );
    const session = {
      known: new Map(),
      large,
      set: () => undefined,
      setLarge: (next: MirrorMemory['large']) => (large = next),
    };
    const held = questions.about(session, { near: { files }, plan: { sends }, isOtherFolder: false }, []);
    const isHeld = (name: string) => held.open.has(name) || held.stay.has(name);
    return { held, open: [...held.open], sent: Object.keys(sizes).filter((name) => !isHeld(name)) };
  };

  it('holds what it asked about until the answer, however often both sides are compared', () => {
    const sizes = { ...nameless(40), notes: 1 };
    const first = look(new Questions(), sizes);
    assert.equal(first.open.length, 28);
    assert.equal(first.sent.length, 13);
    const rest = Object.fromEntries(first.open.map((name) => [name, 40 * megabyte]));
    const questions = new Questions();
    for (const round of [1, 2, 3]) {
      const later = look(questions, { ...rest, [`more${round}`]: 1 });
      assert.deepEqual(later.open.sort(), [...first.open].sort());
      assert.deepEqual(later.sent, [`more${round}`]);
    }
    const { question } = look(questions, rest).held;
    assert.equal(question?.bytes, 28 * 40 * megabyte);
    questions.answer({ ...question, names: first.open.slice(0, 1) }, false);
    const declined = look(questions, rest);
    assert.deepEqual(
      declined.held.declined.map(({ name }) => name),
      first.open.slice(0, 1),
    );
    assert.deepEqual(declined.open.length, 27);
    questions.answer({ ...question, names: first.open.slice(1) }, true);
    assert.equal(look(questions, rest).sent.length, 27);
  });

  const nameless = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`large${at}`, 40 * megabyte]));
});
