import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeInputBox } from '../support/fakeEditor/quickInput';
import { FakeUri } from '../support/fakeEditor/values';
import {
  haveKey,
  lastRental,
  lastSearch,
  newInstance,
  rentalsOf,
  rentNow,
  reviewFirst,
  searchAndReview,
} from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const script = '#!/bin/bash\npip install -q wandb\n';
const registryToken = 'ghp_registry-token-5d1';
const secretValue = 'value-of-a-secret-8c2';
const chosenValue = 'value-chosen-by-name-3d7';

describe('options of a rental', () => {
  const computer = useComputer({ secrets: [registryToken, secretValue, chosenValue] });
  let window: FeatureWindow;
  const quick = () => window.quick;
  const instances = () => window.view('instances');
  const file = () => path.join(computer().workspace, 'setup.sh');
  const isPassword = () => quick().open instanceof FakeInputBox && (quick().open as FakeInputBox).password;

  /** From the list of options to one of them and back. */
  async function option(
    label: string | RegExp,
    title: string,
    answer: () => Promise<unknown>,
  ): Promise<void> {
    await quick().pick(label);
    await quick().title(title);
    await answer();
    await quick().title('Rent: More Options');
  }
  const choose = (label: string) => () => quick().pick(label);
  const type = (text: string) => () => quick().type(text);

  async function openOptions(): Promise<void> {
    await quick().pick('More Options…');
    await quick().title('Rent: More Options');
  }

  async function closeOptions(): Promise<string> {
    await quick().pick('Done');
    await quick().title('Rent: Confirm');
    return quick().rows().join('\n');
  }

  async function runType(label: string): Promise<void> {
    await quick().pick(/^Run type/);
    await quick().title('Rent: Run type');
    await quick().pick(label);
    await quick().title('Rent: Confirm');
  }

  before(async () => {
    writeFileSync(file(), script);
    await haveKey(computer());
    window = await computer().openSignedIn();
    await window.screen.documents.show(FakeUri.file(file()));
    window.clearToasts();
  });

  it('accepts environment and ports one by one and as text, and hides values', async () => {
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
    await runType('Jupyter and SSH, direct');
    await openOptions();
    const title = 'Rent: Environment and ports';
    await option('Environment and ports', title, async () => {
      await quick().pick('Add a Variable…');
      await quick().title('Rent: Environment');
      await quick().type('2x=1', { enter: false });
      await quick().message(/then = and the value/);
      await quick().type('HF_TOKEN=first');
      await quick().title(title);
      await quick().pick('Add a Port…');
      await quick().title('Rent: Port');
      await quick().type('8080');
      await quick().title(title);
      await quick().pick('HF_TOKEN');
      await quick().title('Rent: HF_TOKEN');
      await quick().pick('Enter a Value…');
      assert.ok(isPassword());
      await quick().type(secretValue);
      await quick().title(title);
      assert.ok(!quick().rows().join('\n').includes(secretValue));
      await quick().pick('Edit as Text…');
      await quick().title('Rent: Environment and ports');
      await quick().type(`-e HF_TOKEN=${secretValue} -e MODE="two words" -p 8080:8080`);
      await quick().title(title);
      await quick().back();
    });
  });

  it('gives a variable a secret of the account by name, for which it may be used from now on', async () => {
    const title = 'Rent: Environment and ports';
    await option('Environment and ports', title, async () => {
      await quick().pick('Add a Variable…');
      await quick().type('API_KEY');
      await quick().title('Rent: API_KEY');
      await quick().message('The rented machine gets the value.');
      await quick().pick('New Secret…');
      assert.ok(isPassword());
      await quick().type(chosenValue);
      await quick().title(title);
      await quick().pick('Add a Variable…');
      await quick().type('OTHER_KEY');
      await quick().pick(/^API_KEY Rent: API_KEY/);
      await quick().title(title);
      assert.ok(!quick().rows().join('\n').includes(chosenValue));
      await quick().back();
    });
  });

  it('reads the script from the active editor, with its length against the limit', async () => {
    await option('On-start script', 'Rent: On-start script', async () => {
      await quick().row(new RegExp(`From the Active Editor.*${script.length} of \\d+ characters`));
      await quick().pick('From the Active Editor');
    });
    await quick().row(`${script.length} characters`);
  });

  it('accepts a new volume, JupyterLab and its folder, UTF-8, waiting, and a start later', async () => {
    await option('Volume', 'Rent: Volume', async () => {
      await quick().pick(/Create a Volume…/);
      await computer().until('the folder', () => quick().isOpen && quick().open.value === '/data');
      await quick().enter();
      await quick().title('Rent: Volume');
      await quick().type('40');
    });
    await option('JupyterLab instead of Jupyter Notebook', 'JupyterLab', choose('Yes'));
    await option(
      'Folder in which Jupyter starts',
      'Rent: Folder in which Jupyter starts',
      type('/workspace'),
    );
    await option('UTF-8 for Python (C.UTF-8)', 'UTF-8 for Python', choose('Yes'));
    await option('UTF-8 for the system (C.UTF-8)', 'UTF-8 for the system', choose('Yes'));
    await option("If the machine can't start now", "can't start now", choose('Wait for It'));
    await option(/^Start( |$)/, 'Rent: Start', choose('Later'));
  });

  it('accepts the login to a private registry', async () => {
    await option('Registry login', 'Rent: Registry login', async () => {
      await quick().pick('Enter a Login…');
      await quick().message(/Address/);
      await quick().type('ghcr.io');
      await quick().message(/User name/);
      await quick().type('me');
      await quick().message(/Access token/);
      await quick().pick('New Secret…');
      assert.ok(isPassword());
      await quick().type(registryToken);
    });
    const rows = quick().rows().join('\n');
    assert.match(rows, /Registry login set/);
    assert.ok(!rows.includes(registryToken));
  });

  it('shows all of it before the confirmation and sends all of it, once', async () => {
    const rows = await closeOptions();
    for (const said of [
      /later, rented as stopped/,
      /HF_TOKEN, MODE, -p 8080:8080, API_KEY, OTHER_KEY/,
      /a new one of 40 GB at \/data/,
      /your rental waits stopped/,
    ]) {
      assert.match(rows, said);
    }
    // What is typed leads to its row.
    for (const [typed, said] of [
      ['JupyterLab', /Notebook JupyterLab/],
      ['Registry', /Registry login set/],
      ['UTF-8', /UTF-8 Python, LANG/],
    ] as const) {
      await quick().type(typed, { enter: false });
      await quick().row(said);
    }
    await quick().type('', { enter: false });
    await quick().row(/later, rented as stopped/);
    await rentNow(window);
    const { volume_info: volume, onstart, ...body } = lastRental(computer());
    assert.deepEqual(body, {
      image: 'pytorch/pytorch:latest',
      disk: 20,
      label: '',
      runtype: 'jupyter_direct',
      target_state: 'stopped',
      env: {
        ...{ HF_TOKEN: secretValue, MODE: 'two words', '-p 8080:8080': '1' },
        ...{ API_KEY: chosenValue, OTHER_KEY: chosenValue },
      },
      use_jupyter_lab: true,
      jupyter_dir: '/workspace',
      python_utf8: true,
      lang_utf8: true,
      image_login: `-u me -p ${registryToken} ghcr.io`,
      cancel_unavail: false,
    });
    assert.equal(onstart, script);
    const { volume_id: id, ...rest } = volume as Record<string, unknown>;
    assert.ok(Number(id) > 0);
    assert.deepEqual(rest, { create_new: true, size: 40, mount_path: '/data' });
    assert.equal(rentalsOf(computer()).length, 1);
  });

  it('leaves the login and the values in no file of the editor', async () => {
    await instances().row('RTX 3090');
    assert.deepEqual(computer().filesWith([registryToken, secretValue, chosenValue]), []);
    assert.doesNotMatch(window.log(), new RegExp(`${registryToken}|${secretValue}|${chosenValue}`));
    window.clearToasts();
    await computer().pass(60_000); // Later rentals are told from this one by their minute.
  });

  it('links an existing volume: only offers on its machine are shown', async () => {
    const { world } = computer().simulator;
    await instances().row(/^Volumes/);
    await instances().expand(/^Volumes/);
    await instances().menu(/V\.\d+/, 'Rent with This Volume…');
    await quick().title(/Search Offers on Machine \d+/);
    await quick().row('% reliable');
    const [own] = world.instances;
    assert.ok(own);
    assert.deepEqual(lastSearch(computer())['machine_id'], { eq: own.machineId });
    await reviewFirst(window, /^\d× /);
    await quick().row(/V\.\d+ at \/data/);
    const rented = await newInstance(computer(), () => rentNow(window));
    const [volume] = own.volumes;
    assert.deepEqual(lastRental(computer())['volume_info'], {
      create_new: false,
      volume_id: volume?.volumeId,
      mount_path: '/data',
    });
    assert.equal(world.instances.length, 2);
    assert.equal(rented.machineId, own.machineId);
    window.clearToasts();
  });

  it('accepts arguments for the image, a script from a file and the login that was kept', async () => {
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
    await runType('The image as it is, without SSH');
    await openOptions();
    await option('Arguments', 'Rent: Arguments', type('--port 8000 "a b"'));
    window.screen.fileDialogs.push([file()]);
    await option('On-start script', 'Rent: On-start script', choose('From a File…'));
    await quick().row(`${script.length} characters`);
    await option('Registry login', 'Rent: Registry login', choose('Use the Saved Login to ghcr.io'));
    const rows = await closeOptions();
    assert.match(rows, /neither SSH nor Jupyter/);
    assert.match(rows, /Arguments --port 8000 "a b"/);
    await rentNow(window);
    assert.deepEqual(lastRental(computer()), {
      image: 'pytorch/pytorch:latest',
      disk: 20,
      label: '',
      runtype: 'args',
      args_str: '--port 8000 "a b"',
      onstart: script,
      image_login: `-u me -p ${registryToken} ghcr.io`,
      cancel_unavail: true,
    });
    window.clearToasts();
  });

  it('shows before the confirmation that the machine has too few direct ports', async () => {
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
    await openOptions();
    await option('Environment and ports', 'Rent: Environment and ports', async () => {
      await quick().pick('Edit as Text…');
      await quick().title('Rent: Environment and ports');
      const ports = Array.from({ length: 200 }, (_, index) => 9000 + index);
      await quick().type(ports.map((port) => `-p ${port}:${port}`).join(' '));
      await quick().title('Rent: Environment and ports');
      await quick().back();
    });
    const short = /Open ports needed: 20\d\. This machine has \d+/;
    assert.match((await quick().row(short)).detail ?? '', /^\$\(warning\) /);
    assert.match(await closeOptions(), short);
    quick().escape();
  });

  it('names a template that is not meant for the offer', async () => {
    const { simulator } = computer();
    await simulator.call('POST', '/api/v0/template/', {
      name: 'Only H100',
      image: 'pytorch/pytorch',
      tag: 'latest',
      runtype: 'ssh',
      ssh_direct: true,
      extra_filters: { gpu_name: { eq: 'H100 SXM' } },
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
    });
    const reads = () => simulator.received('GET', '/api/v0/template/');
    const before = reads().length;
    window.run('Refresh');
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
    await computer().until('the templates', () => reads().length > before && reads().at(-1)?.status === 200);
    await quick().pick(/^Image/);
    await quick().title('Rent: Template');
    await quick().type('Only H100', { enter: false });
    await quick().pick(/^Only H100/);
    await quick().title('Rent: Confirm');
    await quick().row('The template Only H100 requires GPU: H100 SXM. This machine has RTX 3090.');
    quick().escape();
  });

  it('rents a virtual machine after saying its rule for keys', async () => {
    const { simulator } = computer();
    await searchAndReview(window, '1x 3090 vm', /1× RTX 3090/);
    await openOptions();
    await option('Virtual machine instead of a container', 'Virtual machine', choose('Yes'));
    assert.match(await closeOptions(), /gets its SSH keys when it is created/);
    simulator.fail({ kind: 'error', status: 400, error: 'no_ssh_key_for_vm', path: '/api/v0/asks/*' });
    await rentNow(window);
    await quick().row(/Nothing was rented.*needs an SSH key/);
    await newInstance(computer(), () => rentNow(window));
    assert.equal(lastRental(computer())['vm'], true);
    window.clearToasts();
  });

  /** To the confirmation of a rental like the first of all, whose instance is gone. */
  async function likeTheFirst(): Promise<void> {
    window.run('Rent Another Like This…');
    await quick().title('Rent Another Like This');
    await quick().row('RTX 3090');
    const rows = quick().rows();
    const rented = rentalsOf(computer()).filter(({ status }) => status === 200);
    assert.equal(rows.length, rented.length, 'a refused rental was never rented');
    const oldest = rows.findLast((row) => row.includes('RTX 3090'));
    await quick().pick(oldest ?? 'the oldest');
    await quick().title(/Search Offers like 1× RTX 3090/);
    await reviewFirst(window, /1× RTX 3090/);
  }

  it('rents another like one that is there, and like one that is gone', async () => {
    const { simulator } = computer();
    window.run('Rent Another Like This…');
    await quick().pick(/#24518001/);
    await quick().title(/Search Offers like/);
    await reviewFirst(window, /% reliable/);
    const before = rentalsOf(computer()).length;
    await rentNow(window);
    assert.equal(rentalsOf(computer()).length, before + 1);
    window.clearToasts();
    for (const { id } of simulator.world.instances) {
      await simulator.call('DELETE', `/api/v0/instances/${id}/`);
    }
    window.run('Refresh');
    await window.toast(/^These instances no longer exist: .*, and their data is lost\.$/);
    await likeTheFirst();
    // What may be secret is kept for a day, in case the service was wrong about the end.
    const shown = () => quick().rows().join('\n');
    assert.match(shown(), /Environment .*HF_TOKEN[^]*On-start script/);
    assert.ok(!shown().includes(secretValue) && !shown().includes(registryToken));
    quick().escape();
    computer().clock.jump(25 * 3_600_000);
    window.run('Refresh');
    await computer().pass(60_000);
    await likeTheFirst();
    // It has gone by then, and that is said.
    assert.match(shown(), /Environment -p 8080:8080/);
    assert.doesNotMatch(shown(), /HF_TOKEN|On-start script/);
    await window.toast(
      /Set these again .*HF_TOKEN, MODE, API_KEY, OTHER_KEY, the on-start script, the registry login/,
    );
    quick().escape();
  });
});
