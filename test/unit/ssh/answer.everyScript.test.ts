import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createJobMachine } from '../../../src/jobs/machine/createJobMachine';
import { jobPrograms } from '../../../src/jobs/machine/programs';
import { readKernelUse } from '../../../src/notebooks/machine/kernelUse';
import { findServer } from '../../../src/notebooks/machine/notebookServer';
import { checkTimer, checkTimerAnd, disarmTimer } from '../../../src/schedules/machine/machineTimer';
import { InputTakenError } from '../../../src/ssh/answer';
import { download } from '../../../src/ssh/download';
import { chosenFiles } from '../../../src/ssh/fileTree';
import { probeAgainScript, probeGpus } from '../../../src/ssh/gpuProbe';
import { parseProof, proofGreeting } from '../../../src/ssh/proofText';
import { readFolders } from '../../../src/ssh/remoteFolders';
import { sendFile } from '../../../src/ssh/runFile';
import type { SshService } from '../../../src/ssh/service';
import { runTimed } from '../../../src/ssh/timedCommand';
import { findUnsavedWork } from '../../../src/ssh/unsavedWork';
import { upload } from '../../../src/ssh/upload';
import { systemClock } from '../../../src/util/clock';
import { openedFolder } from '../../support/openedFolder';
import { sized } from '../../support/seeded';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';

const alias = 'gpu-7';
const clock = systemClock;

interface Place {
  readonly ssh: SshService;
  /** Of the machine. */
  readonly home: string;
  /** Of this computer. */
  readonly root: string;
}

/** Each script that is sent, and its result where nothing disturbs. */
const scripts: Readonly<Record<string, (place: Place) => Promise<unknown>>> = {
  'the check of a timer': async ({ ssh }) => {
    const order = { serviceUrl: 'https://none.invalid', instanceId: 7, action: 'stop', mode: 'at' } as const;
    assert.equal((await checkTimer(ssh, alias, { ...order, seconds: 9, token: 'ab' })).kind, 'noKey');
  },
  'the check of a timer and of its machine': async ({ ssh }) => {
    const order = { serviceUrl: 'https://none.invalid', instanceId: 7, action: 'stop', mode: 'at' } as const;
    const { verdict, rest } = await checkTimerAnd(
      ssh,
      alias,
      { ...order, seconds: 9, token: 'ab' },
      { program: probeAgainScript, mark: proofGreeting },
    );
    assert.deepEqual([verdict.kind, parseProof(rest, 0)?.kind], ['noKey', 'proof']);
  },
  'the end of a timer': async ({ ssh }) => {
    assert.equal(await disarmTimer(ssh, alias, 7), true);
  },
  'the check of a machine': async ({ ssh }) => {
    assert.equal((await probeGpus(ssh, alias, { clock })).kind, 'proof');
  },
  notebooks: async ({ ssh }) => {
    assert.equal((await findServer(ssh, alias)).kind, 'none');
  },
  'the use of kernels': async ({ ssh }) => {
    assert.equal(await readKernelUse(ssh, alias), 'idle');
  },
  'unsaved work': async ({ ssh }) => {
    assert.equal(
      (
        await findUnsavedWork(ssh, alias, [{ script: jobPrograms.others, read: () => [] }], {
          timeoutMs: 30_000,
        })
      )?.isComplete,
      true,
    );
  },
  folders: async ({ ssh, home }) => {
    assert.equal((await readFolders(ssh, alias)).home, home);
  },
  'a file to run': async ({ ssh }) => {
    const folder = await sendFile(ssh, alias, { name: 'a.sh', content: "echo 'it\\'s'\n" });
    assert.equal(readFileSync(join(folder, 'a.sh'), 'utf8'), "echo 'it\\'s'\n");
    rmSync(folder, { recursive: true });
  },
  'files there and back': async ({ ssh, home, root }) => {
    const deps = { ssh, clock, platform: process.platform };
    const [from, back] = [join(root, 'data'), join(root, 'back')];
    [from, back].forEach((folder) => mkdirSync(folder, { recursive: true }));
    writeFileSync(join(from, 'a b.bin'), Buffer.from(Array.from({ length: 5000 }, (_, at) => at % 256)));
    assert.deepEqual((await upload(deps, alias, await chosenFiles([from]), join(home, 'in'))).leftOut, []);
    assert.deepEqual((await download(deps, alias, join(home, 'in/data'), openedFolder(back))).leftOut, []);
    assert.ok(readFileSync(join(back, 'data/a b.bin')).equals(readFileSync(join(from, 'a b.bin'))));
  },
  'a job': async ({ ssh, home }) => {
    const order = { id: '0123456789abcdef01', name: 'j', attempt: 1, outputs: [], run: 'true\n' };
    const limits = { setupSeconds: 9, limitSeconds: 9, graceSeconds: 5, env: {}, secrets: {} };
    const machine = createJobMachine({ ssh, clock, platform: process.platform, alias });
    await machine.begin({ ...order, ...limits, workspaceKey: 'ab', after: [] });
    assert.equal(readFileSync(join(home, `.gpu-rental/jobs/${order.id}/run.sh`), 'utf8'), 'true\n');
  },
  'a command of an agent': async ({ ssh }) => {
    const command = 'for one in a "b c"; do echo "$one"; done; exit 3';
    const { code, stdout, stderr } = await runTimed({ ssh, clock }, alias, command, { timeoutMs: 20_000 });
    // It reports the reason in place of a result.
    if (code === null && stderr === new InputTakenError().message) {
      throw new InputTakenError();
    }
    assert.deepEqual([code, stdout], [3, 'a\nb c\n']);
  },
  'a command on several machines': async ({ ssh }) => {
    const { code, stdout } = await ssh.exec(alias, "echo 'two  words'", { usesLoginShell: true });
    assert.deepEqual([code, stdout], [0, 'two  words\n']);
  },
};

