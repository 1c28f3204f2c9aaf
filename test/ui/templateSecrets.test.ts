import assert from 'node:assert/strict';
import { DocumentEditor } from '../support/documentEditor';
import { signIn } from '../support/journey';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const route = '/api/v0/template/';
const values = {
  inService: 'hf_fromtheservice4711',
  password: 'registry-pass-4711',
};

describe('secrets in template documents', function () {
  this.bail(true);
  this.timeout(120_000);
  const session = useUiSession('template-secrets');
  let workbench: Workbench;
  let editor: DocumentEditor;
  let id: number;

  const sent = (method: string) =>
    session()
      .simulator.received(method, route)
      .map(({ body }) => body as Record<string, unknown>);

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
    await editor.openByRow(view, 'With Secrets', 'With Secrets.json', '"HF_TOKEN"');
    await editor.squiggle('warning').waitFor();
    await editor.quickFix('"HF_TOKEN"', 'Move to Secrets');
    await editor.line(`\${secret:HF_TOKEN-${id}}`).waitFor();
    await workbench.shot('01-moved');
    await editor.save();
    await editor.saved();
    assert.equal(sent('PUT').at(-1)?.['env'], `-e HF_TOKEN=${values.inService} -e MODE=train`);
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
