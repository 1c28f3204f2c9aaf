import assert from 'node:assert/strict';
import { FakeUri } from '../support/fakeEditor/values';
import { DocumentDriver } from '../support/feature/documentDriver';
import { ServiceTemplates } from '../support/feature/templateRecords';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const route = '/api/v0/template/';

describe('an edited template that is gone, or that the service refuses', () => {
  const computer = useComputer();
  const service = new ServiceTemplates(computer);
  let window: FeatureWindow;
  let editor: DocumentDriver;
  let id: number;
  let name: string;
  let made = 0;

  const shown = () => window.screen.messages.shown.filter(({ kind }) => kind !== 'progress');
  const created = () => service.sent('POST').filter((body) => body['desc'] === 'kept').length;
  const removeElsewhere = async () => {
    const { status } = await computer().simulator.call('DELETE', route, { template_id: id });
    assert.equal(status, 200);
  };
  const refresh = async () => {
    window.run('Refresh');
    await computer().rest();
  };

  before(async () => {
    window = await computer().openWindow();
    editor = new DocumentDriver(window);
    await window.signIn();
  });

  beforeEach(async () => {
    made += 1;
    name = `Kept ${made}`;
    id = await service.make(name);
    window.clearToasts();
    await refresh();
    await window.view('templates').click(name);
    await editor.shows(`${name}.json`, '"desc": "old words"');
    await editor.type({ desc: 'kept' });
  });
  afterEach(() => editor.closeAll());

  /** The document is the new template's, saved, and nothing is said. */
  async function isTemplate(file: string, before: number): Promise<void> {
    await editor.shows(file, '"desc": "kept"');
    await editor.saved();
    await editor.lens('Rent');
    assert.equal(created(), before + 1);
    assert.notEqual(editor.document.uri.path.split('/')[1], String(id));
    assert.deepEqual(shown(), []);
    await window.view('templates').row(file.replace('.json', ''));
  }

  for (const [how, remove] of [
    ['elsewhere', removeElsewhere],
    [
      'elsewhere, as the list shows',
      async () => {
        await removeElsewhere();
        await refresh();
      },
    ],
    [
      'in this window',
      async () => {
        await window.view('templates').menu(name, 'Delete Template');
        await window.dialogButton('Delete');
        await computer().until('the deletion', async () => (await service.record(id))['id'] === undefined);
        window.clearToasts();
      },
    ],
  ] as const) {
    it(`is created again by Save where it was deleted ${how}`, async () => {
      const missing = async () =>
        (await window.view('templates').rows()).filter(({ text }) => text.includes('not in the list')).length;
      const others = await missing();
      await remove();
      const before = created();
      await editor.save();
      await window.dialog(`“${name}” was deleted at the service. Create it again?`);
      assert.equal(shown().length, 1);
      await window.dialogButton('Create Again');
      await isTemplate(`${name}.json`, before);
      await computer().until(
        'no more rows of templates that are gone',
        async () => (await missing()) === others,
      );
    });

    for (const [which, file] of [
      ['the name that is proposed', () => `${name}.json`],
      ['another name', () => `Other ${name}.json`],
    ] as const) {
      it(`is kept by Save As under ${which} where it was deleted ${how}`, async () => {
        await remove();
        const before = created();
        const uri = FakeUri.from({ scheme: 'gpurental', authority: 'templates', path: `/${id}/${file()}` });
        void window.screen.documents.saveAs(uri);
        await computer().rest();
        if (file() === `${name}.json`) {
          await window.dialogButton('Create Again');
        }
        await isTemplate(file(), before);
      });
    }
  }

  it('can be saved as another again once that other one is deleted', async () => {
    const uri = FakeUri.from({ scheme: 'gpurental', authority: 'templates', path: `/${id}/Second.json` });
    for (const round of [1, 2]) {
      const before = created();
      void window.screen.documents.saveAs(uri);
      await isTemplate('Second.json', before);
      await editor.closeAll();
      await window.view('templates').menu('Second', 'Delete Template');
      await window.dialogButton('Delete');
      await window.view('templates').noRow(/^Second.*pytorch/);
      window.clearToasts();
      await window.view('templates').click(name);
      await editor.shows(`${name}.json`, '"desc"');
      await editor.type({ desc: 'kept', readme: `round ${round}` });
    }
  });

  it('stays unsaved with one message where it is not to be created again', async () => {
    await removeElsewhere();
    const before = created();
    await editor.save();
    await window.dialogButton('Cancel', /Create it again/);
    await window.toast(/^Failed to save '[^']+': This template was deleted at the service/);
    assert.equal(shown().length, 1);
    assert.equal(created(), before);
    assert.equal(editor.isDirty, true);
  });

  it('is created once where the answer is lost', async () => {
    await removeElsewhere();
    const before = created();
    computer().simulator.fail({ kind: 'dropAfter', method: 'POST', path: route });
    await editor.save();
    await window.dialogButton('Create Again');
    await isTemplate(`${name}.json`, before);
  });

  it('is refused to every reader of its state right after a refused save, and to other writers at once', async () => {
    const fail = () => computer().simulator.fail({ kind: 'dropBefore', method: 'PUT', path: route });
    fail();
    const { files } = window.screen.documents;
    const { uri } = editor.document;
    const refused = /^Error: The service did not answer.*Save again/;
    const written = files.write(uri, new TextEncoder().encode(editor.text));
    await assert.rejects(computer().settled('the write', written), refused);
    assert.equal(typeof (await files.timeOf(uri)), 'number');
    fail();
    await editor.save();
    await window.toast(/^Failed to save/);
    await assert.rejects(files.timeOf(uri), refused);
    computer().simulator.faults.clear();
    await computer().pass(1_000);
    assert.equal(typeof (await files.timeOf(uri)), 'number');
    assert.equal(editor.isDirty, true);
    await window.screen.documents.revertActive();
  });

  const denied = 'this one needs user_write. The service says: Not you.';
  for (const [what, fault, says, line] of [
    [
      'a refused value',
      { kind: 'error', status: 400, error: 'invalid_args', msg: 'Not like this.' },
      'The service refused the template: Not like this.',
      '"desc": "kept"',
    ],
    [
      'a key without the permission',
      { kind: 'error', status: 403, error: 'forbidden', msg: 'Not you.' },
      denied,
      '{',
    ],
    [
      'a broken service',
      { kind: 'error', status: 500, error: 'internal', msg: 'Broken.' },
      'Save again.',
      '{',
    ],
    ['no answer', { kind: 'dropBefore' }, 'Save again.', '{'],
    [
      'a revoked key',
      { kind: 'error', status: 401, error: 'auth_error', msg: 'Invalid user key' },
      'leaves this computer out. Use another key.',
      '{',
    ],
    [
      'a rate limit',
      { kind: 'rateLimit', threshold: 0.01, times: 0 },
      'The service refuses more requests for now. Wait a minute and try again.',
      '{',
    ],
  ] as const) {
    it(`shows in one message and at the place why it is not saved: ${what}`, async () => {
      computer().simulator.fail({ ...fault, method: 'PUT', path: route });
      await editor.save();
      await window.toast(/^Failed to save '[^']+': (?!Unable)/);
      await window.toast(says);
      await computer().rest();
      assert.equal(shown().length, 1);
      assert.equal(editor.isDirty, true);
      await editor.finding('error', says);
      assert.deepEqual(editor.linesOf('error'), [line]);
      computer().simulator.faults.clear();
      await computer().pass(1_000);
      await window.screen.documents.revertActive();
      await computer().until('the mark to go', () => editor.findings('error').length === 0);
    });
  }
});
