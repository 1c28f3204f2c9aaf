import assert from 'node:assert/strict';
import { ahead, settle } from '../../support/fakeClock';
import { hasActive, levelOf, list, open, rows, turn } from '../../support/quickLevels';
import { until } from '../../support/until';

/** Keeps this process busy, so that timers that are due run before anything else. */
function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end) {}
}

describe('the active row of a list', () => {
  it('keeps the active row if rows are made again', async () => {
    let ids = ['a', 'b', 'c'];
    const { input } = open(levelOf({ rows: () => rows(...ids), activeId: () => 'b' }));
    await settle();
    ids = ['new', 'a', 'b'];
    input.refresh();
    await settle();
    assert.equal(list().activeItems[0]?.label, 'b');
    input.close();
  });

  it('runs the row that is found by typing, with any active row when the rows were made again', async () => {
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

  it('has an active row if typing found one before the rows that were made again had arrived', async () => {
    const { input } = open(levelOf({ rows: () => rows('show', 'reset'), activeId: () => 'reset' }));
    await settle();
    const typed = list();
    typed.value = 'show';
    input.refresh();
    const [show] = typed.items;
    assert.ok(show);
    typed.reportEarly(show);
    await hasActive('show');
    input.close();
  });

  it('has an active row if the editor reports none before the rows that were made again had arrived', async () => {
    const { input } = open(levelOf({ rows: () => rows('show', 'reset'), activeId: () => 'reset' }));
    await settle();
    const typed = list();
    typed.value = 'show';
    input.refresh();
    typed.reportEarly(undefined);
    busyFor(5);
    await hasActive('show');
    input.close();
  });

  it('has an active row if the editor reports none before and after rows are made again in one turn', async () => {
    const { input } = open(levelOf({ rows: () => rows('show', 'reset'), activeId: () => 'reset' }));
    await settle();
    const typed = list();
    typed.reportEarly(undefined);
    typed.value = 'show';
    input.refresh('reset');
    typed.reportEarly(undefined);
    busyFor(5);
    await hasActive('show');
    input.close();
  });

  it('has an active row if the editor reported it late, and more rows were made again before that arrived', async () => {
    const { input } = open(levelOf({ rows: () => rows('show', 'reset'), activeId: () => 'reset' }));
    await settle();
    input.refresh();
    await settle();
    const typed = list();
    typed.value = 'show';
    input.refresh();
    const [, reset] = typed.items;
    assert.ok(reset);
    typed.reportEarly(reset);
    await hasActive('show');
    input.close();
  });

  it('leaves the row alone that the user chose once typing has found rows', async () => {
    const { input } = open(levelOf({ rows: () => rows('ab', 'abc', 'b'), activeId: () => 'b' }));
    await hasActive('b');
    list().type('a');
    await hasActive('ab');
    const { items } = list();
    const [, second] = items;
    assert.ok(second);
    list().move(second);
    await turn();
    assert.equal(list().items, items);
    assert.equal(list().activeItems[0]?.label, 'abc');
    input.close();
  });

  it('gives no new rows to a list with ticks, which the editor would untick', async () => {
    const many = { ticked: ['reset'], accept: () => undefined };
    const { input } = open(levelOf({ rows: () => rows('show', 'reset'), activeId: () => 'reset', many }));
    const { items } = list();
    list().value = 'show';
    await turn();
    assert.equal(list().items, items);
    assert.deepEqual(
      list().selectedItems.map(({ label }) => label),
      ['reset'],
    );
    input.close();
  });

  it('runs nothing by an Enter while no row is left, not even the row before again', async () => {
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

  describe('without an active row', () => {
    /** Presses Enter while "show" is typed, found and hidden by nothing but the active row of rows that are made again. */
    async function acceptWithoutRow() {
      const ran: string[] = [];
      const made = () =>
        ['show', 'reset', 'shower'].map((id) => ({ id, label: id, run: () => ran.push(id) }));
      const { input } = open(levelOf({ rows: made }));
      list().value = 'show';
      await turn();
      input.refresh('reset');
      // The editor answers in this turn; the list looks at the answer in the next one.
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(list().activeItems, []);
      list().accept();
      return { ran, input };
    }

    it('runs the row of an Enter once it is active again', async () => {
      const { ran, input } = await acceptWithoutRow();
      assert.deepEqual(ran, []);
      await until('the row to run', () => ran.length > 0, { everyMs: 1 });
      await turn();
      assert.deepEqual(ran, ['show']);
      input.close();
    });

    it('runs nothing if the user chooses another row', async () => {
      const { ran, input } = await acceptWithoutRow();
      const other = list().items.at(-1);
      assert.ok(other);
      const [show] = list().items;
      assert.ok(show);
      list().move(other);
      await turn();
      list().move(show);
      await turn();
      assert.deepEqual(ran, []);
      input.close();
    });

    it('runs nothing where the user clicked on a row that is gone', async () => {
      const ran: string[] = [];
      let ids = ['a', 'b', 'c'];
      const made = () => ids.map((id) => ({ id, label: id, run: () => ran.push(id) }));
      const { input } = open(levelOf({ rows: made }));
      await turn();
      ids = ['a'];
      input.refresh();
      list().clickGone();
      await hasActive('a');
      await turn();
      assert.deepEqual(ran, []);
      input.close();
    });

    it('runs nothing where the list was left and is shown again', async () => {
      const { ran, input } = await acceptWithoutRow();
      input.push(levelOf());
      input.pop();
      await hasActive('show');
      await turn();
      assert.deepEqual(ran, []);
      input.close();
    });

    it('runs nothing if the row returns late', async () => {
      const { ran, input } = await acceptWithoutRow();
      await ahead(1001, async () => {
        await hasActive('show');
        await turn();
      });
      assert.deepEqual(ran, []);
      input.close();
    });

    it('sets the rows again once, and not where nothing is found', async () => {
      const { input } = open(levelOf());
      await turn();
      const { items } = list();
      list().type('nothing like it');
      await turn();
      assert.equal(list().items, items);
      input.refresh('a');
      await turn();
      const { items: again } = list();
      list().reportEarly(undefined);
      await turn();
      assert.equal(list().items, again);
      input.close();
    });

    it('runs nothing where the user types', async () => {
      const { ran, input } = await acceptWithoutRow();
      const [show] = list().items;
      assert.ok(show);
      list().reportEarly(show);
      list().type('sho');
      await turn();
      assert.deepEqual(ran, []);
      input.close();
    });
  });
});
