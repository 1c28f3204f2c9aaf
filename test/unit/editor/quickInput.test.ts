import assert from 'node:assert/strict';
import type * as engine from '../../../src/editor/quickInput';
import type { Level, ListLevel, TextLevel } from '../../../src/editor/quickLevels';
import { AcceptGuard, guardTimes } from '../../../src/model/rentals/acceptGuard';
import { text } from '../../../src/util/text';
import { loadSource } from '../../support/fakeEditor/product';
import {
  backButton,
  FakeInputBox,
  FakeQuickPick,
  QuickInputPlace,
} from '../../support/fakeEditor/quickInput';
import { FakeClock, settle } from '../../support/fakeClock';
import { until } from '../../support/until';

describe('a question in levels', () => {
  const place = new QuickInputPlace();
  const { QuickInput, interrupting } = loadSource('src/editor/quickInput.ts', {
    vscode: {
      window: {
        createQuickPick: () => new FakeQuickPick(place),
        createInputBox: () => new FakeInputBox(place),
      },
      QuickInputButtons: { Back: backButton },
      InputBoxValidationSeverity: { Info: 1, Warning: 2, Error: 3 },
      l10n: { t: (words: string) => words },
    },
  }) as typeof engine;

  const list = () => {
    assert.ok(place.current instanceof FakeQuickPick);
    return place.current;
  };
  const hasActive = (label: string) =>
    until(`the active row ${label}`, () => list().activeItems[0]?.label === label, { everyMs: 1 });
  const box = () => {
    assert.ok(place.current instanceof FakeInputBox);
    return place.current;
  };
  const rows = (...ids: string[]) => ids.map((id) => ({ id, label: id }));
  const levelOf = (more: Partial<ListLevel> = {}): ListLevel => ({
    title: 'Which?',
    placeholder: 'One',
    rows: () => rows('a', 'b', 'c'),
    ...more,
  });
  const textOf = (more: Partial<TextLevel> = {}): TextLevel => ({
    title: 'Name',
    prompt: 'A name',
    accept: () => undefined,
    ...more,
  });
  const open = (level: Level) => {
    const input = new QuickInput<string>();
    const answer = { value: undefined as string | undefined, isOver: false };
    const over = input.open(level).then((value) => {
      Object.assign(answer, { value, isOver: true });
    });
    return { input, answer, over };
  };

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
    assert.equal(place.current, undefined);
  });

  it('keeps the active row where rows are made anew', async () => {
    let ids = ['a', 'b', 'c'];
    const { input } = open(levelOf({ rows: () => rows(...ids), activeId: () => 'b' }));
    await settle();
    ids = ['new', 'a', 'b'];
    input.refresh();
    await settle();
    assert.equal(list().activeItems[0]?.label, 'b');
    input.close();
  });

  it('runs the row that is found by typing, whatever was active when the rows were made anew', async () => {
    const ran: string[] = [];
    const { input } = open(
      levelOf({
        rows: () => ['show', 'reset'].map((id) => ({ id, label: id, run: () => ran.push(id) })),
        activeId: () => 'reset',
      }),
    );
    await settle();
    list().accept();
    const typed = list();
    typed.value = 'show';
    // The editor has not told yet that another row is active.
    input.refresh();
    await hasActive('show');
    list().accept();
    assert.deepEqual(ran, ['reset', 'show']);
    input.close();
  });

  it('has an active row where typing found one before the rows that were made anew had arrived', async () => {
    const { input } = open(levelOf({ rows: () => rows('show', 'reset'), activeId: () => 'reset' }));
    await settle();
    const typed = list();
    typed.value = 'show';
    input.refresh();
    const [show] = typed.items;
    assert.ok(show);
    typed.tellEarly(show);
    await hasActive('show');
    input.close();
  });

  it('has an active row where the editor tells of none before the rows that were made anew had arrived', async () => {
    const { input } = open(levelOf({ rows: () => rows('show', 'reset'), activeId: () => 'reset' }));
    await settle();
    const typed = list();
    typed.value = 'show';
    input.refresh();
    typed.tellEarly(undefined);
    await hasActive('show');
    input.close();
  });

  it('has an active row where the editor told of it late, and more rows were made anew before that arrived', async () => {
    const { input } = open(levelOf({ rows: () => rows('show', 'reset'), activeId: () => 'reset' }));
    await settle();
    input.refresh();
    await settle();
    const typed = list();
    typed.value = 'show';
    input.refresh();
    const [, reset] = typed.items;
    assert.ok(reset);
    typed.tellEarly(reset);
    await hasActive('show');
    input.close();
  });

  it('leaves the row alone to which the user came once typing has found rows', async () => {
    const { input } = open(levelOf({ rows: () => rows('ab', 'abc', 'b'), activeId: () => 'b' }));
    await hasActive('b');
    list().type('a');
    await hasActive('ab');
    const { items } = list();
    const [, second] = items;
    assert.ok(second);
    list().move(second);
    // The turn in which rows would be set again.
    await new Promise((resolve) => setTimeout(resolve, 0));
    assert.equal(list().items, items);
    assert.equal(list().activeItems[0]?.label, 'abc');
    input.close();
  });

  it('gives no new rows to a list with ticks, which the editor would untick', async () => {
    const many = { ticked: ['reset'], accept: () => undefined };
    const { input } = open(levelOf({ rows: () => rows('show', 'reset'), activeId: () => 'reset', many }));
    const { items } = list();
    list().value = 'show';
    await settle();
    assert.equal(list().items, items);
    assert.deepEqual(
      list().selectedItems.map(({ label }) => label),
      ['reset'],
    );
    input.close();
  });

  it('runs nothing by an Enter while no row is left, not even the row before once more', async () => {
    let count = 0;
    const { input } = open(levelOf({ rows: () => [{ id: 'a', label: 'a', run: () => (count += 1) }] }));
    await settle();
    list().accept();
    list().type('nothing like it');
    await settle();
    list().accept();
    assert.equal(count, 1);
    input.close();
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
    list().accept();
    await clock.advance(guardTimes.aloneMs);
    assert.equal(count, 1);
    list().accept();
    input.close();
    await clock.advance(10_000);
    assert.equal(count, 1, 'what waits does not count once the list is gone');
  });

  it('takes no text with a problem, and stays open with the reason of a failure', async () => {
    const input = new QuickInput<string>();
    let tries = 0;
    const answer = input.open(
      textOf({
        problem: (value) => (value === '' ? text('Type {0}.', 'a key') : undefined),
        hint: () => undefined,
        failure: (error) => (error instanceof Error ? error.message : undefined),
        accept: (value) => {
          tries += 1;
          if (value === 'bad') throw new Error('This key is refused.');
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
    assert.equal(place.current, undefined);
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
      assert.deepEqual([answer.isOver, place.current], [true, undefined]);
    });
  }

  it('comes back after the questions that took its place, and not after others', async () => {
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

  it('says in the title why ticked rows cannot be taken', async () => {
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
