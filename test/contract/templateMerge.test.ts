import assert from 'node:assert/strict';
import { DocumentError } from '../../src/model/templates/templateDocument';
import { TemplateConflictError } from '../../src/store/templates/templateErrors';
import { changeText, useTemplateScene } from '../support/templateScene';
import type { TemplateWindow } from '../support/templateWindow';

describe('the merge of a template that changed on both sides', () => {
  const scene = useTemplateScene();
  let window: TemplateWindow;
  let id: number;

  beforeEach(async () => {
    const { computer } = scene();
    ({ id } = scene());
    window = await computer.openWindow();
  });

  const record = () => scene().record();
  const opened = async () => (await window.documents.open(id))?.text ?? '';

  it('includes what only one side changed, and saves mine in the disputed place', async () => {
    const source = changeText(await opened(), { desc: 'mine', env: { A: 'mine', B: '2' } });
    await scene().editElsewhere({ desc: 'by somebody else', env: '-e A=1 -e B=theirs', tag: '9' });
    await assert.rejects(window.documents.save(id, source), TemplateConflictError);
    const merged = window.documents.merge(id, source);
    assert.ok(merged !== undefined);
    window.documents.useTheirs(id);
    await window.documents.save(id, merged.text);
    const saved = await record();
    assert.deepEqual([saved['desc'], saved['env'], saved['tag']], ['mine', '-e A=mine -e B=theirs', '9']);
  });

  it('starts from what was typed after the refused save', async () => {
    const source = changeText(await opened(), { desc: 'mine' });
    await scene().editElsewhere({ desc: 'by somebody else', tag: '9' });
    await assert.rejects(window.documents.save(id, source), TemplateConflictError);
    const typed = changeText(source, {
      desc: 'typed later',
      image: 'a/b:2',
      env: { A: '1', B: '2', C: '3' },
    });
    const merged = window.documents.merge(id, typed);
    assert.ok(merged !== undefined);
    assert.deepEqual(
      merged.conflicts.map(({ path }) => path),
      [['desc']],
    );
    window.documents.useTheirs(id);
    await window.documents.save(id, merged.text);
    const { desc, image, env, tag } = await record();
    assert.deepEqual([desc, image, env, tag], ['typed later', 'a/b:2', '-e A=1 -e B=2 -e C=3', '9']);
  });

  it('changes nothing, and keeps the conflict, while the text can’t be read', async () => {
    const source = changeText(await opened(), { desc: 'mine' });
    await scene().editElsewhere({ desc: 'by somebody else' });
    await assert.rejects(window.documents.save(id, source), TemplateConflictError);
    assert.throws(() => window.documents.merge(id, source.slice(1)), DocumentError);
    assert.ok(window.documents.conflict(id) !== undefined);
    await assert.rejects(window.documents.save(id, source), TemplateConflictError);
  });
});
