import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { signIn } from '../support/journey';
import {
  clearMessages,
  clickLast,
  haveKey,
  lastRental,
  rentalsOf,
  rentNow,
  reviewFirst,
  searchAndReview,
} from '../support/rentJourney';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('options of a rental', function () {
  this.timeout(240_000);
  const session = useUiSession('rentOptions', { simulator: { speed: 60, sshServer: false } });
  let workbench: Workbench;
  const script = '#!/bin/bash\npip install -q wandb\n';
  const registryToken = 'ghp_registry-token-5d1';
  const secretValue = 'value-of-a-secret-8c2';
  const quick = () => workbench.quick;

  /** From the confirmation to an option and back to the list of options. */
  async function option(label: string, title: string, answer: () => Promise<void>): Promise<void> {
    await quick().pick(label);
    await quick().waitForTitle(title);
    await answer();
    await quick().waitForTitle('Rent: More Options');
  }
  const choose = (label: string) => () => quick().pick(label);

  async function openOptions(): Promise<void> {
    await quick().waitForTitle('Rent: Confirm');
    await quick().pick('More Options…');
    await quick().waitForTitle('Rent: More Options');
  }

  async function closeOptions(): Promise<string> {
    await quick().pick('Done');
    await quick().waitForTitle('Rent: Confirm');
    return (await quick().rowTexts()).join('\n');
  }

  async function runType(label: string): Promise<void> {
    await quick().pick('Run type');
    await quick().waitForTitle('Rent: Run Type');
    await quick().pick(label);
    await quick().waitForTitle('Rent: Confirm');
  }

  before(async () => {
    writeFileSync(path.join(session().root, 'workspace', 'setup.sh'), script);
    await haveKey(session());
    workbench = await session().window();
    await signIn(session(), workbench);
    await quick().openFile('setup.sh');
    await workbench.page.locator('.tab.active[data-resource-name="setup.sh"]').waitFor();
    await clearMessages(workbench);
  });

  it('takes environment and ports one by one and as text, and hides values', async () => {
    await searchAndReview(workbench, '1x 3090', /1× RTX 3090/);
    await runType('Jupyter and SSH, direct');
    await openOptions();
    await quick().pick('Environment and Ports');
    const title = 'Rent: Environment and Ports';
    await quick().waitForTitle(title);
    await quick().pick('Add a Variable…');
    await quick().waitForTitle('Rent: Variable');
    await quick().type('nonsense', { enter: false });
    await until('the reason', async () => /then = and the value/.test(await quick().message()));
    await quick().type('HF_TOKEN=first');
    await quick().waitForTitle(title);
    await quick().pick('Add a Port…');
    await quick().waitForTitle('Rent: Port');
    await quick().type('8080');
    await quick().waitForTitle(title);
    await quick().pick('HF_TOKEN');
    await quick().waitForTitle('Rent: HF_TOKEN');
    assert.equal(await quick().input.getAttribute('type'), 'password');
    await quick().type(secretValue);
    await quick().waitForTitle(title);
    await workbench.shot('01-environment');
    assert.ok(!(await quick().rowTexts()).join('\n').includes(secretValue));
    await quick().pick('Edit as Text…');
    await quick().waitForTitle('Rent: Environment as Text');
    await quick().type(`-e HF_TOKEN=${secretValue} -e MODE="two words" -p 8080:8080`);
    await quick().waitForTitle(title);
    await quick().back();
    await quick().waitForTitle('Rent: More Options');
  });

  it('takes the script from the active editor, with its length against the limit', async () => {
    await quick().pick('On-Start Script');
    await quick().waitForTitle('Rent: On-Start Script');
    await quick()
      .rows.filter({ hasText: new RegExp(`From the Active Editor.*${script.length} of \\d+ characters`) })
      .waitFor();
    await workbench.shot('02-script');
    await quick().pick('From the Active Editor');
    await quick().waitForTitle('Rent: More Options');
    await quick()
      .rows.filter({ hasText: `${script.length} characters` })
      .waitFor();
  });

  it('takes a new volume, JupyterLab and its folder, UTF-8, waiting, and a start later', async () => {
    await option('Volume', 'Rent: Volume', async () => {
      await quick().rows.filter({ hasText: 'Create a Volume…' }).first().waitFor();
      await workbench.shot('03-volume');
      await quick().pickMatching(/Create a Volume…/);
      await until('the folder', async () => (await quick().input.inputValue()) === '/data');
      await quick().enter();
      await quick().waitForTitle('Rent: Size of the Volume');
      await quick().type('40');
    });
    await option('JupyterLab instead of Jupyter Notebook', 'JupyterLab', choose('Yes'));
    await option('Folder in which Jupyter Starts', 'Rent: Jupyter Folder', () => quick().type('/workspace'));
    await option('UTF-8 for Python (C.UTF-8)', 'UTF-8 for Python', choose('Yes'));
    await option('UTF-8 for the System (C.UTF-8)', 'UTF-8 for the System', choose('Yes'));
    await option('If the Machine Cannot Start Now', 'Cannot Start Now', choose('Wait for It'));
    await option('Start', 'Rent: Start', choose('Later'));
  });

  it('takes the login to a private registry', async () => {
    await option('Login to a Private Registry', 'Rent: Private Registry', async () => {
      await quick().pick('Enter a Login…');
      await until('the address', async () => /Address/.test(await quick().message()));
      await quick().type('ghcr.io');
      await until('the user name', async () => /User name/.test(await quick().message()));
      await quick().type('me');
      await until('the token', async () => /Access token/.test(await quick().message()));
      assert.equal(await quick().input.getAttribute('type'), 'password');
      await quick().type(registryToken);
    });
    await workbench.shot('04-options');
    const rows = (await quick().rowTexts()).join('\n');
    assert.match(rows, /Login to a Private Registry ?set/);
    assert.ok(!rows.includes(registryToken));
  });

  it('says all of it before the confirmation and sends all of it, once', async () => {
    const rows = await closeOptions();
    await workbench.shot('05-confirm');
    for (const said of [
      /not yet, rented as stopped/,
      /HF_TOKEN, MODE, -p 8080:8080/,
      /a new one of 40 GB at \/data/,
      /the rental waits, stopped/,
    ]) {
      assert.match(rows, said);
    }
    // What is further down is found by typing.
    for (const [typed, said] of [
      ['JupyterLab', /Notebook ?JupyterLab/],
      ['Registry', /Registry login ?set/],
      ['UTF-8', /UTF-8 ?Python, LANG/],
    ] as const) {
      await quick().input.fill(typed);
      await quick().rows.filter({ hasText: said }).waitFor();
    }
    await quick().input.fill('');
    await quick()
      .rows.filter({ hasText: /not yet, rented as stopped/ })
      .waitFor();
    await rentNow(session(), workbench);
    const { volume_info: volume, onstart, ...body } = lastRental(session());
    assert.deepEqual(body, {
      image: 'pytorch/pytorch:latest',
      disk: 20,
      label: '',
      runtype: 'jupyter_direct',
      target_state: 'stopped',
      env: { HF_TOKEN: secretValue, MODE: 'two words', '-p 8080:8080': '1' },
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
    assert.equal(rentalsOf(session()).length, 1);
  });

  it('leaves the login and the values in no file of the editor', async () => {
    await workbench.view('Instances').rows.first().waitFor();
    assert.deepEqual(session().filesWithSecrets([registryToken, secretValue]), []);
    assert.doesNotMatch(session().log(), new RegExp(`${registryToken}|${secretValue}`));
    await clearMessages(workbench);
  });

  it('links an existing volume: only offers on its machine are shown', async () => {
    const instances = workbench.view('Instances');
    await instances.row('Volumes').waitFor();
    await instances.expand(instances.row('Volumes'));
    await instances.contextMenu(instances.row(/V\.\d+/), /^Rent with This Volume…$/);
    await quick().waitForTitle(/Search Offers on Machine \d+/);
    await quick().rows.filter({ hasText: '% reliable' }).first().waitFor({ timeout: 90_000 });
    await workbench.shot('06-machine');
    const [own] = session().simulator.world.instances;
    assert.ok(own);
    const search = session()
      .simulator.received('POST', /bundles/)
      .at(-1)?.body as Record<string, unknown>;
    assert.deepEqual(search['machine_id'], { eq: own.machineId });
    await reviewFirst(workbench, /% reliable/);
    await quick()
      .rows.filter({ hasText: /V\.\d+ at \/data/ })
      .waitFor();
    await rentNow(session(), workbench);
    const [volume] = own.volumes;
    assert.deepEqual(lastRental(session())['volume_info'], {
      create_new: false,
      volume_id: volume?.volumeId,
      mount_path: '/data',
    });
    await until('the rental', () => session().simulator.world.instances.length === 2);
    assert.equal(session().simulator.world.instances.at(-1)?.machineId, own.machineId);
    await clearMessages(workbench);
  });

  it('takes arguments for the image, a script from a file and the login that was kept', async () => {
    await searchAndReview(workbench, '1x 3090', /1× RTX 3090/);
    await runType('The image as it is, without SSH');
    await openOptions();
    await option('Arguments of the Image', 'Rent: Arguments', () => quick().type('--port 8000 "a b"'));
    await option('On-Start Script', 'Rent: On-Start Script', async () => {
      await quick().pick('From a File…');
      await quick().waitForTitle('On-Start Script');
      await quick().pickMatching(/setup\.sh/);
    });
    await quick()
      .rows.filter({ hasText: `${script.length} characters` })
      .waitFor();
    await option('Login to a Private Registry', 'Rent: Private Registry', async () => {
      await workbench.shot('07-kept-login');
      await quick().pick('Use the Kept Login to ghcr.io');
    });
    const rows = await closeOptions();
    assert.match(rows, /neither SSH nor Jupyter/);
    assert.match(rows, /Arguments ?--port 8000 "a b"/);
    await workbench.shot('08-args');
    await rentNow(session(), workbench);
    assert.deepEqual(lastRental(session()), {
      image: 'pytorch/pytorch:latest',
      disk: 20,
      label: '',
      runtype: 'args',
      args_str: '--port 8000 "a b"',
      onstart: script,
      image_login: `-u me -p ${registryToken} ghcr.io`,
      cancel_unavail: true,
    });
    await clearMessages(workbench);
  });

  it('says before the confirmation that the machine has too few direct ports', async () => {
    await searchAndReview(workbench, '1x 3090', /1× RTX 3090/);
    await openOptions();
    await quick().pick('Environment and Ports');
    await quick().waitForTitle('Rent: Environment and Ports');
    await quick().pick('Edit as Text…');
    await quick().waitForTitle('Rent: Environment as Text');
    await quick().type(
      Array.from({ length: 200 }, (_, index) => `-p ${9000 + index}:${9000 + index}`).join(' '),
    );
    await quick().waitForTitle('Rent: Environment and Ports');
    await quick().back();
    await quick().waitForTitle('Rent: More Options');
    const short = /20\d direct ports are needed, and this machine has \d+/;
    await quick().rows.filter({ hasText: short }).waitFor();
    const rows = await closeOptions();
    assert.match(rows, short);
    await workbench.shot('09-ports');
    await workbench.page.keyboard.press('Escape');
  });

  it('names a template that is not meant for the offer', async () => {
    await session().simulator.call('POST', '/api/v0/template/', {
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
    const reads = () => session().simulator.received('GET', '/api/v0/template/');
    const before = reads().length;
    await workbench.run('Refresh');
    await searchAndReview(workbench, '1x 3090', /1× RTX 3090/);
    await until('the templates', () => reads().length > before && reads().at(-1)?.status === 200);
    await quick().pick('Image');
    await quick().waitForTitle('Rent: Template or Image');
    await quick().type('Only H100', { enter: false });
    await quick().pick('Only H100');
    await quick().waitForTitle('Rent: Confirm');
    await quick()
      .rows.filter({ hasText: 'The template Only H100 is not meant for this machine: GPU' })
      .waitFor();
    await workbench.shot('10-template');
    await workbench.page.keyboard.press('Escape');
  });

  it('rents a virtual machine after saying its rule for keys', async () => {
    await searchAndReview(workbench, '1x 3090 vm', /1× RTX 3090/);
    await openOptions();
    await option('Virtual Machine instead of a Container', 'Virtual Machine', choose('Yes'));
    assert.match(await closeOptions(), /takes its SSH keys when it is created/);
    await workbench.shot('11-vm');
    session().simulator.fail({
      kind: 'error',
      status: 400,
      error: 'no_ssh_key_for_vm',
      path: '/api/v0/asks/*',
    });
    await rentNow(session(), workbench);
    await quick()
      .rows.filter({ hasText: /Nothing was rented.*needs an SSH key/ })
      .waitFor();
    await workbench.shot('12-vm-refused');
    await rentNow(session(), workbench);
    assert.equal(lastRental(session())['vm'], true);
  });

  it('rents another like one that is there, and like one that is gone', async () => {
    const { simulator } = session();
    const first = simulator.world.instances.find(({ label }) => label?.startsWith('[gr-') === true);
    assert.ok(first);
    const instances = workbench.view('Instances');
    await instances.rows.first().waitFor();
    await instances.contextMenu(instances.rows.first(), /^Rent Another Like This…$/);
    await quick().waitForTitle(/Search Offers like/);
    await workbench.shot('13-another');
    await reviewFirst(workbench, /% reliable/);
    const before = rentalsOf(session()).length;
    await rentNow(session(), workbench);
    assert.equal(rentalsOf(session()).length, before + 1);
    await clearMessages(workbench);
    for (const { id } of simulator.world.instances) {
      await simulator.call('DELETE', `/api/v0/instances/${id}/`);
    }
    await until('the empty list', async () => {
      await workbench.run('Refresh');
      return (await instances.row(/RTX/).count()) === 0;
    });
    await workbench.run('Rent Another Like This…');
    await quick().waitForTitle('Rent Another Like This');
    await quick().rows.filter({ hasText: 'RTX 3090' }).first().waitFor();
    await workbench.shot('14-gone');
    await clickLast(quick().rows.filter({ hasText: 'RTX 3090' }));
    await quick().waitForTitle(/Search Offers like 1× RTX 3090/);
    await reviewFirst(workbench, /1× RTX 3090/);
    const rows = (await quick().rowTexts()).join('\n');
    // What may be secret is kept for a day, in case the service was wrong about the end.
    assert.match(rows, /HF_TOKEN/);
    assert.match(rows, /On-start script/);
    await workbench.shot('15-like-the-gone');
    await workbench.page.keyboard.press('Escape');
  });
});
