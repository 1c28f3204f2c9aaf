import assert from 'node:assert/strict';
import {
  closeKeyDocument,
  readOpenDocument,
  registerKeyLens,
  writeKeyDocument,
} from '../../../../src/features/keys/keyDocument';
import type { FakeTextDocument } from '../../../support/fakeEditor/textDocument';
import { textsOn, useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('The document of a new API key', () => {
  const screen = useScreen();
  const { documents } = screen;
  const active = () => documents.active?.document;
  const edit = (text: string) => {
    const document = active();
    assert.ok(document);
    documents.edit(document, text);
  };
  const permissions = { api: { misc: {} } };

  it('is a new one each time, where the one before is not empty', async () => {
    await writeKeyDocument('ci', permissions);
    assert.equal(active()?.uri.path, 'api-key.gpu-key.json');
    assert.match(active()?.getText() ?? '', /"ci"/);
    await writeKeyDocument('other', permissions);
    assert.equal(active()?.uri.path, 'api-key-2.gpu-key.json');
    assert.match(active()?.getText() ?? '', /"other"/);
    const first = documents.all.find(({ uri }) => uri.path === 'api-key.gpu-key.json');
    assert.match(first?.getText() ?? '', /"ci"/);
    assert.doesNotMatch(first?.getText() ?? '', /"other"/);
  });

  it('is read where it is in front, with the key that it describes', () => {
    const read = readOpenDocument();
    assert.equal(read?.document, active());
    assert.equal(read?.wanted.name, 'other');
    assert.deepEqual(textsOn(screen), []);
  });

  it('names the line in which something is wrong, and shows the place', () => {
    edit('{\n  "name": "ci",\n  "permissions": 7\n}');
    assert.equal(readOpenDocument(), undefined);
    assert.match(textsOn(screen).join(), /^warning No key was created\. Line 3: /);
    assert.equal(documents.active?.selection.start.line, 2);
    assert.equal(documents.active.visibleRanges[0]?.start.line, 2);
  });

  it('is asked for where another document is in front, or none', async () => {
    await documents.show(await documents.open({ content: '{}', language: 'json' }));
    assert.equal(readOpenDocument(), undefined);
    for (const document of [...documents.all]) {
      documents.close(document);
    }
    assert.equal(readOpenDocument(), undefined);
    assert.deepEqual(textsOn(screen), [
      'info Open a document whose name ends in .gpu-key.json first. []',
      'info Open a document whose name ends in .gpu-key.json first. []',
    ]);
  });

  it('is closed after its use where it is on no disk, and nothing else is', async () => {
    const close = async (document: FakeTextDocument | undefined) => {
      assert.ok(document);
      await closeKeyDocument(only(document));
      return screen.commands.executed.splice(0).map(({ id }) => id);
    };
    await writeKeyDocument('ci', permissions);
    const own = active();
    await documents.show(await documents.open({ content: '{}', language: 'json' }));
    assert.deepEqual(await close(own), ['workbench.action.revertAndCloseActiveEditor']);
    assert.equal(active(), own, 'the command closes what is in front');
    documents.close(own);
    assert.deepEqual(await close(own), []);
    const kept = documents.keep('/home/me/ci.gpu-key.json', '{}');
    assert.deepEqual(await close(kept), []);
  });

  it('offers to create the key above its first line', async () => {
    const end = registerKeyLens();
    const titles = async (name: string) => {
      const lenses = await screen.languages.lensesOf(documents.keep(name, '{}'));
      return lenses.map(({ command }) => command?.title);
    };
    assert.deepEqual(await titles('/work/a.gpu-key.json'), ['$(key) Create API Key from This Document']);
    assert.deepEqual(await titles('/work/a.json'), []);
    end.dispose();
    assert.deepEqual(await titles('/work/a.gpu-key.json'), []);
  });
});
