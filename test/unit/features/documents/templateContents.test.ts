import assert from 'node:assert/strict';
import { TemplateContents } from '../../../../src/features/documents/templateContents';
import { type TemplateUri, templateUriParts } from '../../../../src/model/templates/templateUri';
import { ReadOnlyTemplateError } from '../../../../src/store/templates/templateErrors';
import { text } from '../../../../src/util/text';
import { FakeUri } from '../../../support/fakeEditor/values';
import { openScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('The content of a template file', () => {
  const known = { id: 5, name: 'Trainer', text: '{}', mtime: 20, raw: { created_at: 10 } };
  const theirs = { ...known, text: '{"theirs":1}', mtime: 30, raw: {} };

  function scene() {
    const screen = openScreen();
    const state = {
      known: known as object | undefined,
      conflict: undefined as object | undefined,
      draft: undefined as object | undefined,
      createdAs: undefined as number | undefined,
      target: undefined as object | undefined,
      preview: undefined as object | undefined,
      readOnly: undefined as ReadOnlyTemplateError | undefined,
    };
    const deps = {
      log: {},
      templateStores: {
        documents: {
          ready: () => Promise.resolve(),
          open: () => Promise.resolve(state.known),
          conflict: () => state.conflict,
          readOnlyReason: () => state.readOnly,
        },
        creation: { draft: () => Promise.resolve(state.draft), createdAs: () => state.createdAs },
      },
    };
    const saveAs = { get: () => state.target };
    const contents = new TemplateContents(only(deps), only({ get: () => state.preview }), only(saveAs));
    const address = (what: TemplateUri) => FakeUri.from(templateUriParts(what));
    return { contents, state, screen, address, read: (what: TemplateUri) => contents.read(address(what)) };
  }
  const own = { kind: 'own', id: 5, name: 'Trainer' } as const;
  const draft = { kind: 'draft', token: 'abc', name: 'New' } as const;
  const content = { text: '{}', mtime: 20, ctime: 10_000, isReadOnly: false };

  it('is that of the template, which others can only read', async () => {
    const { read, state } = scene();
    assert.deepEqual(await read(own), content);
    assert.deepEqual(await read({ ...own, kind: 'public' }), { ...content, isReadOnly: true });
    state.readOnly = new ReadOnlyTemplateError(text('The key may not'));
    assert.deepEqual(await read(own), { ...content, isReadOnly: true });
  });

  it('is what another window or person saved, where there is a conflict', async () => {
    const { read, state } = scene();
    const address = { ...own, kind: 'theirs' } as const;
    assert.deepEqual(await read(address), { ...content, isReadOnly: true });
    state.conflict = { theirs };
    assert.deepEqual(await read(address), { text: theirs.text, mtime: 30, ctime: 0, isReadOnly: true });
  });

  it('is that of a draft, and of the template that it became', async () => {
    const { read, state } = scene();
    await assert.rejects(read(draft));
    state.draft = { text: '{"draft":1}', mtime: 3 };
    const written = { text: '{"draft":1}', mtime: 3, ctime: 0, isReadOnly: false };
    assert.deepEqual(await read(draft), written);
    state.createdAs = 5;
    assert.deepEqual(await read(draft), { text: '{}', mtime: 20, ctime: 0, isReadOnly: false });
  });

  it('is empty where the editor saves a file under a new name, until it is a template', async () => {
    const { read, state } = scene();
    state.target = { token: 'abc', mtime: 7 };
    assert.deepEqual(await read(own), { text: '', mtime: 7, ctime: 0, isReadOnly: false });
    state.createdAs = 5;
    assert.deepEqual(await read(own), { text: '{}', mtime: 20, ctime: 0, isReadOnly: false });
  });

  it('of a preview can only be read, as long as there is one', async () => {
    const { read, state } = scene();
    const address = { kind: 'preview', token: 'abc', name: 'Merged' } as const;
    await assert.rejects(read(address));
    state.preview = { text: 'x', mtime: 1 };
    assert.deepEqual(await read(address), { text: 'x', mtime: 1, ctime: 0, isReadOnly: true });
  });

  it('is none where there is no such template, nor at another address', async () => {
    const { read, state, contents } = scene();
    state.known = undefined;
    await assert.rejects(read(own));
    const elsewhere = () => FakeUri.parse('gpurental:/elsewhere.json');
    await assert.rejects(contents.read(elsewhere()));
  });

  it('is found under another name, unless the folder was listed or the template is open', async () => {
    const renamed = { ...own, name: 'Other' };
    const { read, contents, screen, address } = scene();
    assert.deepEqual(await read(renamed), content);
    contents.noteListed(5);
    await assert.rejects(read(renamed));
    assert.deepEqual(await read(own), content);
    screen.documents.keep(address(renamed), '{}');
    assert.deepEqual(await read(renamed), content);
  });

  it('is not found twice where the template is open under its name', async () => {
    const { read, screen, address } = scene();
    await screen.documents.show(screen.documents.keep(address(own), '{}'));
    await assert.rejects(read({ ...own, name: 'Other' }));
    screen.documents.closeTabs(address(own));
    assert.deepEqual(await read({ ...own, name: 'Other' }), content);
  });
});
