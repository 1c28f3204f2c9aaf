import assert from 'node:assert/strict';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { templateOwner } from '../../src/model/templates/templateReference';
import { changeText, useTemplateScene } from '../support/templateScene';
import type { TemplateWindow } from '../support/templateWindow';

const token = 'hf_tokenvalue4711';

describe('templates whose record on this computer is damaged', () => {
  const scene = useTemplateScene({
    name: 'Mine',
    image: 'a/b:1',
    env: `-e HF_TOKEN=${token} -e MODE=train`,
    private: true,
  });
  const file = () => path.join(scene().computer.storageDir, 'templates.json');
  const sentEnvs = () =>
    scene()
      .simulator.received('PUT', '/api/v0/template/')
      .map(({ body }) => (body as Record<string, unknown>)['env']);

  /** Hides the token in the template and in a copy of it, and begins a draft. */
  async function hide(window: TemplateWindow) {
    const { id } = scene();
    const opened = (await window.documents.open(id))?.text ?? '';
    await window.kept.add('account-1', 'HF_TOKEN-1', token, templateOwner(id));
    const env = { HF_TOKEN: '${secret:HF_TOKEN-1}', MODE: 'train' };
    await window.documents.save(id, changeText(opened, { env }));
    const fields = { ...window.documents.peek(id)?.fields, name: 'Copy' };
    const toCopy = await window.creation.addDraft(fields, templateOwner(id));
    const copy = await window.creation.saveDraft(toCopy, (await window.creation.draft(toCopy))?.text ?? '');
    const draft = await window.creation.addDraft({ name: 'Draft', image: 'a/b:1' });
    return { id, copy, draft };
  }

  const damages: readonly (readonly [string, () => void])[] = [
    ['as it is read', () => writeFileSync(file(), '{"version": 1, "acc')],
    ['and was set aside by another window', () => renameSync(file(), `${file()}.broken-1`)],
  ];
  for (const [when, damage] of damages) {
    it(`show nothing that was hidden, and keep drafts, ${when}`, async () => {
      const { computer } = scene();
      const { id, copy, draft } = await hide(await computer.openWindow());
      damage();
      const window = await computer.openWindow();
      for (const one of [id, copy]) {
        const { text = '' } = (await window.documents.open(one)) ?? {};
        assert.match(text, /"HF_TOKEN": "\$\{secret:HF_TOKEN-1\}",\s+"MODE": "train"/);
        const env = { HF_TOKEN: '${secret:HF_TOKEN-1}', MODE: 'test' };
        await window.documents.save(one, changeText(text, { env }));
        assert.equal(sentEnvs().at(-1), `-e HF_TOKEN=${token} -e MODE=test`);
      }
      assert.match((await window.creation.draft(draft))?.text ?? '', /"name": "Draft"/);
      const kept = readdirSync(computer.storageDir).filter((name) => name.includes('.broken-'));
      assert.deepEqual(
        window.memory.damaged,
        kept.map((name) => path.join(computer.storageDir, name)),
      );
      assert.equal(kept.length, 1);
    });

    it(`leave no secret behind at the sign-out, ${when}`, async () => {
      const { computer } = scene();
      await hide(await computer.openWindow());
      damage();
      await (await computer.openWindow()).secrets.forgetAccount('account-1');
      assert.deepEqual([...computer.secretPort.values.keys()], []);
    });
  }
});
