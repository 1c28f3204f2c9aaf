import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { templateOwner } from '../../src/model/templates/templateReference';
import { MissingSecretError } from '../../src/model/templates/templateWire';
import { SaveNotKnownError } from '../../src/store/templates/templateErrors';
import { UserError } from '../../src/util/errors';
import { changeText, useTemplateScene } from '../support/templateScene';
import type { TemplateWindow } from '../support/templateWindow';

const route = '/api/v0/template/';
const password = 'registry-password-1';

describe('template documents with secrets', () => {
  const scene = useTemplateScene();
  let window: TemplateWindow;
  let id: number;

  beforeEach(async () => {
    window = await scene().computer.openWindow();
    ({ id } = scene());
  });

  async function textOf(one: TemplateWindow): Promise<string> {
    return (await one.documents.open(id))?.text ?? '';
  }

  const sent = () =>
    scene()
      .simulator.received('PUT', route)
      .map(({ body }) => body as Record<string, unknown>);

  it('replace a registry password by a reference, and keep it through edits', async () => {
    const source = changeText(await textOf(window), {
      docker_login_repo: 'ghcr.io',
      docker_login_user: 'me',
      docker_login_pass: password,
    });
    await window.documents.save(id, source);
    assert.equal(sent().at(-1)?.['docker_login_pass'], password);
    await window.documents.reveal(id);
    const shown = window.documents.peek(id)?.text ?? '';
    assert.ok(!shown.includes(password));
    assert.ok(shown.includes(`\${secret:registry-${id}}`));
    await window.documents.save(id, changeText(shown, { desc: 'next' }));
    assert.deepEqual(Object.keys(sent().at(-1) ?? {}).sort(), ['desc', 'hash_id']);
  });

  it('send the value of a reference, and show the reference again in another window', async () => {
    await window.kept.add('account-1', 'hf-token', 'hf_value_123', templateOwner(id));
    const source = changeText(await textOf(window), { env: { HF_TOKEN: '${secret:hf-token}' } });
    await window.documents.save(id, source);
    assert.equal((await scene().record())['env'], '-e HF_TOKEN=hf_value_123');
    const other = await scene().computer.openWindow();
    assert.ok((await textOf(other)).includes('${secret:hf-token}'));
    assert.ok(!(await textOf(other)).includes('hf_value_123'));
  });

  it('send the value of a reference in flag text that no object can hold, also from a copy', async () => {
    await window.kept.add('account-1', 'hf-token', 'hf_value_123', templateOwner(id));
    const env = '-e HF_TOKEN=${secret:hf-token} -e A=1 -p 8080';
    const resolved = '-e HF_TOKEN=hf_value_123 -e A=1 -p 8080';
    await window.documents.save(id, changeText(await textOf(window), { env }));
    assert.equal((await scene().record())['env'], resolved);
    const other = await scene().computer.openWindow();
    const known = await other.documents.open(id);
    assert.equal(known?.fields['env'], env);
    await other.documents.save(id, changeText(known.text, { desc: 'next' }));
    const copy = await other.creation.addDraft({ ...known.fields, name: 'Copy' }, templateOwner(id));
    await other.creation.saveDraft(copy, (await other.creation.draft(copy))?.text ?? '');
    const [created] = scene().simulator.received('POST', route).slice(-1);
    assert.equal((created?.body as Record<string, unknown>)['env'], resolved);
    const pasted = await other.creation.addDraft({ ...known.fields, name: 'Pasted' });
    assert.ok(!(await other.creation.draft(pasted))?.text.includes('${secret:'));
  });

  it('hide a value while the environment can’t be read, after any other save', async () => {
    await window.kept.add('account-1', 'hf-token', 'hf_value_123', templateOwner(id));
    await window.documents.save(
      id,
      changeText(await textOf(window), { env: { HF_TOKEN: '${secret:hf-token}' } }),
    );
    await scene().editElsewhere({ env: '-e A="1 -e HF_TOKEN=hf_value_123' });
    const other = await scene().computer.openWindow();
    const save = async (changes: Record<string, unknown>) => {
      await other.documents.save(id, changeText(await textOf(other), changes));
      await other.documents.reveal(id);
    };
    await save({ desc: 'next' });
    await save({ desc: 'after it' });
    const third = await scene().computer.openWindow();
    for (const one of [other, third]) {
      assert.ok(!(await textOf(one)).includes('hf_value_123'));
      assert.ok((await textOf(one)).includes('${secret:hf-token}'));
    }
    await other.documents.save(id, changeText(await textOf(other), { env: { A: '1' } }));
    assert.deepEqual([...(await other.secrets.held('account-1', id))], []);
  });

  it('refuse to send a reference whose value is not on this computer', async () => {
    const source = changeText(await textOf(window), { env: { T: '${secret:elsewhere}' } });
    await assert.rejects(window.documents.save(id, source), MissingSecretError);
    assert.deepEqual(sent(), []);
  });

  it('show what to do if the secret store does not answer, and open once it does', async () => {
    await window.kept.add('account-1', 'hf-token', 'hf_value_123', templateOwner(id));
    const source = changeText(await textOf(window), { env: { HF_TOKEN: '${secret:hf-token}' } });
    await window.documents.save(id, source);
    const draft = await window.creation.addDraft({ name: 'new' });
    const { secretPort } = scene().computer;
    const get = secretPort.get.bind(secretPort);
    secretPort.get = () => Promise.reject(new Error('locked: hf_value_123'));
    const other = await scene().computer.openWindow();
    const refused = (error: unknown) => {
      assert.ok(error instanceof UserError);
      assert.match(error.message, /Unlock the key ring of this computer, then try again/);
      assert.doesNotMatch(inspect(error), /hf_value_123/);
      return true;
    };
    await assert.rejects(textOf(other), refused);
    await assert.rejects(other.creation.draft(draft), refused);
    const changed = changeText(source, { env: { HF_TOKEN: '${secret:hf-token}', MODE: 'train' } });
    await assert.rejects(window.documents.save(id, changed), refused);
    secretPort.get = get;
    assert.ok((await textOf(other)).includes('${secret:hf-token}'));
  });

  describe('whose save gets no answer', () => {
    const reference = (name: string) => ({ env: { HF_TOKEN: `\${secret:${name}}`, A: '1', B: '2' } });
    let source = '';

    beforeEach(async () => {
      await window.kept.add('account-1', 'old', 'hf_value_123', templateOwner(id));
      await window.kept.add('account-1', 'new', 'hf_value_456', templateOwner(id));
      source = changeText(await textOf(window), reference('old'));
      await window.documents.save(id, source);
      source = changeText(source, reference('new'));
    });

    async function isSavedUnseen(): Promise<void> {
      assert.match(String((await scene().record())['env']), /-e HF_TOKEN=hf_value_456/);
      assert.equal(sent().length, 2);
      assert.equal(window.documents.conflict(id), undefined);
      await window.documents.reveal(id);
      assert.ok((await textOf(window)).includes('${secret:new}'));
      const other = await scene().computer.openWindow();
      assert.ok(!(await textOf(other)).includes('hf_value_456'));
    }

    it('are saved if the template shows their new values, which only this save wrote', async () => {
      scene().simulator.fail({ kind: 'dropAfter', method: 'PUT', path: route });
      await window.documents.save(id, source);
      await isSavedUnseen();
    });

    it('are saved by the next save where the template could not be read back', async () => {
      const { simulator } = scene();
      simulator.fail({ kind: 'dropAfter', method: 'PUT', path: route });
      simulator.fail({ kind: 'html500', method: 'GET', path: route, skip: 1, times: 0 });
      await assert.rejects(window.documents.save(id, source), SaveNotKnownError);
      simulator.faults.clear();
      await window.documents.save(id, source);
      await isSavedUnseen();
    });
  });

  it('write no secret to the disk, and register each with the log', async () => {
    await window.kept.add('account-1', 'hf-token', 'hf_value_123', templateOwner(id));
    const source = changeText(await textOf(window), {
      env: { HF_TOKEN: '${secret:hf-token}' },
      docker_login_repo: 'ghcr.io',
      docker_login_user: 'me',
      docker_login_pass: password,
    });
    await window.documents.keepBase(id);
    await window.documents.save(id, source);
    await window.documents.reveal(id);
    const onDisk = scene().onDisk();
    assert.ok(onDisk.length > 0);
    for (const secret of [password, 'hf_value_123']) {
      assert.ok(!onDisk.includes(secret), secret);
      assert.ok(window.heard.includes(secret), secret);
    }
  });

  it('forget everything of an account that was signed out', async () => {
    await window.kept.add('account-1', 'hf-token', 'hf_value_123', templateOwner(id));
    await window.secrets.forgetAccount('account-1');
    assert.equal(scene().computer.secretPort.values.size, 0);
    assert.equal((await window.secrets.names('account-1', templateOwner(id))).size, 0);
  });
});
