import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { add, formatMoney, fromDollars } from '../../../src/model/money';
import { addBrokenRecord } from '../../support/brokenRecord';
import { registerKey } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('volumes and what a destroy leaves', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  const instances = () => window.view('instances');
  const deletions = () => computer().simulator.received('DELETE', '/api/v0/volumes/');
  const destroyed = () => computer().simulator.received('DELETE', /\/instances\//);
  const call = (method: string, address: string, body?: unknown) =>
    computer().simulator.call(method, address, body);

  /** What the service charges an hour for the instance and all volumes. */
  async function costNow(): Promise<string> {
    const { instances: list } = (await call('GET', '/api/v1/instances/')).json;
    const { volumes } = (await call('GET', '/api/v0/volumes/')).json;
    const prices = [
      ...(list as readonly { dph_total: number }[]).map((one) => one.dph_total),
      ...(volumes as readonly { storage_total_cost: number }[]).map((one) => one.storage_total_cost),
    ];
    return formatMoney(add(...prices.map(fromDollars)));
  }

  async function showsCostNow(): Promise<void> {
    const cost = `· ${await costNow()}/h ·`;
    await window.statusShows(cost);
  }

  /** A machine that has volumes, an instance on it with one of them, and a volume that nothing uses. */
  async function rentWithVolume(): Promise<void> {
    const offers = await call('POST', '/api/v0/volumes/search/', { disk_space: { gte: 100 } });
    for (const offer of offers.json.offers as readonly { id: number; machine_id: number }[]) {
      const found = await call('POST', '/api/v0/bundles/', {
        machine_id: { eq: offer.machine_id },
        rentable: { eq: true },
      });
      const ask = found.json.offers[0];
      if (ask === undefined) {
        continue;
      }
      const rented = await call('PUT', `/api/v0/asks/${String(ask.id)}/`, {
        image: 'pytorch/pytorch:latest',
        disk: 10,
        label: 'trainer',
        runtype: 'ssh_direct',
        volume_info: { create_new: true, volume_id: offer.id, size: 50, name: 'corpus', mount_path: '/data' },
      });
      assert.equal(rented.status, 200, rented.text);
      id = Number(rented.json.new_contract);
      const spare = await call('PUT', '/api/v0/volumes/', { id: offer.id, size: 20, name: 'spare' });
      assert.equal(spare.status, 200, spare.text);
      await computer().until(
        'the instance to run',
        () => computer().simulator.world.instance(id)?.actualStatus === 'running',
      );
      return;
    }
    assert.fail('no machine has both an offer and room for a volume');
  }

  before(async () => {
    await registerKey(computer());
    await rentWithVolume();
    window = await computer().openWindow();
    computer().simulator.fail({ kind: 'stall', method: 'GET', path: '/api/v0/volumes/', times: 0 });
    await window.signIn();
    await instances().row('trainer');
  });

  beforeEach(() => {
    window.clearToasts();
  });

  it('gives no limit of what is paid while they are read', async () => {
    await window.statusShows(/1 running · \$\d+\.\d+\/h · credit for \d+/);
    assert.match(instances().tree.description ?? '', /^\$\d+\.\d+\/h$/);
  });

  it('shows an error as a row that tries again, not as no volumes', async () => {
    computer().simulator.faults.clear();
    computer().simulator.fail({ kind: 'html500', method: 'GET', path: '/api/v0/volumes/', times: 0 });
    await instances().expand('Volumes');
    await instances().row('Could not load');
    // What cannot be read may bill too.
    await window.statusShows(/1 running · ≥ \$\d+\.\d+\/h · credit for ≤ \d+/);
    computer().simulator.faults.clear();
    await instances().click('Could not load');
    await instances().row('spare');
    await instances().noRow('Could not load');
  });

  it('lists size, cost a day and what uses each, with the sum at the heading', async () => {
    for (const expected of [
      /^Volumes ?2 · \$\d+\.\d+\/day/,
      /^corpus ?50 GB · \$\d+\.\d+\/day · used by trainer/,
      /^spare ?20 GB · \$\d+\.\d+\/day · unused/,
    ]) {
      await instances().row(expected);
    }
    assert.match(await instances().tooltip('spare'), /On machine \d+/);
    await showsCostNow();
    assert.match(window.status(), /Of which volumes: \S*\$0\S*\/h/);
    assert.ok((instances().tree.description ?? '').includes(`${await costNow()}/h`));
  });

  it('names in each view what could not be read, and leaves it out of no sum', async () => {
    const { simulator } = computer();
    await addBrokenRecord(simulator, '/api/v1/instances/', 'instances');
    await addBrokenRecord(simulator, '/api/v0/volumes/', 'volumes');
    await addBrokenRecord(simulator, '/api/v0/template/', 'templates');
    await addBrokenRecord(simulator, '/api/v0/ssh/');
    const templates = window.view('templates').show();
    const sshKeys = window.view('sshKeys').show();
    window.run('Refresh');
    await instances().row('Could not be read: 1');
    await instances().row('Could not be read: 1');
    await instances().row(/^Volumes ?≥ 2 · ≥ \$\d+\.\d+\/day/);
    await templates.row('Could not be read: 1');
    await templates.row(/^Recommended ?≥ \d/);
    await sshKeys.row('Could not be read: 1');
    await instances().row('trainer');
    await instances().row('corpus');
    await window.statusShows(/· ≥ \$\d+\.\d+\/h ·/);
    assert.match(window.status(), /^1 running, 0 stopped or failed, of ≥ 1$/m);
    assert.match(await instances().tooltip('Could not be read: 1'), /They exist and cost money/);
    simulator.faults.clear();
    window.run('Refresh');
    for (const view of [instances(), templates, sshKeys]) {
      await view.noRow('could not be read');
    }
    await showsCostNow();
  });

  it('refuses to delete one that is in use, and names the instance', async () => {
    await instances().menu('corpus', 'Delete Volume…');
    await window.toast(/Destroy trainer first: the volume corpus is in use there/);
    assert.deepEqual(deletions(), []);
  });

  it('deletes nothing when the question is declined', async () => {
    await instances().menu('spare', 'Delete Volume…');
    await window.dialogButton('Cancel');
    await computer().rest();
    assert.deepEqual(deletions(), []);
  });

  it('explains why one was not deleted, and keeps its row', async () => {
    const refusal = { status: 400, error: 'invalid_request', msg: 'It is being copied.' };
    computer().simulator.fail({ kind: 'error', method: 'DELETE', path: '/api/v0/volumes/', ...refusal });
    await instances().menu('spare', 'Delete Volume…');
    await window.dialogButton('Delete');
    await computer().until('the reason', () =>
      window.screen.messages.shown.some((one) => {
        const isIt = /It is being copied/.test(`${one.text} ${one.detail ?? ''}`);
        if (isIt) {
          one.wasSeen = true;
        }
        return isIt;
      }),
    );
    for (const one of [...window.screen.messages.shown]) {
      if (one.modal) {
        one.close();
      }
    }
    await instances().row('spare');
    assert.equal(deletions().length, 1);
  });

  it('deletes one after a question that shows what is lost, and reads back', async () => {
    await instances().menu('spare', 'Delete Volume…');
    const { text, detail } = await window.dialog();
    assert.match(text, /Delete spare\?/);
    assert.match(detail ?? '', /All data is lost/);
    assert.match(detail ?? '', /spare · 20 GB · \$\d+\.\d+\/day/);
    assert.equal(deletions().length, 1);
    await window.dialogButton('Delete');
    await window.toast(/Deleted, and no longer listed by the service: spare/);
    await instances().noRow('spare');
    await showsCostNow();
    assert.equal(deletions().length, 2);
  });

  it('shows before a destroy that the machine does not answer, and does not wait for it', async () => {
    const key = path.join(path.dirname(computer().sshConfig), 'id_ed25519');
    await instances().menu('trainer', 'Copy SSH Command');
    await computer().until('the command', () => computer().clipboard.text.startsWith('ssh'));
    const away = path.join(computer().workspace, 'away');
    renameSync(key, away);
    await instances().menu('trainer', 'Destroy…');
    assert.match((await window.dialog()).detail ?? '', /did not answer over SSH.*unsaved work/);
    await window.dialogButton('Cancel');
    renameSync(away, key);
  });

  it('names the volume that survives with its price, unsaved work and the size of the folder', async () => {
    const make = (name: string) => {
      const repository = path.join(computer().root, 'instances', String(id), 'workspace', name);
      mkdirSync(repository, { recursive: true });
      execFileSync('git', ['-C', repository, 'init', '-q']);
      writeFileSync(path.join(repository, 'train.py'), 'print(1)\n');
    };
    const ask = async () => {
      await instances().menu('trainer', 'Destroy…');
      const { detail } = await window.dialog();
      return detail ?? '';
    };
    for (const name of ['model', 'b', 'c', 'd', 'e']) {
      make(name);
    }
    const five = await ask();
    assert.deepEqual([five.match(/uncommitted files: 1/g)?.length, five.includes('more with')], [5, false]);
    await window.dialogButton('Keep Instance');
    make('f');
    const detail = await ask();
    assert.equal(detail.match(/uncommitted files: 1/g)?.length, 5);
    assert.match(detail, /^… and 1 more with unsaved work$/m);
    assert.match(detail, /still costs money until you delete it: corpus \(50 GB, \$\d+\.\d+\/day\)/);
    assert.match(five, /workspace\/model: uncommitted files: 1/);
    assert.match(detail, /workspace holds \d+ kB/);
  });

  it('leads to the download first, and destroys nothing by that', async () => {
    await window.dialogButton('Download First…');
    await window.quick.title('Download: trainer');
    window.quick.escape();
    await computer().rest();
    assert.deepEqual(destroyed(), []);
  });

  it('destroys once, after which the volume is shown as free, also before the service frees it', async () => {
    const path = '/api/v0/volumes/';
    const { json } = await computer().simulator.call('GET', `${path}?owner=me&type=all_volume`);
    computer().simulator.fail({ kind: 'answer', method: 'GET', path, status: 200, body: json, times: 0 });
    await instances().menu('trainer', 'Destroy…');
    await window.dialogButton('Destroy');
    await window.toast(/Destroyed, and no longer listed by the service: trainer/);
    await instances().row(/^corpus .*unused/);
    assert.equal(destroyed().length, 1);
    const before = deletions().length;
    await instances().menu('corpus', 'Delete Volume…');
    await window.toast(/has not freed the volume corpus yet/);
    assert.equal(deletions().length, before);
  });
});

describe('the list of volumes', () => {
  const computer = useComputer();

  it('is read when an instance is added or removed, not if the service lists them in another order', async () => {
    const names = ['first', 'second'];
    for (const label of names) {
      await computer().rentRunning({ label });
    }
    const window = await computer().openSignedIn();
    await window.view('instances').row('first');
    const { simulator } = computer();
    const path = '/api/v1/instances/';
    const { json } = await simulator.call('GET', path);
    const body = { ...json, instances: (json.instances as unknown[]).toReversed() };
    const read = () => simulator.received('GET', '/api/v0/volumes/').length;
    const [before, lists] = [read(), simulator.received('GET', path).length];
    assert.ok(before > 0);
    simulator.fail({ kind: 'answer', method: 'GET', path, status: 200, body, times: 0 });
    await computer().until('another list', () => simulator.received('GET', path).length > lists + 1);
    assert.equal(read(), before);
  });
});