/** What each shell reads at each start, and how it reads a line. */
const shells: Readonly<Record<string, { readonly file?: string; readonly read: string }>> = {
  sh: { read: 'read -r answer' },
  bash: { read: 'read -r answer' },
  dash: { read: 'read -r answer' },
  zsh: { file: '.zshenv', read: 'read -r answer' },
  fish: { file: '.config/fish/config.fish', read: 'read answer' },
  tcsh: { file: '.tcshrc', read: 'set answer = $<' },
};

const starts: Readonly<Record<string, (read: string) => string>> = {
  'says nothing': () => '',
  'prints without a line end': () => 'printf "\\033]0;box\\007"',
  'prints what it was given': () => 'echo "$SSH_ORIGINAL_COMMAND"; printf "//gpu-rental<"',
  'asks a question': (read) => `printf "Update now? "; ${read}`,
  'leaves a process that holds the pipes': () => 'sleep 60 &',
  // Once for each login, and after its shell: what is printed while a command runs belongs to its output.
  'prints later': () =>
    `sh -c 'mkdir "$HOME/began" 2>/dev/null && n=0; while [ $((n += 1)) -lt 1000 ] && kill -0 "$PPID" 2>/dev/null; do sleep 0.01; done; sleep 1; echo late' &`,
  'reads all': () => 'cat >/dev/null',
  'repeats all': () => 'cat',
};
/** Nothing is left of the script, which is told. */
const takesAll = ['reads all', 'repeats all'];

describe('Each script that runs on a machine', () => {
  let home: SshHome;
  let machine: SshMachine;
  let place: Place;
  const ofMachine = (name: string) => join(machine.dir, name);

  before(async () => {
    home = new SshHome();
    const key = home.key();
    machine = await new SshMachine().start();
    machine.authorize(key);
    const ssh = home.service();
    const instance = sshInstance(machine.port);
    await ssh.prepare({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
    machine.authorize(`command="exec sh ${ofMachine('enter')}" ${key}`);
    place = { ssh, home: ofMachine('home'), root: home.root };
  });
  after(async () => {
    await machine.dispose();
    home.dispose();
  });

  const enter = (shell: string, file: string | undefined, line: string) => {
    for (const one of Object.values(shells)) {
      rmSync(ofMachine(`home/${one.file ?? 'start'}`), { force: true });
    }
    const start = ofMachine(`home/${file ?? 'start'}`);
    mkdirSync(join(start, '..'), { recursive: true });
    writeFileSync(start, `${line}\n`);
    const command = file === undefined ? '. "$HOME/start"; eval "$SSH_ORIGINAL_COMMAND"' : undefined;
    writeFileSync(
      ofMachine('enter'),
      [
        `SHELL=$(command -v ${shell}) && export SHELL || exit 99`,
        // What the shell starts again would read it again.
        command === undefined ? 'exec "$SHELL" -c "$SSH_ORIGINAL_COMMAND"' : `exec "$SHELL" -c '${command}'`,
      ].join('\n'),
    );
  };

  const names = Object.keys(scripts);
  let turn = 0;
  for (const [shell, { file, read }] of Object.entries(shells)) {
    for (const [what, line] of Object.entries(starts)) {
      // Each script meets each shell and each start-up file; all of them together take minutes.
      const here = names.filter((_, at) => (at + turn) % names.length < sized(3, names.length));
      turn += 5;
      it(`answers with ${shell} and a start-up file that ${what}: ${here.join(', ')}`, async () => {
        enter(shell, file, line(read));
        for (const name of here) {
          rmSync(ofMachine('home/began'), { recursive: true, force: true });
          const result = Promise.resolve(scripts[name]?.(place));
          await (takesAll.includes(what)
            ? assert.rejects(
                result,
                /start-up file of its login shell reads the input|is not 'proof'|noLogin/,
              )
            : result);
        }
      });
    }
  }
});
