import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { ScriptAnswer } from '../../../../src/ssh/answer';
import { IdleMachine, ownLook, ownWork } from '../../../support/idleMachine';
import { jupyterStandIn } from '../../../support/jupyterStandIn';

type Setting = (machine: IdleMachine, scene: { readonly work: ChildProcess }) => unknown;

/** A case: what there is, whether it is use, and how it comes about. */
type Case = readonly [what: string, isUse: boolean, set: Setting];

const idle: Setting = () => undefined;
const login =
  (title: string, ...programs: readonly (readonly string[])[]): Setting =>
  (machine) =>
    machine.login(title, ...programs);
const gpus =
  (text: string): Setting =>
  (machine) =>
    machine.gpus(text);
const runs =
  (...words: readonly string[]): Setting =>
  (machine) =>
    machine.process(words);
const each =
  (script: string): Setting =>
  (machine) =>
    machine.each(script);
const prints: Setting = (machine) => {
  machine.write('dev/pts/3', 'step');
  machine.each('echo step >"$HOME/dev/pts/3"');
};
const all =
  (...settings: readonly Setting[]): Setting =>
  async (machine, scene) => {
    for (const set of settings) {
      await set(machine, scene);
    }
  };
/** The first login is gone when the timer looks again. */
const goes = (set: Setting): Setting => all(set, each('rm -rf "$HOME/proc/101"'));
/** Its command is there when the timer looks again. */
const begins: Setting = (machine) => {
  machine.process(['sshd: root@notty']);
  machine.process(['bash', '-c', 'make'], 1);
  machine.each('echo "102 (a) S 101 1 1" >"$HOME/proc/102/stat"');
};
const look = login('sshd: root@notty', ownLook());

