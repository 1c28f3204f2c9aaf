import assert from 'node:assert/strict';
import { changeText, useTemplateScene } from '../support/templateScene';

const route = '/api/v0/template/';
const password = 'registry-password-4711';
const token = 'hf_tokenvalue4711';

describe('secrets of templates', () => {
  const scene = useTemplateScene({ name: 'Mine', image: 'a/b:1', env: '-e A=1', private: true });
  const login = { docker_login_repo: 'ghcr.io', docker_login_user: 'me', docker_login_pass: password };
  const posts = () =>
    scene()
      .simulator.received('POST', route)
      .map(({ body }) => body as Record<string, unknown>);

  function assertNothingOnDisk(...secrets: string[]): void {
    const written = scene().onDisk();
    assert.ok(written.length > 0);
    for (const secret of secrets) {
      assert.ok(!written.includes(secret), `${secret} is on the disk`);
    }
  }

  it('stay off the disk when a document is edited again right after it was saved', async () => {
    const { computer, id } = scene();
    const window = await computer.openWindow();
    const opened = (await window.documents.open(id))?.text ?? '';
    await window.documents.save(id, changeText(opened, { ...login, env: { HF_TOKEN: '${secret:t}' } })).then(
      () => assert.fail('the value is not known yet'),
      () => undefined,
    );
    await window.secrets.keep('account-1', 't', token);
    await window.documents.save(id, changeText(opened, { ...login, env: { HF_TOKEN: '${secret:t}' } }));
    // The editor has not asked for the new time yet, and the user types on.
    await window.documents.keepBase(id);
    assertNothingOnDisk(password, token);
  });

  it('come from a file as references, so that a draft on the disk holds none', async () => {
    const { computer, id } = scene();
    const window = await computer.openWindow();
    const draft = await window.creation.addDraft({ name: 'From a file', image: 'a/b:1', ...login });
    const { text = '' } = (await window.creation.draft(draft)) ?? {};
    assert.match(text, /"docker_login_pass": "\$\{secret:registry-/);
    assertNothingOnDisk(password);
    const created = await window.creation.saveDraft(draft, text);
    assert.notEqual(created, id);
    assert.equal(posts().at(-1)?.['docker_login_pass'], password);
  });

  it('are kept when a draft is saved with a password in clear, and a copy of it can be saved', async () => {
    const { computer } = scene();
    const window = await computer.openWindow();
    const draft = await window.creation.addDraft({ name: 'Fresh', image: 'a/b:1' });
    const { text = '' } = (await window.creation.draft(draft)) ?? {};
    const created = await window.creation.saveDraft(draft, changeText(text, login));
    assert.equal(posts().at(-1)?.['docker_login_pass'], password);
    const known = await window.documents.open(created);
    assert.ok(known !== undefined && !known.text.includes(password));
    const copy = await window.creation.addDraft({ ...known.fields, name: 'Copy' });
    await window.creation.saveDraft(copy, (await window.creation.draft(copy))?.text ?? '');
    assert.equal(posts().at(-1)?.['name'], 'Copy');
    assert.equal(posts().at(-1)?.['docker_login_pass'], password);
    assertNothingOnDisk(password);
  });
});
