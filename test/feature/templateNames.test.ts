import assert from 'node:assert/strict';
import { DocumentDriver } from '../support/feature/documentDriver';
import { ServiceTemplates } from '../support/feature/templateRecords';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

type Step = 'rename' | 'rename back' | 'close' | 'let go' | 'open' | 'open beside';

/** What happened to the document before it is edited; an old one stays in memory after `close` and goes with `let go`. */
const histories: readonly (readonly Step[])[] = [
  [],
  ['rename'],
  ['rename', 'close', 'open'],
  ['rename', 'close', 'let go', 'open'],
  ['rename', 'close', 'open', 'rename back', 'close', 'open'],
  ['rename', 'close', 'open', 'rename', 'close', 'open'],
  ['rename', 'open beside'],
];

describe('the document of a template under each of its names', () => {
  const computer = useComputer();
  const service = new ServiceTemplates(computer);
  let window: FeatureWindow;
  let editor: DocumentDriver;
  let id: number;
  let name = '';
  let first = '';
  let made = 0;

  const desc = async () => (await service.record(id))['desc'];
  const documents = () => window.screen.documents;
  const own = () => documents().all.filter(({ uri }) => uri.path.startsWith(`/${id}/`));
  const tabs = () => documents().tabGroups.all.flatMap((group) => group.tabs.map(({ label }) => label));
  const isReported = (words: RegExp) => window.toasts().some((one) => words.test(one));

  async function rename(to: string): Promise<void> {
    await editor.type({ name: to });
    await editor.save();
    await editor.saved();
    name = to;
    await window.view('templates').row(to);
  }

  const steps: Record<Step, () => Promise<unknown>> = {
    rename: () => rename(`${name}, renamed`),
    'rename back': () => rename(first),
    close: async () => {
      documents().closeTabs(editor.document.uri);
      await computer().rest();
    },
    'let go': async () => {
      for (const document of own()) {
        documents().close(document);
      }
      await computer().rest();
    },
    open: async () => {
      await window.view('templates').click(name);
      await computer().until('the document', () => documents().active !== undefined);
      await computer().rest();
    },
    'open beside': async () => {
      const { uri } = editor.document;
      await documents().show(uri.with({ path: `/${id}/${name}.json` }));
      await computer().rest();
    },
  };

  /** Edits here and elsewhere in the same place. */
  async function dispute(): Promise<void> {
    await editor.type({ desc: 'mine' });
    await service.editElsewhere(id, { desc: 'theirs', tag: 'theirs' });
  }

  async function ask(answer: string): Promise<void> {
    await editor.save();
    await window.dialog(/Which version do you want to keep/);
    await window.dialogButton(answer);
    await computer().rest();
  }

  /** Finds the conflict without a question, and presses a lens. */
  async function press(lens: string): Promise<void> {
    void documents().saveByItself(editor.document);
    await window.toast(/Failed to save.*changed elsewhere/);
    window.clearToasts();
    await editor.press(lens);
  }

  async function savesMerged(): Promise<void> {
    assert.ok(isReported(/Your version was kept in: desc\. Check the text and save/), window.toasts().join());
    window.clearToasts();
    assert.match(editor.text, /"desc": "mine"/);
    assert.match(editor.text, /"tag": "theirs"/);
    await editor.save();
    await editor.saved();
    assert.equal(await desc(), 'mine');
  }

  async function namedAtSignOut(): Promise<string> {
    window.run('Sign Out…');
    const { detail = '' } = await window.dialog(/This removes the key/);
    await window.dialogButton('Cancel');
    return detail;
  }

  const shows = (words: string) =>
    computer().until(words, () => editor.text.includes(`"desc": "${words}"`) && !editor.isDirty);

  const acts: Record<string, () => Promise<unknown>> = {
    'is the one that Use Mine saves': async () => {
      await ask('Use Mine');
      await editor.saved();
      assert.equal(await desc(), 'mine');
    },
    'is the one that Use Theirs changes': async () => {
      await ask('Use Theirs');
      await shows('theirs');
    },
    'is the one that Use Mine above it saves': async () => {
      await press('Use Mine');
      await editor.saved();
      assert.equal(await desc(), 'mine');
    },
    'is the one that Use Theirs above it changes': async () => {
      await press('Use Theirs');
      await shows('theirs');
    },
    'is the one that Merge above it changes': async () => {
      await press('Merge');
      await savesMerged();
    },
    'is the one that is compared': async () => {
      const { document } = editor;
      await press('Changed elsewhere too: compare');
      assert.equal(editor.document, document);
      await ask('Use Mine');
      await editor.saved();
    },
    'keeps its edit while an old one is read again and let go': async () => {
      const { document } = editor;
      window.run('Refresh');
      await computer().rest();
      for (const other of own()) {
        if (other !== document) {
          documents().close(other);
        }
      }
      await computer().rest();
      await ask('Use Theirs');
      await shows('theirs');
    },
    'is the one that its row opens': async () => {
      const { document } = editor;
      await steps.open();
      assert.equal(editor.document, document);
      await ask('Use Mine');
      await editor.saved();
    },
    'is the one that is saved first for a copy': async () => {
      window.start('gpuRental.template.duplicate', { templateId: id });
      await window.dialogButton('Save and Continue');
      await window.dialogButton('Use Mine', /Which version do you want to keep/);
      await computer().until('the copy', () => editor.text.includes(`"name": "Copy of ${name}"`));
      assert.equal(await desc(), 'mine');
      documents().close(editor.document);
    },
    'is named once before a sign-out': async () => {
      const detail = await namedAtSignOut();
      assert.equal(detail.split(first).length, 2, detail);
      await ask('Use Mine');
      await editor.saved();
    },
  };

  before(async () => {
    window = await computer().openWindow();
    editor = new DocumentDriver(window);
    await window.signIn();
  });
  afterEach(() => editor.closeAll());

  for (const [title, act] of Object.entries(acts)) {
    for (const history of histories) {
      it(`${title}: ${['opened', ...history].join(', ')}`, async () => {
        made += 1;
        first = `Trainer ${made}`;
        name = first;
        id = await service.make(name);
        window.clearToasts();
        window.run('Refresh');
        await steps.open();
        for (const step of history) {
          await steps[step]();
        }
        const before = tabs();
        await dispute();
        await act();
        await computer().rest();
        assert.deepEqual(
          own().filter(({ isDirty }) => isDirty),
          [],
          'nothing is left unsaved',
        );
        assert.ok(
          tabs().every((one) => before.includes(one)),
          tabs().join(),
        );
        assert.equal(new Set(own().map((one) => one.getText())).size, 1, 'all show the same');
        assert.ok(!isReported(/: \.|\.\./), window.toasts().join());
      });
    }
  }

  it('is no draft that a sign-out names once the draft was saved, or its tab closed', async () => {
    for (const isSaved of [true, false]) {
      window.run('Create Template…');
      await window.quick.pick('From an Image…');
      await window.quick.type('pytorch/pytorch:2.5');
      await computer().until('the draft', () => documents().active !== undefined);
      assert.match(await namedAtSignOut(), /Save these templates first to keep them: [^.,]+\. /);
      if (isSaved) {
        await editor.save();
        await computer().until('the template', () => editor.document.uri.path.startsWith('/2'));
      } else {
        await steps.close();
      }
      assert.doesNotMatch(await namedAtSignOut(), /Save these templates/);
      window.clearToasts();
    }
  });
});
