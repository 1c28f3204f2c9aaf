import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { LazyTree } from '../../../src/editor/lazyTree';
import { FakeEventEmitter } from '../../support/fakeEditor/events';
import { openScreen } from '../../support/onScreen';
import { until } from '../../support/until';

interface Node {
  readonly id: number;
}

/** A tree in sight, what the editor was told to read again, and how often rows and tooltips were made. */
function treeOf(count: number) {
  const screen = openScreen();
  const tree = new LazyTree('gpuRental.instances', () => Promise.resolve());
  const nodes = Array.from({ length: count }, (_, id): Node => ({ id }));
  const changed = new FakeEventEmitter<undefined>();
  const words = { label: 'first', tooltip: 'first' };
  const made = { rows: 0, tooltips: 0 };
  const provider = {
    onDidChangeTreeData: changed.event,
    getChildren: (node?: Node) => (node ? [] : nodes),
    getTreeItem: ({ id }: Node) => {
      made.rows += 1;
      const command = { command: 'gpuRental.test', title: 'Open', arguments: [`${words.label} ${id}`] };
      return { id: String(id), label: `${words.label} ${id}`, command };
    },
    resolveTreeItem: (item: vscode.TreeItem) => {
      made.tooltips += 1;
      return Object.assign(item, { tooltip: words.tooltip });
    },
  };
  tree.setProvider<Node>(provider);
  const view = screen.trees.get('gpuRental.instances');
  assert.ok(view);
  view.setVisible(true);
  const refreshed: unknown[] = [];
  view.onDidRefresh((what) => refreshed.push(what));
  /** Says so often that something changed, as several features do after one list, and waits for what is drawn again. */
  const change = async (label: string, tooltip = words.tooltip) => {
    Object.assign(words, { label, tooltip });
    Object.assign(made, { rows: 0, tooltips: 0 });
    refreshed.length = 0;
    for (let time = 0; time < 3; time += 1) {
      changed.fire(undefined);
    }
    await until('the comparison', () => refreshed.length > 0);
    return refreshed;
  };
  return { view, nodes, change, made, words, screen, fire: () => changed.fire(undefined) };
}

describe('A tree whose rows changed', () => {
  it('makes each of 1,000 rows once, and no tooltip that the editor does not have', async () => {
    const { view, change, made } = treeOf(1000);
    await view.rows();
    await change('second');
    const rows = await view.rows();
    assert.equal(rows.at(-1)?.text, 'second 999');
    assert.deepEqual(made, { rows: 1000, tooltips: 0 });
  });

  it('is read as a whole if many rows changed, which is faster for the editor than each alone', async () => {
    const many = treeOf(101);
    await many.view.rows();
    assert.deepEqual(await many.change('second'), [undefined]);
    const few = treeOf(100);
    await few.view.rows();
    assert.deepEqual(await few.change('second'), [few.nodes]);
  });

  it('reads a row again whose tooltip alone changed, if the editor has it', async () => {
    const { view, nodes, change, made } = treeOf(3);
    const [row] = await view.rows();
    assert.ok(row);
    assert.equal(await view.tooltip(row), 'first');
    assert.deepEqual(await change('first', 'second'), [[nodes[0]]]);
    assert.equal(made.tooltips, 1);
    const [again] = await view.rows();
    assert.ok(again);
    assert.equal(await view.tooltip(again), 'second');
  });

  it('shows what holds when the editor reads it, also where a change was taken back before', async () => {
    const { view, words, change, fire, made } = treeOf(3);
    await view.rows();
    await change('second');
    words.label = 'first';
    made.rows = 0;
    fire();
    await until('the comparison', () => made.rows >= 3);
    assert.deepEqual(
      (await view.rows()).map(({ text }) => text),
      ['first 0', 'first 1', 'first 2'],
    );
  });

  it('shows what holds where rows were added, or it was hidden, before the editor read a changed one', async () => {
    for (const isHidden of [false, true]) {
      const { view, nodes, change } = treeOf(2);
      await view.rows();
      await change('second');
      nodes.push({ id: 2 });
      view.setVisible(!isHidden);
      await change('third');
      assert.deepEqual(
        (await view.rows()).map(({ text }) => text),
        ['third 0', 'third 1', 'third 2'],
      );
    }
  });

  it('opens the row that was clicked, also where it was drawn again just then', async () => {
    const { view, words, screen } = treeOf(3);
    const run: unknown[] = [];
    screen.commands.register('gpuRental.test', (name: unknown) => run.push(name));
    const [, row] = await view.rows();
    assert.ok(row?.item.command);
    assert.equal(row.item.command.arguments, undefined);
    words.label = 'second';
    view.select([row]);
    await screen.commands.execute(row.item.command.command);
    assert.deepEqual(run, ['second 1']);
  });
});
