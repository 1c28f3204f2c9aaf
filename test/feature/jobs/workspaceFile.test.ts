import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readJob } from '../../../src/jobs/model/jobSpec';
import { recipeForJobs } from '../../../src/jobs/model/jobsInFile';
import { workspaceHostOf } from '../../../src/ssh/alias';
import { FakeQuickPick } from '../../support/fakeEditor/quickInput';
import type { FakeTextDocument } from '../../support/fakeEditor/textDocument';
import { FakeUri } from '../../support/fakeEditor/values';
import { DocumentDriver } from '../../support/feature/documentDriver';
import { reachableInstance, registerKey, remoteSshExtension } from '../../support/feature/reachable';
import { newInstance, rentNow, reviewFirst } from '../../support/feature/rentDriver';
import { ServiceTemplates } from '../../support/feature/templateRecords';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('a workspace that knows its machine', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  const editor = () => new DocumentDriver(window);
  let id: number;
  let templateId: number;
  /** What the machine was rented with. */
  const image = 'pytorch/pytorch:latest';
  const secret = 'hf_workspace4711';
  const file = () => path.join(computer().workspace, '.vscode', 'gpu-rental.json');
  const rent = 'Rent for This Workspace…';
  const instances = () => window.view('instances');
  const rentals = () => computer().simulator.received('PUT', /^\/api\/v0\/asks\//).length;
  const starts = () =>
    computer()
      .simulator.received('PUT', `/api/v0/instances/${id}/`)
      .filter(({ body }) => (body as { state?: string }).state === 'running').length;

  /** Writes the file, as git does, and reopens it. */
  async function write(recipe: Record<string, unknown>): Promise<FakeTextDocument> {
    const { documents } = window.screen;
    mkdirSync(path.dirname(file()), { recursive: true });
    writeFileSync(file(), `${JSON.stringify({ maxPricePerHour: 0.5, ...recipe }, null, 2)}\n`);
    documents.close(documents.byUri(FakeUri.file(file())));
    await documents.show(FakeUri.file(file()));
    return shown();
  }

  function shown(): FakeTextDocument {
    const document = window.screen.documents.active?.document;
    assert.equal(document?.fileName, file());
    return document;
  }

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    const made = await computer().simulator.call('POST', '/api/v0/template/', {
      name: 'Recipe',
      image: 'a/b:1',
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
    });
    templateId = Number(made.json.template.id);
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.signIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  it('shows its file in a workspace that is not trusted, and rents nothing', async () => {
    window.close();
    window = await computer().openWindow({ isTrusted: false, isFocused: true });
    await instances().row('trainer');
    await write({ image });
    assert.ok((await editor().lenses()).some((title) => title.endsWith('Trust This Workspace to Rent')));
    assert.throws(() => window.screen.commands.inPalette(rent), /does not offer/);
    window.start('gpuRental.rentForWorkspace');
    await window.toastButton('This workspace is not trusted', 'Manage Workspace Trust');
    await computer().rest();
    assert.ok(window.screen.commands.executed.some((one) => one.id === 'workbench.trust.manage'));
    assert.equal(rentals(), 1);
    window.close();
    window = await computer().openWindow({ extensions: [remoteSshExtension()], isFocused: true });
    await instances().row('trainer');
  });

  it('connects to a machine of the recipe or rents another, as the user chooses', async () => {
    await write({ image });
    await editor().press('Rent for This Workspace');
    await window.quick.title('An Instance for This Workspace Already Exists');
    await window.quick.row('Connect to trainer');
    await window.quick.pick('Rent Another Instance');
    await window.quick.title('Search Offers for This Workspace');
    window.quick.escape();
    await computer().rest();
    assert.equal(rentals(), 1);
  });

  it('shows what is rented, and looks for offers within its limit', async () => {
    await editor().press('Find Offers for This Document');
    await window.quick.title('Search Offers');
    await computer().until('the search', () => {
      const body = computer().simulator.received('POST', '/api/v0/bundles/').at(-1)?.body;
      return JSON.stringify((body as Record<string, unknown>)['dph_total']) === '{"lte":0.5}';
    });
    window.quick.escape();
    await editor().press('Preview What the Service Will Get');
    await window.document(`"image": "${image}"`);
    const diff = window.screen.commands.executed.find((one) => one.id === 'vscode.diff');
    assert.match(String(diff?.args[2]), /what is sent/);
  });

  it('makes a secret in it a variable of the account', async () => {
    const document = await write({ image, env: { HF_TOKEN: secret, MODE: 'train' } });
    const posted = () => computer().simulator.received('POST', '/api/v0/secrets/');
    await editor().fix('"HF_TOKEN"', 'Make It an Account Secret');
    const { detail } = await window.dialog('Make HF_TOKEN an environment variable');
    assert.ok(!(detail ?? '').includes(secret));
    assert.equal(posted().length, 0);
    await window.dialogButton('Make It an Account Secret');
    await computer().until('it to leave the text', () => !document.getText().includes('HF_TOKEN'));
    assert.match(document.getText(), /"MODE": "train"/);
    assert.deepEqual(
      posted().map(({ body }) => body),
      [{ key: 'HF_TOKEN', value: secret }],
    );
    await document.save();
    assert.ok(!readFileSync(file(), 'utf8').includes(secret));
    assert.ok(!window.log().includes(secret));
    window.clearToasts();
  });

  it('leaves the secret in the text where the service refuses the variable', async () => {
    const document = await write({ image, env: { API_TOKEN: secret } });
    const route = '/api/v0/secrets/';
    computer().simulator.fail({
      kind: 'error',
      status: 403,
      error: 'forbidden',
      method: 'POST',
      path: route,
    });
    await editor().fix('"API_TOKEN"', 'Make It an Account Secret');
    await window.dialogButton('Make It an Account Secret', 'Make API_TOKEN an environment variable');
    await window.toast('Ordered by a test');
    assert.ok(document.getText().includes(secret));
    assert.equal(document.isDirty, false);
    window.clearToasts();
  });

  it('asks before it connects to an instance that this workspace did not rent, for any text of the file', async () => {
    await write({ image, folder: '/tmp', whenRunning: 'connect' });
    window.run(rent);
    await window.quick.title('An Instance for This Workspace Already Exists');
    await window.quick.pick('Connect to trainer');
    const { address } = await window.opens();
    assert.match(address, new RegExp(`^vscode-remote://ssh-remote\\+gpu-[0-9a-f]{6}-${id}/tmp$`));
    assert.equal(rentals(), 1);
  });

  it('asks if the text of the file does not fit the instances', async () => {
    await computer().simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
    window.run('Refresh');
    await instances().row(/Stopped/);
    window.run(rent);
    await window.quick.title('An Instance for This Workspace Already Exists');
    await window.quick.row('Start trainer');
    assert.ok(!window.quick.rows().some((row) => row.includes('Connect to')));
    window.quick.escape();
    await computer().rest();
    assert.deepEqual([rentals(), starts()], [1, 0]);
  });

  it('uses the state of a machine, not single fields of its record', async () => {
    const { json } = await computer().simulator.call('GET', '/api/v1/instances/');
    const [record] = json.instances as readonly Record<string, unknown>[];
    const lists = async (label: string, fields: Record<string, unknown>) => {
      const listed = [{ ...record, label, ...fields }];
      computer().simulator.faults.clear();
      computer().simulator.fail({
        ...{ kind: 'answer', method: 'GET', path: '/api/v1/instances/', times: 0, status: 200 },
        body: { ...json, instances: listed },
      });
      window.run('Refresh');
      await instances().row(label);
    };
    // The record need not say what the machine is meant to do.
    await lists('silent', { intended_status: null, next_state: null });
    window.run(rent);
    await window.quick.title('An Instance for This Workspace Already Exists');
    await window.quick.row('Start silent');
    window.quick.escape();
    // The service starts none whose rental has ended.
    await lists('expired', { end_date: computer().clock.now() / 1000 - 60 });
    await window.toast(/The rental of expired ended at/);
    window.clearToasts();
    window.run(rent);
    await window.quick.title('Search Offers for This Workspace');
    window.quick.escape();
    // It still runs, but not for long.
    await lists('leaving', { actual_status: 'running', intended_status: 'stopped' });
    await write({ image, whenRunning: 'connect' });
    window.run(rent);
    await window.quick.title('Search Offers for This Workspace');
    window.quick.escape();
    computer().simulator.faults.clear();
    window.run('Refresh');
    await instances().row(/trainer.*Stopped/);
    assert.deepEqual([rentals(), starts()], [1, 0]);
  });

  it('starts a stopped machine of the recipe without a question if the file requests it', async () => {
    computer().simulator.orders.failBoot({ outcome: 'stuck', message: 'downloading' });
    await write({ image, whenRunning: 'start' });
    window.run(rent);
    // What it costs to go on is said first.
    assert.match((await window.dialog()).detail ?? '', /\$\S+\/h/);
    await window.dialogButton('Start');
    await computer().until('the start', () => starts() === 1);
    // While it gets ready another one may not be what is wanted.
    await instances().noRow(/Stopped/);
    window.run(rent);
    await window.quick.title('An Instance for This Workspace Already Exists');
    await window.quick.row('Wait for trainer');
    window.quick.escape();
    await computer().rest();
    assert.deepEqual([rentals(), starts()], [1, 1]);
    window.clearToasts();
  });

  it('asks about a template that was edited elsewhere, also while it is unsaved here', async () => {
    const service = new ServiceTemplates(computer);
    const { hash_id: hash } = await service.record(templateId);
    await window.view('templates').click('Recipe');
    await editor().shows('Recipe.json', '"name": "Recipe"');
    const { document } = editor();
    await editor().type({ desc: 'typed', extra_filters: { num_gpus: { eq: 4 } } });
    await service.editElsewhere(templateId, { extra_filters: '{"num_gpus": {"eq": 2}}' });
    await write({ template: { id: templateId, name: 'Recipe', hash } });
    window.run(rent);
    await window.dialog(/Recipe was edited after/);
    await window.dialogButton('Rent from the Current Version');
    await window.quick.title('Search Offers for This Workspace');
    await computer().until('the search with its filters', () => {
      const body = computer().simulator.received('POST', '/api/v0/bundles/').at(-1)?.body;
      return JSON.stringify((body as Record<string, unknown>)['num_gpus']) === '{"eq":2}';
    });
    window.quick.escape();
    window.screen.documents.close(document);
  });

  it('shows that its template was edited or deleted before money is spent', async () => {
    await write({ template: { id: templateId, name: 'Recipe', hash: 'an-older-hash' } });
    window.run(rent);
    await window.dialog(/Recipe was edited after/);
    await window.dialogButton('Rent from the Current Version');
    await window.quick.title('Search Offers for This Workspace');
    window.quick.escape();
    await computer().simulator.call('DELETE', '/api/v0/template/', { template_id: templateId });
    window.run(rent);
    await window.toast(/The template Recipe was deleted/);
    assert.equal(rentals(), 1);
    window.clearToasts();
  });

  it('shows a file that can’t be read, with the reason, and rents nothing', async () => {
    await write({ image });
    writeFileSync(file(), '{ "image": ');
    const { documents } = window.screen;
    documents.close(documents.byUri(FakeUri.file(file())));
    window.run(rent);
    await window.toast(/gpu-rental\.json/);
    assert.equal(shown().getText(), '{ "image": ');
    assert.equal(window.quick.isOpen, false);
    assert.equal(rentals(), 1);
    window.clearToasts();
    documents.close(shown());
  });

  it('is written by a command where there is none, and never over one that exists', async () => {
    rmSync(file());
    window.run(rent);
    await window.toastButton(/has no \.vscode\/gpu-rental\.json/, 'Create Workspace File');
    await window.quick.title('Create Workspace File');
    await window.quick.pick('An Image');
    await computer().until('the file', () => existsSync(file()));
    await window.document('"maxPricePerHour"');
    assert.ok((await editor().lenses()).some((title) => title.endsWith('Rent for This Workspace')));
    const written = readFileSync(file(), 'utf8');
    window.run('Create Workspace File…');
    await computer().rest();
    assert.equal(window.quick.isOpen, false);
    assert.equal(shown().getText(), written);
    assert.equal(readFileSync(file(), 'utf8'), written);
  });

  it('has a job of workers, if it was chosen instead of an image', async () => {
    window.screen.documents.close(shown());
    rmSync(file());
    window.run('Create Workspace File…');
    await window.quick.pick('Optuna Workers');
    await computer().until('the file', () => existsSync(file()));
    const written = readFileSync(file(), 'utf8');
    assert.equal(readJob(written, 'optuna worker').maxParallel, 2);
    assert.equal(recipeForJobs(written)?.image, 'pytorch/pytorch:latest');
  });
});

