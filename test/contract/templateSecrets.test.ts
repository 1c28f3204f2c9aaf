import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { DocumentError } from '../../src/model/templates/templateDocument';
import { fileOwner, templateOwner, type SecretOwner } from '../../src/model/templates/templateReference';
import { MissingSecretError } from '../../src/model/templates/templateWire';
import { PublicSecretError } from '../../src/store/templates/templateErrors';
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
    await window.kept.add('account-1', 't', token, templateOwner(id));
    await window.documents.save(id, changeText(opened, { ...login, env: { HF_TOKEN: '${secret:t}' } }));
    // The editor has not asked for the new time yet, and the user types on.
    await window.documents.keepBase(id);
    assertNothingOnDisk(password, token);
  });

  it('are read from a file as references, so that a draft on the disk holds none', async () => {
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
    const copy = await window.creation.addDraft({ ...known.fields, name: 'Copy' }, templateOwner(created));
    await window.creation.saveDraft(copy, (await window.creation.draft(copy))?.text ?? '');
    assert.equal(posts().at(-1)?.['name'], 'Copy');
    assert.equal(posts().at(-1)?.['docker_login_pass'], password);
    assertNothingOnDisk(password);
  });

  it('of an instance are in no draft on the disk, and go with the draft', async () => {
    const { computer } = scene();
    const window = await computer.openWindow();
    const fields = { name: 'From it', image: 'a/b:1', env: { T: token }, onstart: `login ${password}` };
    const draft = await window.creation.addDraft(fields);
    assertNothingOnDisk(token, password);
    const other = await computer.openWindow();
    assert.match((await other.creation.draft(draft))?.text ?? '', new RegExp(token));
    await window.creation.dropDraft(draft);
    assert.equal(computer.secretPort.values.size, 0);
    const next = await window.creation.addDraft(fields);
    await window.secrets.forgetAccount('account-1');
    assert.equal(await window.creation.draft(next), undefined);
    assert.equal(computer.secretPort.values.size, 0);
  });

  it('of an instance that look like some are references in its draft, and reach the template', async () => {
    const { computer } = scene();
    const window = await computer.openWindow();
    for (const env of [
      { HF_TOKEN: token, MODE: 'train' },
      `-e HF_TOKEN=${token} -e MODE=train -e MODE=test`,
    ]) {
      const fields = { name: 'From it', image: 'a/b:1', env };
      const draft = await window.creation.addDraft(fields, undefined, { hidesVariables: true });
      const { text = '' } = (await window.creation.draft(draft)) ?? {};
      assert.match(text, /\$\{secret:HF_TOKEN-/);
      assert.match(text, /train/);
      // The editor backs up what is changed and not saved in clear.
      assert.doesNotMatch(text, new RegExp(token));
      await window.creation.saveDraft(draft, text);
      assert.match(String(posts().at(-1)?.['env']), new RegExp(`^-e HF_TOKEN=${token} -e MODE=train`));
    }
    const left = await window.creation.addDraft({ name: 'Left', image: 'a/b:1', env: { HF_TOKEN: token } });
    assert.match((await window.creation.draft(left))?.text ?? '', new RegExp(token));
  });

  it('go with the last template that has them, but stay for one that is being edited', async () => {
    const { computer } = scene();
    const window = await computer.openWindow();
    const account = window.documents.account();
    const make = async (name: string, from?: SecretOwner) => {
      const given = { name, image: 'a/b:1', ...login, docker_login_pass: from ? '${secret:p}' : '' };
      const draft = await window.creation.addDraft(given, from);
      const id = await window.creation.saveDraft(draft, (await window.creation.draft(draft))?.text ?? '');
      await window.documents.open(id);
      return id;
    };
    await window.kept.add('account-1', 'kept', token, fileOwner('file:///a'));
    const draft = await window.creation.addDraft({ name: 'Dropped', image: 'a/b:1', ...login });
    await window.creation.dropDraft(draft);
    const values = async () => (await window.kept.all('account-1')).map(({ value }) => value);
    assert.deepEqual(await values(), [token]);
    const first = await make('First');
    await window.kept.add('account-1', 'p', password, templateOwner(first));
    const second = await make('Second', templateOwner(first));
    await window.creation.remove(account, first);
    assert.deepEqual(await values(), [token, password]);
    window.dirty.add(second);
    await window.creation.remove(account, second);
    assert.deepEqual(await values(), [token, password]);
    window.dirty.clear();
    const third = await make('Third', templateOwner(second));
    await window.secrets.release('account-1', templateOwner(second));
    await window.creation.remove(account, third);
    assert.deepEqual(await values(), [token]);
  });

  /** What a stranger may write into a template or a file that the user takes over. */
  const strangers = fc.record({
    password: fc.constantFrom('', '${secret:mine}', '${secret:registry-file}'),
    variables: fc.dictionary(
      fc.constantFrom('A', 'TOKEN', 'HF_TOKEN'),
      fc.constantFrom('1', '${secret:mine}', '${secret:other}'),
    ),
    isText: fc.boolean(),
    isPrivate: fc.constantFrom(undefined, true, false),
  });

  it('are sent with no document of a stranger, for any names it guesses', async () => {
    const { computer, id } = scene();
    const window = await computer.openWindow();
    await window.kept.add('account-1', 'mine', token, templateOwner(id));
    await window.kept.add('account-1', 'other', password, fileOwner('file:///own.json'));
    await fc.assert(
      fc.asyncProperty(strangers, async ({ password: pass, variables, isText, isPrivate }) => {
        const flags = Object.entries(variables).map(([name, value]) => `-e ${name}='${value}'`);
        const fields = {
          ...{ name: 'Theirs', image: 'a/b:1', docker_login_pass: pass },
          env: isText ? flags.join(' ') : variables,
          ...(isPrivate === undefined ? {} : { private: isPrivate }),
        };
        const from = fileOwner('file:///theirs.json');
        const draft = await window.creation.addDraft(fields, from);
        const { text = '' } = (await window.creation.draft(draft)) ?? {};
        assert.doesNotMatch(text, /\$\{secret:/);
        await window.creation.saveDraft(draft, text);
        // The same, pasted into a draft of one's own.
        const pasted = await window.creation.addDraft({ name: 'Pasted', image: 'a/b:1' });
        await window.creation.saveDraft(pasted, JSON.stringify({ ...fields, name: 'Pasted' })).then(
          () => assert.doesNotMatch(JSON.stringify(fields), /\$\{secret:(mine|other)/),
          (error: unknown) =>
            assert.ok(error instanceof MissingSecretError || error instanceof PublicSecretError),
        );
      }),
      { numRuns: 25 },
    );
    const sent = JSON.stringify(posts());
    assert.ok(!sent.includes(token) && !sent.includes(password));
  });

  it('are not sent by what another user wrote into a template of the account', async () => {
    const current = scene();
    const { computer, id } = current;
    const window = await computer.openWindow();
    await window.kept.add('account-1', 'other', token, fileOwner('file:///own.json'));
    await current.editElsewhere({ env: "-e A='${secret:other}'" });
    const opened = (await window.documents.open(id))?.text ?? '';
    const edited = changeText(opened, { env: { A: '${secret:other}', B: '2' } });
    await assert.rejects(window.documents.save(id, edited), MissingSecretError);
    // Nor does saving something else make the name this template's own.
    await window.documents.save(id, changeText(opened, { desc: 'more' }));
    await assert.rejects(window.documents.save(id, edited), MissingSecretError);
  });

  it('are passed on by no document that they were not stored for', async () => {
    const { computer, id } = scene();
    const window = await computer.openWindow();
    await window.kept.add('account-1', 'other', token, fileOwner('file:///own.json'));
    const fields = { name: 'Copy', image: 'a/b:1', env: { T: '${secret:other}' } };
    const draft = await window.creation.addDraft({ name: 'Copy', image: 'a/b:1' });
    // As *Save As* does it with a template whose text names the secret of another document.
    await window.creation.inherit('account-1', draft, templateOwner(id), fields);
    await assert.rejects(window.creation.saveDraft(draft, JSON.stringify(fields)), MissingSecretError);
  });

  it('go into no template that everyone can see', async () => {
    const current = scene();
    const { computer, id } = current;
    const window = await computer.openWindow();
    await window.kept.add('account-1', 't', token, templateOwner(id));
    const opened = (await window.documents.open(id))?.text ?? '';
    const withSecret = changeText(opened, { env: { T: '${secret:t}' } });
    await assert.rejects(
      window.documents.save(id, changeText(withSecret, { private: false })),
      PublicSecretError,
    );
    await window.documents.save(id, withSecret);
    await assert.rejects(
      window.documents.save(id, changeText(withSecret, { private: false })),
      PublicSecretError,
    );
    assert.equal((await current.record())['private'], true);
    const draft = await window.creation.addDraft(
      { name: 'Public', image: 'a/b:1', private: false, env: { T: '${secret:t}' } },
      templateOwner(id),
    );
    const { text = '' } = (await window.creation.draft(draft)) ?? {};
    await assert.rejects(window.creation.saveDraft(draft, text), PublicSecretError);
  });

  const isRefusal = (error: unknown) => error instanceof PublicSecretError || error instanceof DocumentError;
  it('are in none, for any form in which the document is public and any place in it', async () => {
    const { computer, id } = scene();
    const window = await computer.openWindow();
    await window.kept.add('account-1', 't', token, templateOwner(id));
    const sent = posts().length;
    const shownToAll = [false, 'false', 'no', 0, {}];
    const places = [
      { env: { T: '${secret:t}' } },
      { env: "-e T='${secret:t}'" },
      { ...login, docker_login_pass: '${secret:t}' },
      login,
    ];
    for (const [isPrivate, fields] of shownToAll.flatMap((one) =>
      places.map((place) => [one, place] as const),
    )) {
      const given = { name: 'Public', image: 'a/b:1', private: isPrivate };
      const draft = await window.creation.addDraft(given, templateOwner(id));
      await window.creation.inherit('account-1', draft, templateOwner(id), fields);
      const { text = '' } = (await window.creation.draft(draft)) ?? {};
      await assert.rejects(window.creation.saveDraft(draft, changeText(text, fields)), isRefusal);
      const opened = (await window.documents.open(id))?.text ?? '';
      const edited = changeText(opened, { ...fields, private: isPrivate });
      await assert.rejects(window.documents.save(id, edited), isRefusal);
    }
    assert.equal(posts().length, sent);
  });
});
