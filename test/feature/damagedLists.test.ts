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
    const said = /^Your favorite and recent templates are lost because their file is damaged\./;
    const { text, buttons } = await window.toast(said);
    assert.deepEqual(buttons, ['Open File']);
    const [, kept = ''] = /The file is kept as (.*)\.$/.exec(text) ?? [];
    assert.ok(kept.startsWith(`${file}.broken-`), text);
    await templates().menu('Alpha', 'Add Template to Favorites');
    await templates().row('Favorites');
    await computer().pass(60_000);
    assert.equal(window.toasts().filter((one) => said.test(one)).length, 1);
    await window.toastButton(said, 'Open File');
    await window.document('{"version": 1, "acc');
    window.close();
  });
});

describe('an entry of a list whose file is damaged', () => {
  const computer = useComputer();

  const lists = [
    {
      folder: 'watches',
      said: /^A watched search could not be read/,
      button: 'Watch a Search…',
      leadsTo: /^Watch a Search/,
    },
    {
      folder: 'history',
      said: /^A past rental could not be read/,
      button: 'Show Rental History',
      leadsTo: /^Rental History/,
    },
    {
      folder: 'hostSets',
      said: /^A group for other tools could not be read/,
      button: 'Use in…',
      leadsTo: /^Use These Instances in/,
    },
  ];

  it('is named once with the place of the file and the way to set it again', async () => {
    let window = await computer().openSignedIn();
    await computer().rest();
    window.close();
    const folders = readdirSync(computer().root, { recursive: true, encoding: 'utf8' });
    const files = lists.map(({ folder }) => {
      const found = folders.find((name) => new RegExp(`/[0-9a-f]{16}/${folder}$`).test(name));
      assert.ok(found, folder);
      const file = path.join(computer().root, found, folder === 'history' ? '77.json' : '0123abcd.json');
      writeFileSync(file, '{"version": 1, "name": "che');
      return file;
    });
    window = await computer().openWindow({ isFocused: true });
    window.view('instances').show();
    await window.view('instances').welcome();
    for (const [index, { said, button }] of lists.entries()) {
      const { text, buttons } = await window.toast(said);
      assert.deepEqual(buttons, [button]);
      const [, kept = ''] = /The file is kept as (.*)\.$/.exec(text) ?? [];
      assert.ok(kept.startsWith(`${files[index]}.broken-`), text);
    }
    await computer().pass(60_000);
    for (const { said } of lists) {
      assert.equal(window.toasts().filter((one) => said.test(one)).length, 1);
    }
    for (const { said, button, leadsTo } of lists) {
      await window.toastButton(said, button);
      await window.quick.title(leadsTo);
      window.quick.escape();
    }
    window.close();
  });
});
