import assert from 'node:assert/strict';
import { DocumentEditor } from '../support/documentEditor';
import { signIn } from '../support/journey';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const route = '/api/v0/template/';
const values = {
  inService: 'hf_fromtheservice4711',
  changed: 'hf_changedvalue4711',
  entered: 'enteredvalue4711',
  account: 'accountvalue4711',
  replaced: 'replacedvalue4711',
  password: 'registry-pass-4711',
};

describe('secrets in template documents', function () {
  this.bail(true);
  this.timeout(120_000);
  const session = useUiSession('template-secrets', { patches: ['toasts', 'sharedSecrets', 'authority'] });
  let workbench: Workbench;
  let editor: DocumentEditor;
  let id: number;

  const sent = (method: string, path = route) =>
    session()
      .simulator.received(method, path)
      .map(({ body }) => body as Record<string, unknown>);

  async function env(): Promise<Record<string, string>> {
    return (JSON.parse(await editor.text()) as { env: Record<string, string> }).env;
  }

  async function type(changes: Record<string, unknown>): Promise<void> {
    const fields = JSON.parse(await editor.text()) as Record<string, unknown>;
    await editor.replaceAll(JSON.stringify({ ...fields, ...changes }, null, 2));
  }

  it('are marked as soon as the document is open, and move to the secret store', async () => {
    const { json } = await session().simulator.call('POST', route, {
      name: 'With Secrets',
      image: 'pytorch/pytorch',
      tag: '2.5',
      env: `-e HF_TOKEN=${values.inService} -e MODE=train`,
      runtype: 'args',
      private: true,
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
    });
    id = (json as { template: { id: number } }).template.id;
    workbench = await session().window();
    editor = new DocumentEditor(workbench);
    await signIn(session(), workbench);
    const view = workbench.view('Templates');
    await view.open();
    await view.row('With Secrets').click();
    await editor.waitFor('With Secrets.json', '"HF_TOKEN"');
    await editor.squiggle('warning').waitFor();
    await editor.quickFix('"HF_TOKEN"', 'Move to Secrets');
    await editor.line(`\${secret:HF_TOKEN-${id}}`).waitFor();
    await workbench.shot('01-moved');
    await editor.save();
    await editor.saved();
    assert.equal(sent('PUT').at(-1)?.['env'], `-e HF_TOKEN=${values.inService} -e MODE=train`);
  });

  it('get another value under another name', async () => {
    await editor.quickFix('"HF_TOKEN"', 'Change the Secret');
    await workbench.quick.waitForTitle('Value of the Secret HF_TOKEN');
    await workbench.shot('02-change');
    assert.equal(await workbench.quick.input.getAttribute('type'), 'password');
    await workbench.quick.type(values.changed);
    await editor.line(`\${secret:HF_TOKEN-${id}-2}`).waitFor();
    await editor.save();
    await editor.saved();
    assert.equal(sent('PUT').at(-1)?.['env'], `-e HF_TOKEN=${values.changed} -e MODE=train`);
  });

  it('are asked for where their value is not on this computer', async () => {
    await type({ env: { ...(await env()), DB: '${secret:elsewhere}' } });
    await editor.squiggle('info').waitFor();
    const before = sent('PUT').length;
    await editor.save();
    await workbench.toast(/secret "elsewhere" has no value for this template/);
    await editor.squiggle('error').waitFor();
    await workbench.shot('03-not-here');
    assert.deepEqual([sent('PUT').length, await editor.isDirty()], [before, true]);
    await workbench.clearNotifications();
    await editor.quickFix('"DB"', 'Enter the Value');
    await workbench.quick.waitForTitle('Value of the Secret elsewhere');
    await workbench.quick.type(values.entered);
    await editor.squiggle('info').waitFor({ state: 'detached' });
    await editor.focus();
    await editor.save();
    await editor.saved();
    assert.match(String(sent('PUT').at(-1)?.['env']), new RegExp(`-e DB=${values.entered}$`));
  });

  it('become variables of the account, and leave the document', async () => {
    await type({ env: { ...(await env()), WANDB_API_KEY: values.account } });
    await editor.squiggle('warning').waitFor();
    await editor.quickFix('"WANDB_API_KEY"', 'Make It an Account Secret');
    await workbench.dialog.waitFor();
    await workbench.shot('04-account');
    await workbench.dialogButton('Make It an Account Secret');
    await editor.line('"WANDB_API_KEY"').waitFor({ state: 'detached' });
    assert.deepEqual(sent('POST', '/api/v0/secrets/'), [{ key: 'WANDB_API_KEY', value: values.account }]);
  });

  it('replace a variable of the account only after a question', async () => {
    await type({ env: { ...(await env()), WANDB_API_KEY: values.replaced } });
    await editor.squiggle('warning').waitFor();
    await editor.quickFix('"WANDB_API_KEY"', 'Make It an Account Secret');
    await workbench.dialogButton('Make It an Account Secret');
    await until('the second question', async () => {
      const texts = await workbench.dialog.allInnerTexts();
      return texts.some((text) => text.includes('has a variable WANDB_API_KEY already'));
    });
    assert.deepEqual(sent('PUT', '/api/v0/secrets/'), []);
    await workbench.shot('05-taken');
    await workbench.dialogButton('Replace Its Value');
    await editor.line('"WANDB_API_KEY"').waitFor({ state: 'detached' });
    assert.deepEqual(sent('PUT', '/api/v0/secrets/'), [{ key: 'WANDB_API_KEY', value: values.replaced }]);
  });

  it('come into a template from where the variables of the account are listed', async () => {
    const account = workbench.view('Account');
    const item = 'Use in a Template';
    await editor.focus();
    await editor.save();
    await editor.saved();
    await workbench.quick.run('View: Close All Editors');
    // Room for all rows.
    for (const other of ['Templates', 'Instances']) await workbench.view(other).header.click();
    await account.open();
    await account.expand(account.row('Environment Variables'));
    await account.contextMenu(account.row('WANDB_API_KEY'), item);
    await workbench.quick.waitForTitle('Use WANDB_API_KEY in a Template');
    await workbench.shot('06-which-template');
    await workbench.quick.pick('With Secrets');
    await editor.waitFor('With Secrets.json', `\${secret:WANDB_API_KEY-${id}}`);
    await workbench.shot('07-used');
    // One that is in front is taken without asking which, but nothing in it is replaced unasked.
    await account.contextMenu(account.row('WANDB_API_KEY'), item);
    await workbench.dialog.filter({ hasText: 'Replace WANDB_API_KEY in this template?' }).waitFor();
    await workbench.dialogButton('Cancel');
    await editor.focus();
    await editor.save();
    await editor.saved();
    assert.ok(String(sent('PUT').at(-1)?.['env']).includes(`-e WANDB_API_KEY=${values.replaced}`));
    assert.ok(!(await editor.text()).includes(values.replaced));
    await account.header.click();
  });

  it('stay out of what the editor keeps of an unsaved document', async () => {
    await type({ docker_login_repo: 'ghcr.io', docker_login_user: 'me', docker_login_pass: values.password });
    await editor.squiggle('warning').waitFor();
    await editor.quickFix('"docker_login_pass"', 'Move to Secrets');
    await editor.line(`\${secret:registry-${id}}`).waitFor();
    await until('the editor to keep the document', () =>
      session().backups().includes(`\${secret:registry-${id}}`),
    );
    assert.equal(await editor.isDirty(), true);
    assert.deepEqual(session().filesWithSecrets(Object.values(values)), []);
  });

  it('are still behind their references in the window that opens next', async () => {
    await workbench.page.reload();
    await workbench.ready();
    await editor.line(`\${secret:registry-${id}}`).waitFor({ timeout: 60_000 });
    await until('the document to be unsaved', () => editor.isDirty());
    await workbench.shot('06-restored');
    await editor.focus();
    await until('the password to be sent', async () => {
      await editor.save();
      return sent('PUT').at(-1)?.['docker_login_pass'] === values.password;
    });
    await editor.saved();
    assert.ok(!(await editor.text()).includes(values.password));
  });

  it('are in no log, no setting and no other file of the editor', () => {
    const secrets = [...Object.values(values), session().simulator.apiKey];
    assert.deepEqual(session().filesWithSecrets(secrets), []);
    const log = session().log();
    assert.ok(log.length > 0);
    assert.ok(secrets.every((secret) => !log.includes(secret)));
  });
});
