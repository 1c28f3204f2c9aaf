import assert from 'node:assert/strict';
import { DocumentDriver } from '../support/feature/documentDriver';
import { ServiceTemplates } from '../support/feature/templateRecords';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const values = {
  inService: 'hf_fromtheservice4711',
  changed: 'hf_changedvalue4711',
  entered: 'enteredvalue4711',
  account: 'accountvalue4711',
  replaced: 'replacedvalue4711',
  ofAnother: 'ofanothervalue4711',
  refused: 'refusedvalue4711',
};

describe('secrets in template documents', () => {
  const computer = useComputer();
  const service = new ServiceTemplates(computer);
  let window: FeatureWindow;
  let editor: DocumentDriver;
  let id: number;

  const route = '/api/v0/secrets/';
  const env = () => (JSON.parse(editor.text) as { env: Record<string, string> }).env;
  const sentEnv = () => String(service.sent('PUT').at(-1)?.['env']);
  const secretsSent = (method: string) =>
    computer()
      .simulator.received(method, route)
      .map(({ body }) => body);

  async function save(): Promise<void> {
    await editor.save();
    await editor.saved();
  }

  /** Nothing that was typed as a secret stands where a person or a program could read it. */
  function nothingIsShown(): void {
    const said = window.allMessages();
    assert.deepEqual(
      Object.values(values).filter((value) => said.includes(value)),
      [],
    );
    assert.deepEqual(computer().filesWith(Object.values(values)), []);
  }

  before(async () => {
    id = await service.make('With Secrets', { env: `-e HF_TOKEN=${values.inService} -e MODE=train` });
    window = await computer().openWindow();
    editor = new DocumentDriver(window);
    await window.signIn();
    window.clearToasts();
    await window.view('templates').click('With Secrets');
    await editor.shows('With Secrets.json', '"HF_TOKEN"');
    await editor.finding('warning');
    await editor.fix('"HF_TOKEN"', 'Move to Secrets');
    await computer().until('the reference', () => editor.text.includes(`\${secret:HF_TOKEN-${id}}`));
    await save();
  });

  it('get another value under another name', async () => {
    await editor.fix('"HF_TOKEN"', 'Change the Secret');
    await window.quick.title('Value of the Secret HF_TOKEN');
    await window.quick.pick('New Secret…');
    await window.quick.message(/secret store of this computer/);
    assert.equal((window.quick.open as { readonly password?: boolean }).password, true);
    await window.quick.type(values.changed);
    await computer().until('the reference', () => editor.text.includes(`\${secret:HF_TOKEN-${id}-2}`));
    await save();
    assert.equal(sentEnv(), `-e HF_TOKEN=${values.changed} -e MODE=train`);
    nothingIsShown();
  });

  it('are given to another template by name, after a question that names it', async () => {
    const other = await service.make('Taker', { env: '-e TOKEN=abcdefgh' });
    await editor.closeAll();
    window.run('Refresh');
    await window.view('templates').click('Taker');
    await editor.shows('Taker.json', '"TOKEN"');
    await editor.type({ env: { TOKEN: `\${secret:HF_TOKEN-${id}-2}` } });
    await editor.finding('info');
    await editor.fix('"TOKEN"', 'Enter the Value');
    await window.quick.title(`Value of the Secret HF_TOKEN-${id}-2`);
    assert.match(window.quick.open.placeholder ?? '', /^Taker\.json gets a reference, and its instances/);
    assert.match(window.quick.activeRow() ?? '', /New Secret…/);
    await window.quick.pick(new RegExp(`^HF_TOKEN-${id}-2 template #${id}`));
    await computer().until('the mark to go', () => editor.findings('info').length === 0);
    await save();
    assert.equal(sentEnv(), `-e TOKEN=${values.changed}`);
    await window.view('account').expand('Secrets');
    await window.view('account').row(`template #${id}, template #${other}`);
    await editor.closeAll();
    await window.view('templates').click('With Secrets');
    await editor.shows('With Secrets.json', '"HF_TOKEN"');
    nothingIsShown();
  });

  it('are asked for where their value is not on this computer', async () => {
    await editor.type({ env: { ...env(), DB: '${secret:elsewhere}' } });
    await editor.finding('info');
    const before = service.sent('PUT').length;
    await editor.save();
    await window.toast(/secret "elsewhere" has no value for this template/);
    await editor.finding('error');
    assert.deepEqual([service.sent('PUT').length, editor.isDirty], [before, true]);
    window.clearToasts();
    await editor.fix('"DB"', 'Enter the Value');
    await window.quick.title('Value of the Secret elsewhere');
    await window.quick.pick('New Secret…');
    await window.quick.type(values.entered);
    await computer().until('the mark to go', () => editor.findings('info').length === 0);
    await save();
    assert.match(sentEnv(), new RegExp(`-e DB=${values.entered}$`));
    nothingIsShown();
  });

  it('become variables of the account, which are listed, and leave the document', async () => {
    await window.view('account').expand('Secrets');
    await window.view('account').row(/^HF_TOKEN-\d+ template #.*on this computer$/);
    await editor.type({ env: { ...env(), WANDB_API_KEY: values.account } });
    await editor.finding('warning');
    await editor.fix('"WANDB_API_KEY"', 'Make It an Account Secret');
    await window.dialogButton('Make It an Account Secret');
    await computer().until('it to leave the text', () => !editor.text.includes('WANDB_API_KEY'));
    assert.deepEqual(secretsSent('POST'), [{ key: 'WANDB_API_KEY', value: values.account }]);
    await window.view('account').row(/^WANDB_API_KEY/);
    nothingIsShown();
  });

  it('replace a variable of the account only after a question', async () => {
    await editor.type({ env: { ...env(), WANDB_API_KEY: values.replaced } });
    await editor.finding('warning');
    await editor.fix('"WANDB_API_KEY"', 'Make It an Account Secret');
    await window.dialogButton('Make It an Account Secret');
    await window.dialog('Replace the value of WANDB_API_KEY?');
    assert.deepEqual(secretsSent('PUT'), []);
    await window.dialogButton('Replace');
    await computer().until('it to leave the text', () => !editor.text.includes('WANDB_API_KEY'));
    assert.deepEqual(secretsSent('PUT'), [{ key: 'WANDB_API_KEY', value: values.replaced }]);
    nothingIsShown();
  });

  it('are added to a template from the list of the account’s variables', async () => {
    const account = window.view('account');
    await save();
    await editor.closeAll();
    await account.expand('Secrets');
    await account.menu(/^WANDB_API_KEY •/, 'Use in a Template');
    await window.quick.title('Use in a Template: WANDB_API_KEY');
    await window.quick.pick('With Secrets');
    await editor.shows('With Secrets.json', `\${secret:WANDB_API_KEY-${id}}`);
    // One that is in front is taken without asking which, but nothing in it is replaced unasked.
    await account.menu(/^WANDB_API_KEY •/, 'Use in a Template');
    await window.dialog('Replace WANDB_API_KEY in this template?');
    await window.dialogButton('Cancel');
    await save();
    assert.ok(sentEnv().includes(`-e WANDB_API_KEY=${values.replaced}`));
    nothingIsShown();
  });

  it('go with a copy that is saved under another name, and those of another template do not', async () => {
    const { systems } = window.screen.documents.files;
    /** As the editor does it: an empty file, a look at it, and then the text. */
    const saveAs = async (name: string, text: string) => {
      const uri = editor.document.uri.with({ path: `/${id}/${name}.json` });
      const files = systems.get(uri.scheme);
      const how = { create: true, overwrite: true };
      await files?.writeFile(uri, new Uint8Array(), how);
      await files?.stat(uri);
      await files?.writeFile(uri, new TextEncoder().encode(text), how);
    };
    const other = await service.make('Another', { env: `-e API_TOKEN=${values.ofAnother}` });
    await editor.closeAll();
    await window.view('templates').click('Another');
    await editor.shows('Another.json', '"API_TOKEN"');
    await editor.fix('"API_TOKEN"', 'Move to Secrets');
    await computer().until('the reference', () => editor.text.includes(`\${secret:API_TOKEN-${other}}`));
    await save();
    await editor.closeAll();

    await window.view('templates').click('With Secrets');
    await editor.shows('With Secrets.json', '"HF_TOKEN"');
    const fields = JSON.parse(editor.text) as { readonly env: object };
    const withForeign = { ...fields, env: { ...fields.env, API_TOKEN: `\${secret:API_TOKEN-${other}}` } };
    const before = service.sent('POST').length;
    await assert.rejects(saveAs('Refused', JSON.stringify(withForeign)), new RegExp(`API_TOKEN-${other}`));
    assert.equal(service.sent('POST').length, before);
    const saved = saveAs('Copy', editor.text);
    await computer().until('the copy', () => service.sent('POST').length > before);
    await saved;
    assert.match(String(service.sent('POST').at(-1)?.['env']), new RegExp(`-e HF_TOKEN=${values.changed}`));
    nothingIsShown();
    window.clearToasts();
  });

  it('report that nothing was changed if the editor refuses the edit, and keep no value', async () => {
    const { documents } = window.screen;
    const apply = documents.apply.bind(documents);
    await editor.type({ env: { ...env(), REFUSED_TOKEN: values.refused } });
    await editor.finding('warning');
    documents.apply = () => Promise.resolve(false);
    await editor.fix('"REFUSED_TOKEN"', 'Move to Secrets');
    await window.toast(/The editor refused to change With Secrets\.json/);
    const held = [...(await computer().secretStorage().keys())];
    assert.deepEqual(
      held.filter((key) => key.includes('REFUSED_TOKEN')),
      [],
    );
    window.clearToasts();
    await editor.fix('"REFUSED_TOKEN"', 'Make It an Account Secret');
    await window.dialogButton('Make It an Account Secret');
    await window.toast(/The editor refused to change With Secrets\.json/);
    await window.view('account').row(/^REFUSED_TOKEN/);
    documents.apply = apply;
    window.clearToasts();
  });
});

describe('what belongs to one account, while another becomes active', () => {
  const value = 'typedvalue4711';
  const variable = 'accountvalue4712';
  const computer = useComputer({ secrets: [value, variable] });
  const service = new ServiceTemplates(computer);
  let window: FeatureWindow;
  let other: FeatureWindow;
  let editor: DocumentDriver;
  let otherKey = '';
  const isMissing = /not on this computer/;

  before(async () => {
    const { simulator } = computer();
    const { json } = await simulator.call('POST', '/__sim/accounts/', { credit: 10 });
    otherKey = (json as { readonly key: string }).key;
    await simulator.call('POST', '/api/v0/secrets/', { key: 'OF_FIRST', value: variable });
    await service.make('Of the First');
    window = await computer().openWindow();
    editor = new DocumentDriver(window);
    await window.signIn();
    await window.view('templates').row('Of the First');
    other = await computer().openWindow({ isFocused: false });
    await other.view('templates').row('Of the First');
    for (const one of [window, other]) {
      one.clearToasts();
    }
  });

  it('is the value of a secret that is typed for a draft', async () => {
    window.run('Create Template…');
    await window.quick.title('Create Template');
    await window.quick.pick('From Scratch');
    await editor.lens('Create at the Service');
    await editor.type({ name: 'Drafted', image: 'a/b:1', env: { DB: '${secret:mine}' } });
    await editor.finding('info', isMissing);
    await editor.fix('"DB"', 'Enter the Value');
    await window.quick.title('Value of the Secret mine');
    await window.quick.pick('New Secret…');
    await other.signIn(otherKey);
    await window.quick.type(value);
    await computer().rest();
    await other.signIn();
    await computer().until(
      'the mark to go',
      () => !editor.findings('info').some((one) => isMissing.test(one)),
    );
    const before = service.sent('POST').length;
    await editor.save();
    await computer().until('the template', () => service.sent('POST').length > before);
    assert.match(String(service.sent('POST').at(-1)?.['env']), new RegExp(`-e DB=${value}$`));
    await editor.shows('Drafted.json', '"name": "Drafted"');
    await editor.closeAll();
    for (const one of [window, other]) {
      one.clearToasts();
    }
  });

  it('is a variable that is used in a template', async () => {
    const account = window.view('account');
    await account.expand('Secrets');
    await account.menu('OF_FIRST', 'Use in a Template');
    await window.quick.title('Use in a Template: OF_FIRST');
    await other.signIn(otherKey);
    await window.quick.pick('Of the First');
    await window.toast(/Nothing was done because the account was switched/);
    assert.deepEqual(window.screen.documents.all, []);
  });
});
