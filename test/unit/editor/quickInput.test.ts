import assert from 'node:assert/strict';
import type { TextLevel } from '../../../src/editor/quickLevels';
import { AcceptGuard, guardTimes } from '../../../src/model/rentals/acceptGuard';
import { text } from '../../../src/util/text';
import { FakeClock, settle } from '../../support/fakeClock';
import {
  box,
  interrupting,
  levelOf,
  list,
  open,
  QuickInput,
  rows,
  shownInput,
} from '../../support/quickLevels';

describe('a question in levels', () => {
  const textOf = (more: Partial<TextLevel> = {}): TextLevel => ({
    title: 'Name',
    prompt: 'A name',
    accept: () => undefined,
    ...more,
  });

  it('returns from a box for a text to the row and to what was typed', async () => {
    const { input, answer } = open(levelOf({ rows: () => rows('ab', 'abc', 'abd') }));
    await settle();
    list().type('ab');
    await settle();
    const [, second] = list().items;
    assert.ok(second);
    list().move(second);
    input.push(textOf());
    assert.equal(box().title, 'Name');
    box().pressButton('Back');
    await settle();
    assert.deepEqual([list().value, list().activeItems[0]?.label], ['ab', 'abc']);
    list().leave();
    await settle();
    assert.deepEqual(answer, { value: undefined, isOver: true });
    assert.equal(shownInput(), undefined);
  });

  it('runs nothing by an Enter held down, and the row by one alone', async () => {
    const clock = new FakeClock();
    const guard = new AcceptGuard(clock);
    let count = 0;
    const run = () => (count += 1);
    const { input } = open(
      levelOf({ guard, rows: () => [{ id: 'rent', label: 'Rent', isGuarded: true, run }] }),
    );
    await settle();
    for (let at = 0; at < 100; at += 1) {
      list().accept();
      await clock.advance(30);
    }
    await clock.advance(10_000);
    assert.equal(count, 0);
    assert.equal(list().placeholder, 'Press Enter once: a repeated Enter does nothing');
    list().accept();
    await clock.advance(guardTimes.aloneMs);
    assert.equal(count, 1);
    list().accept();
    input.close();
    await clock.advance(10_000);
    assert.equal(count, 1, 'what waits does not count once the list is gone');
  });

  it('accepts no text with a problem, and stays open with the reason of a failure', async () => {
    const input = new QuickInput<string>();
    let tries = 0;
    const answer = input.open(
      textOf({
        problem: (value) => (value === '' ? text('Type {0}.', 'a key') : undefined),
        hint: () => undefined,
        failure: (error) => (error instanceof Error ? error.message : undefined),
        accept: (value) => {
          tries += 1;
          if (value === 'bad') {
            throw new Error('This key is refused.');
          }
          input.close(value);
        },
      }),
    );
    box().accept();
    assert.deepEqual([box().message, tries], ['Type a key.', 0]);
    box().type('bad');
    assert.equal(box().message, 'A name');
    box().accept();
    await settle();
    assert.deepEqual([box().message, box().busy], ['This key is refused.', false]);
    box().type('good');
    box().accept();
    assert.equal(await answer, 'good');
  });

  it('rejects with what is no fault of the user', async () => {
    const input = new QuickInput<string>();
    const broken = assert.rejects(
      input.open(
        textOf({
          accept: () => {
            throw new TypeError('a fault');
          },
        }),
      ),
      TypeError,
    );
    box().accept();
    await broken;
    assert.equal(shownInput(), undefined);
  });

  for (const keepsWorking of [true, false]) {
    it(`${keepsWorking ? 'brings back' : 'stops'} the work of a box that is closed at work`, async () => {
      let stopped = false;
      let fail: (error: Error) => void = () => undefined;
      const { answer } = open(
        textOf({
          keepsWorking,
          failure: (error) => (error instanceof Error ? error.message : undefined),
          accept: (_, signal) => {
            signal.addEventListener('abort', () => (stopped = true));
            return new Promise((_resolve, reject) => (fail = reject));
          },
        }),
      );
      box().accept();
      box().leave();
      await settle();
      assert.deepEqual([stopped, answer.isOver], [!keepsWorking, !keepsWorking]);
      fail(new Error('This code is wrong.'));
      await settle();
      if (keepsWorking) {
        assert.equal(box().message, 'This code is wrong.');
        box().leave();
        await settle();
      }
      assert.deepEqual([answer.isOver, shownInput()], [true, undefined]);
    });
  }

  it('returns after the questions that replaced it, and not after others', async () => {
    const { answer } = open(textOf({ ignoreFocusOut: true }));
    box().type('half a name');
    await interrupting(async () => {
      const other = open(levelOf());
      await settle();
      list().leave();
      await other.over;
      assert.equal(answer.isOver, false);
    });
    assert.equal(box().value, 'half a name');
    const other = open(levelOf());
    await settle();
    assert.equal(answer.isOver, true);
    other.input.close();
  });

  it('explains in the title why ticked rows can’t be chosen', async () => {
    const { input, answer, over } = open(levelOf());
    input.push(
      levelOf({
        many: {
          ticked: ['a'],
          problem: ({ length }) => (length < 2 ? 'Tick two' : undefined),
          accept: (ids) => input.close(ids.join()),
        },
      }),
    );
    await settle();
    list().accept();
    assert.deepEqual([list().title, answer.isOver], ['Tick two', false]);
    const last = list().items.at(-1);
    assert.ok(last);
    list().toggle(last);
    list().accept();
    await over;
    assert.equal(answer.value, 'a,c');
  });
});