/** A job of ours, or another process with the number in its files. */
const job =
  (phase: string, born?: string): Setting =>
  (machine, { work }) => {
    const folder = machine.file('.gpu-rental/jobs/abc01');
    mkdirSync(folder);
    const since = readFileSync(`/proc/${work.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];
    writeFileSync(`${folder}/pid`, `${work.pid} ${born ?? since}\n`);
    writeFileSync(`${folder}/phase`, `${phase} 1\n`);
  };

const servers: { readonly end: () => void }[] = [];
/** A notebook server of ours, and a kernel of it. */
const notebook =
  (state: string, kernel?: 'waits' | 'works'): Setting =>
  async (machine) => {
    mkdirSync(machine.file('.gpu-rental/jupyter/run'), { recursive: true });
    writeFileSync(machine.file('.gpu-rental/jupyter/token'), 'f'.repeat(64));
    writeFileSync(machine.file('state'), state);
    const server = await jupyterStandIn(machine.home, kernel);
    servers.push(server);
    machine.write(
      `.gpu-rental/jupyter/run/jpserver-${server.pid}.json`,
      JSON.stringify({ port: server.port }),
    );
  };

const python = ['python3', 'train.py'];
const bash = ['-bash'];
const sftp = '/usr/lib/openssh/sftp-server';

/** What only the timer judges: the list of the service shows GPUs, and our own files jobs. */
const judgedByTimer: readonly Case[] = [
  ['a GPU at 4 %', false, gpus('4\n')],
  ['a GPU at 5 %', true, gpus('5\n')],
  ['a GPU at 6 %', true, gpus('6\n')],
  ['the second of two GPUs at work', true, gpus('0\n100\n')],
  [
    'a GPU that works one second in ten',
    true,
    each('if [ $((now % 20)) = 0 ]; then echo 90; else echo 0; fi >"$HOME/gpus"'),
  ],
  ['a driver that says nothing', true, gpus('')],
  ['a driver that does not know', true, gpus('[N/A]\n')],
  ['a driver that fails', true, gpus('NVIDIA-SMI has failed because it could not communicate\n')],
  ['a driver that prints in another way', true, gpus('0 %\n')],
  ['no nvidia-smi', true, (machine) => rmSync(machine.file('bin/nvidia-smi'))],
  ['training that waits for data, in a job', true, job('running')],
  ['a process that was left running and uses a GPU', true, all(runs(...python), gpus('80\n'))],
  ['a job that sets its machine up', true, job('settingUp')],
  ['a job that has ended', false, job('ended')],
  ['a job whose process is gone', false, job('running', '1')],
  ['a clock that is set forward', false, each('if [ "$now" = 10 ]; then echo 9000000 >"$HOME/day"; fi')],
  ['a clock that is set back', false, each('if [ "$now" = 10 ]; then echo 1000 >"$HOME/day"; fi')],
  ['no uptime', false, each('rm -f "$HOME/proc/uptime"')],
];

/** What an editor asks the machine before it stops it, as well. */
const judgedByBoth: readonly Case[] = [
  ['nothing', false, idle],
  // Work without a login.
  ['training that waits for data, in a process that was left running', false, runs(...python)],
  [
    'training that waits for data, with a progress bar in a detached terminal',
    true,
    all(runs(...python), prints),
  ],
  ['a quiet download with curl that was left running', false, runs('curl', '-sO', 'https://example.org/a')],
  ['a quiet download with wget that was left running', false, runs('wget', '-q', 'https://example.org/a')],
  [
    'a download with a progress bar in a detached terminal',
    true,
    all(runs('wget', 'https://example.org/a'), prints),
  ],
  ['a command of cron', false, runs('/bin/sh', '-c', '/usr/sbin/logrotate /etc/logrotate.conf')],
  ['a shell that sleeps', false, runs('sh', '-c', 'sleep 100000')],
  ['a server that waits for logins', false, runs('sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups')],
  ['someone who is about to log in', false, runs('sshd: root [priv]')],
  // Terminals.
  ['a detached tmux with a busy program', true, all(runs('tmux: server'), prints)],
  ['a detached tmux with a quiet program', false, all(runs('tmux: server'), runs(...python))],
  ['a detached screen with a busy program', true, all(runs('SCREEN', '-S', 'a'), prints)],
  ['a detached screen with a quiet program', false, runs('SCREEN', '-S', 'a')],
  ['no list of terminals', true, (machine) => rmSync(machine.file('dev'), { recursive: true })],
  // Logins of people.
  ['a terminal that is left open', true, login('sshd: root@pts/0', bash)],
  ['a terminal with a newer OpenSSH', true, login('sshd-session: root@pts/0', bash)],
  ['a terminal where no program of it is seen', true, login('sshd: root@pts/0')],
  [
    'a remote window that is left open over night',
    true,
    login('sshd: root@notty', ['bash'], ['/root/.vscode-server/node']),
  ],
  ['what a closed remote window left running', false, runs('/root/.vscode-server/node', 'server-main.js')],
  ['a command of the user', true, login('sshd: root@notty', ['bash', '-c', 'sleep 900'])],
  [
    'a command of the user that names our looks',
    true,
    login('sshd: root@notty', ['bash', '-c', 'pgrep -f gpu-rental-look']),
  ],
  [
    'a command of the user that has our words as words',
    true,
    login('sshd: root@notty', ['grep', ...ownLook()]),
  ],
  [
    'a command of the user that prints our look',
    true,
    login('sshd: root@notty', ['bash', '-c', `echo "${new ScriptAnswer(true).command}"`]),
  ],
  ['a file transfer of the user over SFTP', true, login('sshd: root@notty', [sftp])],
  ['a file transfer of the user over SFTP within the server', true, login('sshd: root@internal-sftp')],
  ['a file transfer of the user with scp', true, login('sshd: root@notty', ['bash', '-c', 'scp -t .'])],
  ['a file transfer of the user with rsync', true, login('sshd: root@notty', ['rsync', '--server', '.'])],
  ['a shared connection that is kept open', true, login('sshd: root@notty')],
  ['a transfer or command that we run for the user', true, login('sshd: root@notty', ownWork())],
  // Our own looks.
  ['a look of ours', false, look],
  ['a look of ours with a newer OpenSSH', false, login('sshd-session: root@notty', ownLook())],
  [
    'a look of ours whose login shell still starts',
    false,
    login('sshd: root@notty', ['bash', '-c', new ScriptAnswer(true).command]),
  ],
  [
    'a look of ours in fish that still starts',
    false,
    login('sshd: root@notty', ['/usr/bin/fish', '-c', new ScriptAnswer(true).command]),
  ],
  [
    'a look of ours that has ended',
    false,
    goes((machine) => machine.process([], machine.process(['sshd: root@notty']), 'Z')),
  ],
  ['a login that begins and is none of ours', true, begins],
  ['two looks of ours at a time', false, all(look, look)],
  [
    'a look of ours beside a command of the user',
    true,
    all(look, login('sshd: root@notty', ['bash', '-c', 'make'])),
  ],
  [
    'a look of ours in the connection of a user',
    true,
    login('sshd: root@notty', ownLook(), ['bash', '-c', 'make']),
  ],
  ['a look of ours on a terminal of a user', true, login('sshd: root@pts/1', ownLook())],
  // Kernels.
  ['a cell that runs', true, notebook('busy', 'waits')],
  ['a notebook between two cells', false, notebook('idle', 'waits')],
  ['a kernel that is silent', true, notebook('broken', 'waits')],
  ['a notebook server without kernels', false, notebook('broken')],
];

describe('A timer on an idle machine', () => {
  let machine: IdleMachine;
  let work: ChildProcess;
  beforeEach(() => {
    machine = new IdleMachine();
    work = spawn('sleep', ['100']);
  });
  afterEach(() => {
    servers.splice(0).forEach((one) => one.end());
    work.kill();
    machine.dispose();
  });

  for (const [what, isUse, set] of [...judgedByTimer, ...judgedByBoth]) {
    it(`treats ${what} as ${isUse ? 'use' : 'no use'}`, async () => {
      await set(machine, { work });
      assert.equal(machine.stoppedAt(), isUse ? undefined : 30);
    });
  }

  for (const [what, isUse, set] of judgedByBoth) {
    it(`is stopped by an editor only where ${what} ${isUse ? 'is gone' : 'is there'}`, async () => {
      await set(machine, { work });
      assert.equal(machine.asked().replace(/^silent \d+$/, 'busy'), isUse ? 'busy' : 'idle');
    });
  }

  it('begins its count again with each use, and after time in which nothing looked', () => {
    machine.each('if [ "$now" = 20 ]; then echo 50 >"$HOME/gpus"; else echo 0 >"$HOME/gpus"; fi');
    assert.equal(machine.stoppedAt(), 50);
    const asleep = new IdleMachine();
    asleep.each(
      'if [ "$now" = 20 ]; then echo "4000.00 1" >"$HOME/proc/uptime"; echo 1003900 >"$HOME/day"; fi',
    );
    assert.equal(asleep.stoppedAt(), 50);
    asleep.dispose();
  });

  it('is kept for as long as the user chose, and counts from its last use after that', () => {
    assert.equal(machine.stoppedAt({ keptSeconds: 100 }), 100);
    const used = new IdleMachine();
    used.each('if [ "$now" = 90 ]; then echo 50 >"$HOME/gpus"; else echo 0 >"$HOME/gpus"; fi');
    assert.equal(used.stoppedAt({ keptSeconds: 100 }), 120);
    used.dispose();
  });
});
