import assert from 'node:assert/strict';
import { SaveAsTargets } from '../../src/features/documents/saveAsTargets';
import {
  ReadOnlyTemplateError,
  SaveLostError,
  SaveNotKnownError,
} from '../../src/store/templates/templateErrors';
import type { TemplateStores } from '../../src/store/templates/templateStores';
import { useClients } from '../support/apiClient';
import { useSimulators, type TestSimulator } from '../support/startSimulator';
import { TemplateComputer, type TemplateWindow } from '../support/templateWindow';

const route = '/api/v0/template/';

describe('drafts of templates', () => {
  const simulators = useSimulators();
  const clients = useClients();
  let simulator: TestSimulator;
  let computer: TemplateComputer;
  let window: TemplateWindow;

  beforeEach(async () => {
    simulator = await simulators.start({ seed: 1 });
    computer = new TemplateComputer(() => clients.connect(simulator).client);
    window = await computer.openWindow();
  });

  afterEach(() => computer.dispose());

  const posts = () => simulator.received('POST', route).map(({ body }) => body as Record<string, unknown>);
  const fields = { name: 'Fresh', image: 'a/b:1', env: { A: '1' } };

  it('reach the service only when they are saved, private and complete', async () => {
    const token = await window.creation.addDraft(fields);
    assert.deepEqual(posts(), []);
    const draft = await window.creation.draft(token);
    const id = await window.creation.saveDraft(token, draft?.text ?? '');
    assert.deepEqual(posts(), [
      {
        name: 'Fresh',
        image: 'a/b:1',
        env: '-e A=1',
        private: true,
        docker_login_repo: '',
        docker_login_user: '',
        docker_login_pass: '',
      },
    ]);
    assert.equal((await window.documents.open(id))?.isMine, true);
  });

  it('survive a restart until they are saved', async () => {
    const token = await window.creation.addDraft(fields);
    const later = await computer.openWindow();
    const draft = await later.creation.draft(token);
    assert.ok(draft !== undefined && draft.text.includes('Fresh'));
    assert.equal(draft.name, 'Fresh');
    await later.creation.saveDraft(token, draft.text);
    assert.equal(await later.creation.draft(token), undefined);
  });

  it('leave nothing of their text behind where newer ones took their place', async () => {
    const tokens: string[] = [];
    for (let at = 0; at < 52; at += 1) {
      tokens.push(await window.creation.addDraft({ ...fields, env: { TOKEN: `value-${at}` } }));
      window.clock.jump(1000);
    }
    const texts = await Promise.all(tokens.map((token) => window.secrets.draft(token)));
    assert.deepEqual(
      texts.map((content, at) => content?.includes(`"value-${at}"`) ?? false),
      tokens.map((_, at) => at >= 2),
    );
  });

  it('become one template when they are saved twice', async () => {
    const token = await window.creation.addDraft(fields);
    const source = (await window.creation.draft(token))?.text ?? '';
    const id = await window.creation.saveDraft(token, source);
    assert.equal(await window.creation.saveDraft(token, source.replace('a/b:1', 'a/b:2')), id);
    assert.equal(posts().length, 1);
  });

  it('become one template when the answer is lost', async () => {
    const token = await window.creation.addDraft(fields);
    simulator.fail({ kind: 'dropAfter', method: 'POST', path: route });
    const id = await window.creation.saveDraft(token, (await window.creation.draft(token))?.text ?? '');
    assert.equal((await window.documents.open(id))?.name, 'Fresh');
    assert.equal(posts().length, 1);
  });

  it('are distinguished from an older template of the same name when the answer is lost', async () => {
    const older = await window.creation.saveDraft(
      await window.creation.addDraft(fields),
      JSON.stringify(fields),
    );
    simulator.fail({ kind: 'dropAfter', method: 'POST', path: route });
    const id = await window.creation.saveDraft(
      await window.creation.addDraft(fields),
      JSON.stringify(fields),
    );
    assert.notEqual(id, older);
  });

  it('stay drafts, and report that, when the request was lost on its way', async () => {
    const token = await window.creation.addDraft(fields);
    simulator.fail({ kind: 'dropBefore', method: 'POST', path: route });
    await assert.rejects(window.creation.saveDraft(token, JSON.stringify(fields)), SaveLostError);
    assert.ok(await window.creation.draft(token));
  });

  it('may have been made if a template of that name can’t be read, and report that', async () => {
    const source = JSON.stringify(fields);
    await window.creation.saveDraft(await window.creation.addDraft(fields), source);
    const token = await window.creation.addDraft(fields);
    const { json } = await simulator.call('GET', `${route}?select_filters={"name":{"eq":"Fresh"}}`);
    simulator.fail({ kind: 'dropAfter', method: 'POST', path: route });
    const body = { ...json, templates: [...json.templates, { id: { broken: true } }] };
    // The look before it is sent passes.
    simulator.fail({ kind: 'answer', method: 'GET', path: route, status: 200, body, skip: 1 });
    await assert.rejects(window.creation.saveDraft(token, source), SaveNotKnownError);
  });

  it('are looked for before they are sent again, and keep what was typed since', async () => {
    const source = JSON.stringify(fields);
    const token = await window.creation.addDraft(fields);
    simulator.fail({ kind: 'dropAfter', method: 'POST', path: route });
    // The look before it is sent passes; those for what became of it do not.
    simulator.fail({ kind: 'html500', method: 'GET', path: route, skip: 1, times: 0 });
    await assert.rejects(window.creation.saveDraft(token, source), SaveNotKnownError);
    await assert.rejects(window.creation.saveDraft(token, source), SaveNotKnownError);
    await simulator.call('DELETE', '/__sim/faults/');
    const id = await window.creation.saveDraft(token, JSON.stringify({ ...fields, image: 'a/b:2' }));
    assert.equal(posts().length, 1);
    assert.equal((await window.documents.open(id))?.fields['image'], 'a/b:2');
    assert.equal(await window.creation.draft(token), undefined);
  });

  it('are looked for before they are sent again by a window that was opened again', async () => {
    const source = JSON.stringify(fields);
    const token = await window.creation.addDraft(fields);
    simulator.fail({ kind: 'dropAfter', method: 'POST', path: route });
    simulator.fail({ kind: 'html500', method: 'GET', path: route, skip: 1, times: 0 });
    await assert.rejects(window.creation.saveDraft(token, source), SaveNotKnownError);
    await simulator.call('DELETE', '/__sim/faults/');
    const later = await computer.openWindow();
    const id = await later.creation.saveDraft(token, source);
    assert.equal(posts().length, 1);
    assert.equal((await later.documents.open(id))?.name, 'Fresh');
    assert.deepEqual([...computer.secretPort.values.keys()], []);
  });

  it('become one template again where it was deleted, even over a restart', async () => {
    const source = JSON.stringify(fields);
    const first = await window.creation.saveDraft(await window.creation.addDraft(fields), source);
    await simulator.call('DELETE', route, { template_id: first });
    const address = `gpurental://templates/${first}/Fresh.json`;
    const recreate = ({ documents, creation, clock }: TemplateWindow) =>
      new SaveAsTargets({ templateStores: { documents, creation } as TemplateStores, clock }).recreate(
        address,
        first,
        source,
      );
    simulator.fail({ kind: 'dropAfter', method: 'POST', path: route });
    simulator.fail({ kind: 'html500', method: 'GET', path: route, skip: 1, times: 0 });
    await assert.rejects(recreate(window), SaveNotKnownError);
    await simulator.call('DELETE', '/__sim/faults/');
    await recreate(await computer.openWindow());
    assert.equal(posts().length, 2);
  });

  it('leave no request behind that was refused or whose account was signed out', async () => {
    const source = JSON.stringify(fields);
    const token = await window.creation.addDraft(fields);
    simulator.fail({ kind: 'error', status: 403, error: 'forbidden', method: 'POST', path: route });
    await assert.rejects(window.creation.saveDraft(token, source));
    assert.equal(computer.secretPort.values.size, 1, 'the draft alone');
    simulator.fail({ kind: 'dropAfter', method: 'POST', path: route });
    simulator.fail({ kind: 'html500', method: 'GET', path: route, skip: 1, times: 0 });
    await assert.rejects(window.creation.saveDraft(token, source), SaveNotKnownError);
    assert.equal(computer.secretPort.values.size, 2);
    await window.secrets.forgetAccount('account-1');
    assert.equal(computer.secretPort.values.size, 0);
  });

  it('are never created in another account than the one they were begun for', async () => {
    const token = await window.creation.addDraft(fields);
    window.accounts.switchAccount(await computer.account('account-2'));
    await assert.rejects(window.creation.saveDraft(token, JSON.stringify(fields)), ReadOnlyTemplateError);
    assert.deepEqual(posts(), []);
  });

  it('are never created in another account after their own was signed out', async () => {
    const token = await window.creation.addDraft(fields);
    await window.secrets.forgetAccount('account-1');
    window.accounts.switchAccount(await computer.account('account-2'));
    const later = await computer.openWindow();
    later.accounts.switchAccount(await computer.account('account-2'));
    for (const one of [window, later]) {
      await assert.rejects(one.creation.saveDraft(token, JSON.stringify(fields)), ReadOnlyTemplateError);
    }
    assert.deepEqual(posts(), []);
    window.accounts.switchAccount(await computer.account());
    await window.creation.saveDraft(token, JSON.stringify(fields));
    assert.equal(posts().length, 1);
  });

  it('leave the service by their numeric id, also when the answer is lost', async () => {
    const id = await window.creation.saveDraft(
      await window.creation.addDraft(fields),
      JSON.stringify(fields),
    );
    await window.documents.open(id);
    simulator.fail({ kind: 'dropAfter', method: 'DELETE', path: route });
    await window.creation.remove(window.documents.account(), id);
    assert.deepEqual(
      simulator.received('DELETE', route).map(({ body }) => body),
      [{ template_id: id }],
    );
    assert.equal(await window.documents.open(id), undefined);
  });
});
