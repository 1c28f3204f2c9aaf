import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ServiceTemplates } from '../support/feature/templateRecords';
import { useComputer } from '../support/feature/useComputer';

describe('the record of templates that is damaged', () => {
  const computer = useComputer();
  const service = new ServiceTemplates(computer);

  it('is named once with the place of the file, which opens, and the favorites start empty', async () => {
    await service.make('Alpha');
    let window = await computer().openWindow();
    await window.signIn();
    const templates = () => window.view('templates');
    await templates().menu('Alpha', 'Add Template to Favorites');
    await templates().row('Favorites');
    window.close();
    const file = path.join(computer().storage, 'templates.json');
    writeFileSync(file, '{"version": 1, "acc');
    window = await computer().openWindow({ isFocused: true });
    await templates().row('Alpha');
    const said = /^Your favorite and recent templates are lost\. .* Its file is damaged/;
    const { buttons } = await window.toast(said);
    assert.deepEqual(buttons, ['Show File']);
    await templates().menu('Alpha', 'Add Template to Favorites');
    await templates().row('Favorites');
    await computer().pass(60_000);
    assert.equal(window.toasts().filter((one) => said.test(one)).length, 1);
    await window.toastButton(said, 'Show File');
    await window.document('{"version": 1, "acc');
    window.close();
  });
});

describe('an entry of a list whose file is damaged', () => {
  const computer = useComputer();

  const lists = [
    {
      folder: 'watches',
      said: /^A watched search no longer runs/,
      buttons: ['Show File', 'Start Over'],
      leadsTo: /^Watch a Search/,
    },
    {
      folder: 'history',
      said: /^A past rental is missing/,
      buttons: ['Show File'],
      leadsTo: undefined,
    },
  ];

  it('is named once with the place of the file and the way to set it again', async () => {
    let window = await computer().openSignedIn();
    await computer().rest();
    window.close();
    const folders = readdirSync(computer().root, { recursive: true, encoding: 'utf8' });
    for (const { folder } of lists) {
      const found = folders.find((name) => new RegExp(`/[0-9a-f]{16}/${folder}$`).test(name));
      assert.ok(found, folder);
      const file = path.join(computer().root, found, folder === 'history' ? '77.json' : '0123abcd.json');
      writeFileSync(file, `{"version": 1, "name": "of ${folder}`);
    }
    window = await computer().openWindow({ isFocused: true });
    window.view('instances').show();
    await window.view('instances').welcome();
    for (const { said, buttons } of lists) {
      assert.deepEqual((await window.toast(said)).buttons, buttons);
    }
    await computer().pass(60_000);
    for (const { said } of lists) {
      assert.equal(window.toasts().filter((one) => said.test(one)).length, 1);
    }
    for (const { folder, said, leadsTo } of lists) {
      if (leadsTo) {
        await window.toastButton(said, 'Start Over');
        await window.quick.title(leadsTo);
        window.quick.escape();
      } else {
        await window.toastButton(said, 'Show File');
        await window.document(`of ${folder}`);
      }
    }
    window.close();
  });
});
