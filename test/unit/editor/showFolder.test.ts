import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { showFolder } from '../../../src/editor/showFolder';
import { openScreen, textsOn, useScreen } from '../../support/onScreen';
import { removeFolder } from '../../support/removeFolder';

describe('A folder of this computer', () => {
  const screen = useScreen();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gr-folder-'));
  const executed = () =>
    screen.commands.executed.splice(0).map(({ id, args: [uri, options] }) => {
      const { fsPath } = uri as { readonly fsPath: string };
      return [id, fsPath === folder, ...(options === undefined ? [] : [JSON.stringify(options)])].join(' ');
    });
  after(() => removeFolder(folder));

  it('is not shown where it is gone, or is a file', async () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    assert.equal(await showFolder(path.join(folder, 'gone')), false);
    assert.equal(await showFolder(file), false);
    assert.deepEqual([...executed(), ...textsOn(screen)], []);
  });

  it('is named with a way to open it where the editor has no file manager', async () => {
    assert.equal(await showFolder(folder), true);
    screen.messages.shown[0]?.press('Open in New Window');
    await setImmediate();
    assert.deepEqual(textsOn(screen), [`info The folder is ${folder}. [Open in New Window]`]);
    assert.deepEqual(executed(), ['vscode.openFolder true {"forceNewWindow":true}']);
  });

  it('is shown in the file manager where there is one', async () => {
    screen.commands.ofEditor.set('revealFileInOS', (uri) => {
      screen.commands.executed.push({ id: 'revealFileInOS', args: [uri] });
    });
    assert.equal(await showFolder(folder), true);
    assert.deepEqual([...executed(), ...textsOn(screen)], ['revealFileInOS true']);
  });

  it('is shown in the explorer where it belongs to the workspace', async () => {
    const own = openScreen({ folders: [path.dirname(folder)] });
    assert.equal(await showFolder(folder), true);
    assert.deepEqual(
      own.commands.executed.map(({ id }) => id),
      ['revealInExplorer'],
    );
  });
});