describe('a workspace that rented its machine', () => {
  const computer = useComputer({ simulator: { sshServer: true } });

  it('shows how the script of its file begins, and connects without a question if the file requests it', async () => {
    const file = path.join(computer().workspace, '.vscode', 'gpu-rental.json');
    await registerKey(computer());
    const window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.signIn();
    mkdirSync(path.dirname(file), { recursive: true });
    const recipe = {
      image: 'pytorch/pytorch:latest',
      maxPricePerHour: 5,
      folder: '/tmp',
      whenRunning: 'connect',
    };
    writeFileSync(file, JSON.stringify({ ...recipe, onStart: 'pip install x\necho two' }));
    window.run('Rent for This Workspace…');
    await window.quick.title('Search Offers for This Workspace');
    const { id } = await newInstance(computer(), async () => {
      await reviewFirst(window, /4× RTX 3060/);
      const list = window.quick.open;
      assert.ok(list instanceof FakeQuickPick);
      const script = list.items.find(({ label }) => label === 'On-start script');
      assert.equal(script?.detail, 'pip install x … (more lines: 1)');
      await rentNow(window);
    });
    await computer().until(
      'the instance to run',
      () => computer().simulator.world.instance(id)?.actualStatus === 'running',
    );
    window.run('Refresh');
    await window.view('instances').row(/Running|Ready/);
    window.clearToasts();
    window.run('Rent for This Workspace…');
    const { address } = await window.opens();
    // By the name of the workspace, which stays when its work goes to another instance.
    const host = workspaceHostOf(path.basename(computer().workspace));
    assert.equal(address, `vscode-remote://ssh-remote+${host}/tmp`);
    assert.equal(window.quick.isOpen, false);
    const remote = await computer().openWindow({
      folders: [address],
      remoteName: 'ssh-remote',
      extensions: [remoteSshExtension()],
    });
    await computer().until('the price of the instance in the status bar of its window', () =>
      /\$/.test(remote.screen.status.get('gpuRental.status')?.text ?? ''),
    );
    // Another machine of the file has the same image.
    const machines = { big: { maxPricePerHour: 20, filters: { num_gpus: { eq: 8 } } } };
    writeFileSync(file, JSON.stringify({ ...recipe, machines }));
    const { documents } = window.screen;
    documents.close(documents.byUri(FakeUri.file(file)));
    window.run('Rent for This Workspace…');
    await window.quick.row(/Default.*pytorch\/pytorch:latest · at most \$5\.00\/h/);
    await window.quick.pick(/^big/);
    await window.quick.title('Search Offers for This Workspace');
    await computer().until('the search for it', () => {
      const body = computer().simulator.received('POST', '/api/v0/bundles/').at(-1)?.body;
      const { num_gpus: gpus, dph_total: price } = body as Record<string, unknown>;
      return JSON.stringify([gpus, price]) === '[{"eq":8},{"lte":20}]';
    });
    window.quick.escape();
    window.run('Rent for This Workspace…');
    await window.quick.pick(/^Default/);
    assert.equal((await window.opens()).address, address);
    // A job on a machine of which none was rented.
    const go = { run: 'true', sync: false, machine: 'big', limits: { hours: 1, costDollars: 20 } };
    writeFileSync(file, JSON.stringify({ ...recipe, machines, jobs: { go } }));
    documents.close(documents.byUri(FakeUri.file(file)));
    window.run('Run Job…');
    await window.quick.title('Search Offers for go');
    window.quick.escape();
    // The same as the one that was rented.
    writeFileSync(file, JSON.stringify({ ...recipe, machines, jobs: { go: { ...go, machine: 'running' } } }));
    documents.close(documents.byUri(FakeUri.file(file)));
    window.run('Run Job…');
    await window.quick.title('Run go: Confirm');
    window.quick.escape();
  });
});
