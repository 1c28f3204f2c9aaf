import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { useComputer } from '../support/feature/useComputer';

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
      const found = folders.find((name) => new RegExp(`/${folder}/[0-9a-f]{16}$`).test(name));
      assert.ok(found, folder);
      const file = path.join(computer().root, found, '0123abcd.json');
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
