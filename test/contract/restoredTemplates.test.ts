import assert from 'node:assert/strict';
import { TemplateConflictError } from '../../src/store/templates/templateErrors';
import { changeText, useTemplateScene } from '../support/templateScene';
import type { TemplateComputer, TemplateWindow } from '../support/templateWindow';

describe('unsaved template documents that the editor restores', () => {
  const scene = useTemplateScene({ name: 'Mine', image: 'a/b:1', desc: 'old', private: true });
  let computer: TemplateComputer;
  let window: TemplateWindow;
  let id: number;

  beforeEach(async () => {
    ({ computer, id } = scene());
    window = await computer.openWindow();
  });

  const record = () => scene().record();
  const editElsewhere = (changes: Record<string, unknown>) => scene().editElsewhere(changes);

  async function textOf(one: TemplateWindow): Promise<string> {
    return (await one.documents.open(id))?.text ?? '';
  }

  it('are merged with what they were made from although another window opened the template since', async () => {
    const source = changeText(await textOf(window), { desc: 'typed before the restart' });
    await window.documents.keepBase(id);
    const other = await computer.openWindow();
    await textOf(other);
    await other.documents.settle(id);
    await editElsewhere({ tag: 'meanwhile' });
    const [restored, later] = [await computer.openWindow(), await computer.openWindow()];
    // The editor may open the file before it says that its document is unsaved.
    for (const one of [restored, later]) {
      await textOf(one);
      await one.documents.settle(id);
      one.dirty.add(id);
    }
    await later.documents.beginEdit(id);
    await restored.documents.resume(id);
    await restored.documents.save(id, source);
    const saved = await record();
    assert.deepEqual([saved['desc'], saved['tag']], ['typed before the restart', 'meanwhile']);
    await editElsewhere({ tag: 'once more' });
    await later.documents.save(id, source);
    assert.equal((await record())['tag'], 'once more');
  });

  it('are compared with their own version although a closed window edits the template from a later one', async () => {
    const first = await computer.openWindow(undefined, 'first');
    const source = changeText(await textOf(first), { desc: 'typed in the first window' });
    await first.documents.keepBase(id);
    await editElsewhere({ tag: 'meanwhile' });
    const second = await computer.openWindow(undefined, 'second');
    const later = changeText(await textOf(second), { image: 'typed/in:second' });
    await second.documents.keepBase(id);
    for (const [name, text] of [
      ['first', source],
      ['second', later],
    ] as const) {
      const restored = await computer.openWindow(undefined, name);
      restored.dirty.add(id);
      await textOf(restored);
      await restored.documents.save(id, text);
      assert.equal((await record())['tag'], 'meanwhile');
    }
    const { desc, image } = await record();
    assert.deepEqual([desc, image], ['typed in the first window', 'typed/in:second']);
  });

  it('overwrite nothing unseen where what they were made from is lost', async () => {
    const source = changeText(await textOf(window), { desc: 'typed before the restart' });
    await editElsewhere({ tag: 'meanwhile' });
    for (const isDirtyAtOnce of [true, false]) {
      const restored = await computer.openWindow();
      if (isDirtyAtOnce) {
        restored.dirty.add(id);
      }
      await textOf(restored);
      restored.dirty.add(id);
      await restored.documents.resume(id);
      await assert.rejects(restored.documents.save(id, source), (error: unknown) => {
        assert.ok(error instanceof TemplateConflictError);
        assert.deepEqual(error.conflicts.map(({ path }) => path.join('.')).sort(), ['desc', 'tag']);
        return true;
      });
      assert.equal((await record())['tag'], 'meanwhile');
      restored.dirty.delete(id);
      await restored.documents.settle(id);
      assert.ok(restored.documents.peek(id)?.text.includes('meanwhile'));
    }
  });
});
