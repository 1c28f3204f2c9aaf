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

const run = promisify(execFile);

describe('instances in tools that work by SSH', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let first: number;
  let second: number;

  const folder = () => path.join(computer().workspace, '.gpu-rental', 'crew');
  const file = (name: string) => readFileSync(path.join(folder(), name), 'utf8');
  const alias = (id: number) => new RegExp(`gpu-[0-9a-f]{6}-${id}\\b`);
  const hosts = () => file('hosts.txt').trim().split('\n');

  async function shell(line: string): Promise<string> {
    const { stdout } = await run('/bin/sh', ['-c', line], { cwd: folder(), timeout: 60_000 });
    return stdout;
  }

  /** The line that waits in the terminal, run as a user would by an Enter. */
  async function enter(name: string): Promise<string> {
    const terminal = window.screen.terminals.all.find((one) => one.name.startsWith(name));
    assert.ok(terminal?.isShown, 'no terminal is shown');
    const [line = ''] = terminal.sent;
    terminal.dispose();
    return shell(line);
  }

  /** From the row of the group to the command that is named. */
  async function use(engine: string, command: string): Promise<void> {
    await window.view('instances').expand('Groups for Other Tools');
    await window.view('instances').menu('crew', 'Use Group in…');
    await window.quick.pick(engine);
    await window.quick.title(`${engine}: crew`);
    await window.quick.pick(command);
  }

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

  it('leads to the guide for what rented containers can’t carry', async () => {
    const shown: string[] = [];
    window.screen.commands.ofEditor.set('markdown.showPreview', (page) => shown.push(String(page)));
    window.run('Use These Instances in…');
    await window.quick.title('Use These Instances in');
    const rows = window.quick.rows();
    const names = ['Ansible', 'GNU parallel', 'ClusterShell', 'hosts.txt'];
    const all = [...names, 'Slurm'];
    assert.equal(rows.length, all.length, rows.join('\n'));
    all.forEach((name, at) => {
      assert.ok(rows[at]?.includes(name), `${name} is row ${at + 1}`);
    });
    await window.quick.pick('Slurm');
    await computer().rest();
    assert.equal(window.quick.isOpen, false);
    assert.match(shown.join(), /\/guides\/engines\.md$/);
    assert.equal(existsSync(folder()), false);
    assert.equal(window.screen.terminals.all.length, 0);
  });

  it('writes files that name a group by label, and leaves the command in a terminal', async () => {
    window.run('Use These Instances in…');
    await window.quick.pick('Ansible');
    await window.quick.pick('Instances by Label…');
    await window.quick.type('sweep-*');
    await window.quick.type('crew');
    await window.quick.pick('In the Workspace');
    await window.quick.title('Ansible: crew');
    await window.quick.pick('Run a Command');
    assert.equal(hosts().length, 5);
    assert.match(hosts().join(), alias(first));
    assert.match(hosts().join(), alias(second));
    for (const name of ['sshloginfile', 'inventory.yml', 'groups.conf', 'groups.d/gpurental.yaml']) {
      assert.match(file(name), /^# Written by GPU Rental\./);
      assert.equal(statSync(path.join(folder(), name)).mode & 0o077, 0);
    }
    const said = await enter('Ansible');
    assert.equal(said.match(/rc=0/g)?.length, 5, said);
  });

  /** Each tool runs its command on each machine of the group. */
  async function runsOnFive(): Promise<void> {
    await use('Ansible', 'Run a Command');
    const ansible = await enter('Ansible');
    assert.equal(ansible.match(/rc=0/g)?.length, 5, ansible);
    await use('ClusterShell', 'Run a Command');
    // Machines that answer alike stand together: "gpu-0a1b2c-[7-9] (3)".
    const answers = [...(await enter('ClusterShell')).matchAll(/^gpu-\S+(?: \((\d+)\))?\n-+\nGPU 0/gm)];
    assert.equal(
      answers.reduce((sum, [, machines = '1']) => sum + Number(machines), 0),
      5,
    );
    await use('GNU parallel', 'Run a Command on Each');
    const lines = (await enter('GNU parallel')).split('\n').filter((line) => line.includes('GPU 0'));
    assert.equal(new Set(lines.map((line) => line.split('\t')[0])).size, 5, lines.join('\n'));
    await use('hosts.txt', 'Run a Command');
    assert.equal((await enter('hosts.txt')).match(/GPU 0/g)?.length, 5);
  }

  it('runs the commands of Ansible, ClusterShell and GNU parallel as they are offered', runsOnFive);

  it('runs each line of a file once, on any free machine', async () => {
    writeFileSync(path.join(folder(), 'arguments.txt'), '1\n2\n3\n4\n5\n');
    await use('GNU parallel', 'Run a Command for Each Line');
    const terminal = window.screen.terminals.all.find((one) => one.name.startsWith('GNU parallel'));
    const line = (terminal?.sent[0] ?? '').replace('cd /workspace && ./train.sh {}', 'echo task {}');
    terminal?.dispose();
    const stdout = await shell(line);
    assert.deepEqual([...stdout.matchAll(/task (\d)/g)].map(([, n]) => n).sort(), ['1', '2', '3', '4', '5']);
  });

  it('removes what ends, adds what is new, and writes nothing while nothing changes', async () => {
    const written = statSync(path.join(folder(), 'inventory.yml')).mtimeMs;
    await computer().pass(120_000);
    await computer().rest();
    assert.equal(statSync(path.join(folder(), 'inventory.yml')).mtimeMs, written);
    await computer().simulator.call('PUT', `/api/v0/instances/${first}/`, { state: 'stopped' });
    const third = await computer().rentRunning({ label: 'sweep-6', runtype: 'ssh_direct' });
    await window.view('instances').menu(/sweep-6.*Running/, 'Open Terminal');
    await computer().until(
      'the files to follow',
      () => !alias(first).test(file('hosts.txt')) && alias(third).test(file('hosts.txt')),
    );
    assert.match(file('inventory.yml'), alias(third));
    assert.doesNotMatch(file('sshloginfile'), alias(first));
  });

  it('runs on five again, and needs no new file, where one has moved to another port', async () => {
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
      await runsOnFive();
    } finally {
      moved.close();
    }
    assert.ok(logins >= 4, `each tool comes to the new port: ${logins}`);
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

  it('shows a folder outside of the workspace in the file manager, or in a window where there is none', async () => {
    const { executed, ofEditor } = window.screen.commands;
    const elsewhere = path.join(computer().root, 'host files');
    mkdirSync(elsewhere);
    window.screen.answerFileDialog = () => Promise.resolve([elsewhere]);
    window.run('Use These Instances in…');
    await window.quick.pick('hosts.txt');
    await window.quick.pick('New Group…');
    await window.quick.pick('All Running Instances');
    await window.quick.type('away');
    await window.quick.pick('In Another Folder…');
    await window.quick.pick('Show the Folder');
    // The editor in a browser does not have the command.
    await window.toastButton(/^The folder is .*host files/, 'Open in New Window');
    await computer().until('a new window', () => executed.some(({ id }) => id === 'vscode.openFolder'));
    const revealed: unknown[] = [];
    ofEditor.set('revealFileInOS', (uri) => revealed.push(uri));
    await window.view('instances').menu('away', 'Use Group in…');
    await window.quick.pick('hosts.txt');
    await window.quick.pick('Show the Folder');
    await computer().until('the file manager', () => revealed.length === 1);
  });

  it('never writes over files that are not ours', async () => {
    const other = path.join(computer().workspace, '.gpu-rental', 'mine');
    mkdirSync(other, { recursive: true });
    writeFileSync(path.join(other, 'inventory.yml'), 'all: {}\n');
    window.run('Use These Instances in…');
    await window.quick.pick('ClusterShell');
    await window.quick.pick('New Group…');
    await window.quick.pick('All Running Instances');
    await window.quick.type('mine');
    await window.quick.pick('In the Workspace');
    await window.toast(/files of other tools.*inventory\.yml/);
    assert.equal(readFileSync(path.join(other, 'inventory.yml'), 'utf8'), 'all: {}\n');
  });

  it('keeps what it wrote if the list can’t be read', async () => {
    const before = file('hosts.txt');
    computer().simulator.fail({
      kind: 'error',
      status: 500,
      method: 'GET',
      path: '/api/v1/instances/',
      times: 0,
    });
    await computer().pass(300_000);
    await computer().rest();
    assert.equal(file('hosts.txt'), before);
  });

  it('leaves nothing of an account that signs out', async () => {
    computer().simulator.faults.clear();
    window.run('Sign Out');
    await window.dialogButton('Sign Out');
    await computer().until('the files to go', () => !existsSync(path.join(folder(), 'hosts.txt')));
    assert.ok(!existsSync(path.join(folder(), 'inventory.yml')));
    assert.ok(existsSync(path.join(folder(), 'arguments.txt')));
  });
});
