import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { HostFilesMark } from '../../../../src/several/ui/hostFilesMark';
import { anInstance } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { FakeEventEmitter } from '../../../support/fakeEditor/events';
import { useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('The row about host files', () => {
  useScreen();
  const saved = {
    ...{ accountKey: 'mine', folder: '/work/hosts', hashes: {}, leftOut: [] },
    names: { 1: 'sweep-1', 2: 'sweep-2' },
  };

  async function scene() {
    const kept = new Map<string, unknown>();
    const accounts = { active: { key: 'mine' }, onDidChange: new FakeEventEmitter<void>().event };
    const ended = new FakeEventEmitter<string>();
    const state: Record<string, unknown> = { kind: 'ready' };
    const list = (ids: readonly number[], more: object = {}) => {
      const instances = ids.map((id) => anInstance({ id, label: `sweep-${id}` }));
      Object.assign(state, { error: undefined, value: { instances, skipped: 0 } }, more);
    };
    const deps = {
      ...{ accounts, accountCleanup: { onDidRemove: ended.event }, clock: new FakeClock() },
      fleet: { state, facts: () => ({}) },
      workspaceState: {
        get: (key: string) => kept.get(key),
        update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, value)),
      },
    };
    const mark = new HostFilesMark(only<ConstructorParameters<typeof HostFilesMark>[0]>(deps));
    await mark.keep(saved);
    list([1, 2]);
    const row = () => mark.rows()[0]?.item();
    return { accounts, ended, kept, list, mark, row, state };
  }
  const textOf = (row: vscode.TreeItem | undefined) => row && [row.label, row.description];

  it('is there only while they differ from the running instances, and saves them again', async () => {
    const { list, mark, row } = await scene();
    assert.equal(row(), undefined);
    list([2, 3]);
    assert.deepEqual(textOf(row()), ['Save Again', 'hosts']);
    assert.equal(mark.description(), 'not running: sweep-1 · new: sweep-3');
    assert.equal(row()?.command?.command, 'gpuRental.instance.saveHostFiles');
    assert.match((row()?.tooltip as vscode.MarkdownString).value, /not running[^]*sweep[^]*new[^]*sweep/);
    list([1, 2]);
    assert.equal(row(), undefined);
  });

  it('is not there while the list is old or lacks some: no answer is not an end', async () => {
    const { list, row, state } = await scene();
    list([], { error: new Error('No network') });
    assert.equal(row(), undefined);
    list([]);
    Object.assign(state, { value: { instances: [], skipped: 2 } });
    assert.equal(row(), undefined);
    Object.assign(state, { kind: 'loading' });
    assert.equal(row(), undefined);
  });

  it('is about the active account, and is gone with one that is signed out', async () => {
    const { accounts, ended, kept, list, mark, row } = await scene();
    list([]);
    accounts.active.key = 'other';
    assert.deepEqual([row(), mark.last], [undefined, undefined]);
    ended.fire('other');
    accounts.active.key = 'mine';
    assert.ok(row());
    ended.fire('mine');
    assert.equal(row(), undefined);
    assert.deepEqual([...kept.values()], [undefined]);
    mark.dispose();
  });

  it('is not there where the record is damaged', async () => {
    const { kept, list, row } = await scene();
    list([]);
    for (const key of kept.keys()) {
      kept.set(key, { ...saved, names: 'sweep-1' });
    }
    assert.equal(row(), undefined);
  });
});
