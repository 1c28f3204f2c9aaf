import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';
import { guideBlocks } from '../../support/guideBlocks';

const run = promisify(execFile);

describe('instances in tools that work by SSH', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let first: number;
  let second: number;

  const folder = () => path.join(computer().workspace, '.gpu-rental', 'hosts');
  const file = (name: string) => readFileSync(path.join(folder(), name), 'utf8');
  const alias = (id: number) => new RegExp(`gpu-[0-9a-f]{6}-${id}\\b`);
  const hosts = () => file('hosts.txt').trim().split('\n');
  const saved = (count: number) =>
    window.toast(new RegExp(`^Saved host files in .*\\. Instances: ${count}\\.$`));

  async function shell(line: string): Promise<string> {
    const { stdout } = await run('/bin/sh', ['-c', line], { cwd: folder(), timeout: 60_000 });
    return stdout;
  }

  /** The commands of the guide for a tool, as a user copies them. */
  const commandsFor = (tool: string) => (guideBlocks(tool)[0] ?? '').split('\n');

  before(async () => {
    first = await reachableInstance(computer(), 'sweep-1');
    second = await computer().rentRunning({ label: 'sweep-2', runtype: 'ssh_direct' });
    for (const number of [3, 4, 5]) {
      await computer().rentRunning({ label: `sweep-${number}`, runtype: 'ssh_direct' });
    }
    await computer().rentRunning({ label: 'other', runtype: 'ssh_direct' });
    window = await computer().openSignedIn();
    await window.view('instances').row('sweep-1');
    window.clearToasts();
  });

  it('are named by files for this user alone, and the message leads to the guide', async () => {
    const shown: string[] = [];
    window.screen.commands.ofEditor.set('markdown.showPreview', (page) => shown.push(String(page)));
    const others = [2, 3, 4, 5].map((number) => `sweep-${number}`);
    await window.view('instances').menu('sweep-1', 'Save Host Files…', others);
    await window.quick.pick('In the Workspace');
    await window.toastButton(/^Saved host files in .*hosts\. Instances: 5\.$/, 'Open Guide…');
    await computer().until('the guide', () => shown.length > 0);
    assert.match(shown.join(), /\/guides\/tools\.md$/);
    assert.equal(hosts().length, 5);
    assert.match(hosts().join(), alias(first));
    assert.match(hosts().join(), alias(second));
    for (const name of ['sshloginfile', 'inventory.yml', 'groups.conf', 'groups.d/gpurental.yaml']) {
      assert.match(file(name), /^# Saved by GPU Rental\./);
      assert.equal(statSync(path.join(folder(), name)).mode & 0o077, 0);
    }
  });

  /** Each tool runs its command of the guide on each machine. */
  async function runsOn(count: number): Promise<void> {
    const [ping = '', raw = ''] = commandsFor('Ansible');
    assert.match(ping, /-m ping$/);
    const ansible = await shell(raw);
    assert.equal(ansible.match(/rc=0/g)?.length, count, ansible);
    const [clush = ''] = commandsFor('ClusterShell');
    // Machines that answer alike stand together: "gpu-0a1b2c-[7-9] (3)".
    const answers = [...(await shell(clush)).matchAll(/^gpu-\S+(?: \((\d+)\))?\n-+\nGPU 0/gm)];
    assert.equal(
      answers.reduce((sum, [, machines = '1']) => sum + Number(machines), 0),
      count,
    );
    const [onEach = ''] = commandsFor('GNU parallel');
    const lines = (await shell(onEach)).split('\n').filter((line) => line.includes('GPU 0'));
    assert.equal(new Set(lines.map((line) => line.split('\t')[0])).size, count, lines.join('\n'));
    const [xargs = ''] = commandsFor('Other tools');
    // The config of this computer is not that of ssh.
    const options = / ssh (-F \S+)/.exec(file('sshloginfile').replace(/^\d+\//gm, ' '))?.[1] ?? '';
    assert.equal((await shell(xargs.replace('ssh -n', `ssh ${options} -n`))).match(/GPU 0/g)?.length, count);
  }

  it('run the commands of the guide for Ansible, ClusterShell, GNU parallel and xargs', () => runsOn(5));

  it('run each line of a file once, on any free machine, on a GPU that no other task holds', async () => {
    writeFileSync(path.join(folder(), 'arguments.txt'), '1\n2\n3\n4\n5\n');
    const [, sweep = ''] = commandsFor('GNU parallel');
    const [, lock = ''] = guideBlocks('GNU parallel');
    const before = lock.replaceAll('/tmp/', `${computer().root}/`);
    const line = sweep.replace(
      'cd /workspace && ./train.sh {}',
      `${before}\necho task {} on $CUDA_VISIBLE_DEVICES`,
    );
    const stdout = await shell(line);
    assert.deepEqual([...stdout.matchAll(/task (\d) on 0/g)].map(([, n]) => n).sort(), [
      '1',
      '2',
      '3',
      '4',
      '5',
    ]);
  });

  it('are written only on request: a row shows what has ended, in the next window too, and saves the others', async () => {
    const written = statSync(path.join(folder(), 'inventory.yml')).mtimeMs;
    await window.view('instances').noRow('Save Again');
    await computer().simulator.call('PUT', `/api/v0/instances/${first}/`, { state: 'stopped' });
    await computer().rentRunning({ label: 'sweep-6', runtype: 'ssh_direct' });
    await window.view('instances').row(/sweep-6.*Running/);
    await window.view('instances').row(/^Host Files.*not running: sweep-1$/);
    assert.equal(statSync(path.join(folder(), 'inventory.yml')).mtimeMs, written);
    const next = await computer().openWindow();
    await next.view('instances').row(/^Host Files.*not running: sweep-1$/);
    next.close();
    window.clearToasts();
    await window.view('instances').click('Save Again');
    await saved(4);
    await window.view('instances').noRow('Save Again');
    assert.equal(hosts().length, 4);
    assert.doesNotMatch(['hosts.txt', 'inventory.yml', 'sshloginfile'].map(file).join(), alias(first));
    window.clearToasts();
  });

  it('run on four again, and need no new file, where one has moved to another port', async () => {
    const before = file('hosts.txt');
    const instance = computer().simulator.world.instance(second);
    assert.ok(instance);
    const { '22/tcp': old = 0 } = instance.directPorts;
    let logins = 0;
    const moved = createServer((socket) => {
      logins += 1;
      const server = connect(old, '127.0.0.1');
      socket.pipe(server).pipe(socket);
      for (const end of [socket, server]) {
        end.on('error', () => end.destroy());
      }
    });
    moved.listen(0, '127.0.0.1');
    await once(moved, 'listening');
    instance.directPorts = { ...instance.directPorts, '22/tcp': (moved.address() as AddressInfo).port };
    try {
      window.run('Refresh');
      await computer().pass(60_000);
      await computer().rest();
      await runsOn(4);
    } finally {
      moved.close();
    }
    // Ansible may still have its connection of a minute ago.
    assert.ok(logins >= 3, `each tool uses the new port: ${logins}`);
    assert.equal(file('hosts.txt'), before);
    instance.directPorts = { ...instance.directPorts, '22/tcp': old };
    window.run('Refresh');
    await computer().pass(60_000);
  });

  it('runs a command on each, with a row for each, and again where it failed', async () => {
    const flag = path.join(computer().root, 'flag');
    window.run('Run Command…');
    await window.quick.title('Run Command');
    assert.equal(window.quick.ticked().length, 6);
    await window.quick.tick(/sweep-2/, /sweep-3/);
    await window.quick.enter();
    await window.quick.type(
      `echo "from $(pwd)"; if mkdir ${flag} 2>/dev/null; then echo broken >&2; exit 3; fi`,
    );
    await window.quick.title(/^Results: echo "from/);
    const rows = window.quick.rows();
    assert.equal(rows.filter((row) => /from \//.test(row)).length, 1, rows.join('\n'));
    assert.equal(rows.filter((row) => /exit code 3: broken/.test(row)).length, 1, rows.join('\n'));
    await window.quick.pick('Retry Failed');
    await computer().until(
      'no row to fail',
      () => !window.quick.rows().some((row) => /broken|Retry/.test(row)),
    );
    // The output of one leaves those of the others within reach.
    for (const name of ['sweep-3', 'sweep-2']) {
      await window.quick.pick(name);
      await window.document(/from \//);
      await window.quick.title(/^Results: echo "from/);
    }
    window.quick.escape();
  });

  it('copies files to each and shows the end of each log', async () => {
    const local = path.join(computer().workspace, 'données.txt');
    writeFileSync(local, 'data');
    const to = path.join(computer().root, 'copied here');
    window.screen.answerFileDialog = () => Promise.resolve([local]);
    await window.view('instances').menu('sweep-2', 'Upload…', ['sweep-3']);
    await window.quick.title('Upload');
    await window.quick.type(to);
    await window.quick.title(/^Results: Copy to .*copied here$/);
    await window.quick.row(/sweep-2.*1 file/);
    assert.equal(readFileSync(path.join(to, 'données.txt'), 'utf8'), 'data');
    window.quick.escape();
    computer().simulator.fail({
      ...{ kind: 'error', status: 403, error: 'not_allowed' },
      ...{ method: 'PUT', path: '/api/v0/instances/request_logs/*' },
    });
    window.run('Show Logs…');
    await window.quick.tick(/sweep-2/, /sweep-3/);
    await window.quick.enter();
    await window.quick.row('Retry Failed');
    assert.equal(window.quick.rows().filter((row) => row.includes('refused the request')).length, 1);
    await window.quick.pick('Retry Failed');
    await computer().until('no row to fail', () => !window.quick.rows().some((row) => row.includes('Retry')));
    await window.quick.pick('sweep-2');
    await window.document(/./);
  });

  it('replaces files only after one answer for all instances, and asks again after a no', async () => {
    const local = path.join(computer().workspace, 'données.txt');
    const there = path.join(computer().root, 'copied here', 'données.txt');
    const before = readFileSync(there, 'utf8');
    writeFileSync(local, 'other data');
    window.screen.answerFileDialog = () => Promise.resolve([local]);
    await window.view('instances').menu('sweep-2', 'Upload…', ['sweep-3']);
    await window.quick.title('Upload');
    await window.quick.type(path.dirname(there));
    const { detail } = await window.dialog('Replace existing files on these instances?');
    assert.match(detail ?? '', /even if it is newer\. sweep-[23]: données\.txt\.$/);
    await window.dialogButton('Cancel');
    await window.quick.row(/sweep-2.*nothing copied, to keep existing files/);
    await window.quick.row(/sweep-3.*nothing copied, to keep existing files/);
    assert.equal(readFileSync(there, 'utf8'), before);
    await window.quick.pick('Retry Failed');
    await window.dialogButton('Replace', 'Replace existing files on these instances?');
    await window.quick.row(/sweep-2.*1 file/);
    assert.equal(readFileSync(there, 'utf8'), 'other data');
    window.quick.escape();
  });

  it('names what it did not copy, and why', async () => {
    const pipe = path.join(computer().root, 'pipe');
    execFileSync('mkfifo', [pipe]);
    window.screen.answerFileDialog = () => Promise.resolve([pipe]);
    await window.view('instances').menu('sweep-2', 'Upload…', ['sweep-3']);
    await window.quick.title('Upload');
    await window.quick.type(path.join(computer().root, 'copied here'));
    await window.quick.pick(/sweep-2.*left out: 1/);
    await window.document(/^pipe \(neither a file nor a folder\)/);
  });

  it('are saved for all that run in another folder, which is shown in the file manager, or in a window', async () => {
    const { executed, ofEditor } = window.screen.commands;
    const elsewhere = path.join(computer().root, 'host files');
    mkdirSync(elsewhere);
    window.screen.answerFileDialog = () => Promise.resolve([elsewhere]);
    window.run('Save Host Files…');
    await window.toastButton(/^Saved host files .* Instances: 4/, 'Choose Again…');
    await window.quick.title('Save Host Files');
    await window.quick.enter();
    await window.quick.pick('In Another Folder…');
    await window.toastButton(/^Saved host files in .*host files\. Instances: 6/, 'Show the Folder');
    // The editor in a browser does not have the command.
    await window.toastButton(/^The folder is .*host files/, 'Open in New Window');
    await computer().until('a new window', () => executed.some(({ id }) => id === 'vscode.openFolder'));
    const revealed: unknown[] = [];
    ofEditor.set('revealFileInOS', (uri) => revealed.push(uri));
    window.run('Save Host Files…');
    await window.toastButton(/^Saved host files in .*host files\. Instances: 6/, 'Show the Folder');
    await computer().until('the file manager', () => revealed.length === 1);
    window.clearToasts();
  });

  it('never replace files that you changed, or of other tools, without a yes', async () => {
    const other = path.join(computer().root, 'host files', 'inventory.yml');
    writeFileSync(other, 'all: {}\n');
    window.run('Save Host Files…');
    const { detail } = await window.dialog('Replace 1 file on this computer?');
    assert.match(detail ?? '', /inventory\.yml/);
    await window.dialogButton('Not Now');
    await computer().rest();
    assert.equal(readFileSync(other, 'utf8'), 'all: {}\n');
    window.run('Save Host Files…');
    await window.dialogButton('Replace', 'Replace 1 file on this computer?');
    await saved(6);
    assert.match(readFileSync(other, 'utf8'), alias(second));
    window.clearToasts();
  });

  it('are neither saved nor called out of date if the list can’t be read', async () => {
    const place = path.join(computer().root, 'host files', 'hosts.txt');
    const before = readFileSync(place, 'utf8');
    computer().simulator.fail({
      ...{ kind: 'error', status: 500, method: 'GET' },
      ...{ path: '/api/v1/instances/', times: 0 },
    });
    await computer().pass(300_000);
    await computer().rest();
    await window.view('instances').noRow('Save Again');
    window.clearToasts();
    window.run('Save Host Files…');
    await window.toast(/The service has a problem of its own/);
    assert.equal(readFileSync(place, 'utf8'), before);
    window.clearToasts();
  });

  it('stay yours after a sign-out, which forgets what was chosen', async () => {
    computer().simulator.faults.clear();
    window.run('Sign Out');
    await window.dialogButton('Sign Out');
    await computer().rest();
    assert.ok(existsSync(path.join(folder(), 'hosts.txt')));
    await window.signIn();
    window.run('Save Host Files…');
    await window.quick.title('Save Host Files');
    window.quick.escape();
    window.clearToasts();
  });
});
