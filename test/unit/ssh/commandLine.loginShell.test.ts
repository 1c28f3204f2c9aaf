import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { byPosixShell } from '../../../src/ssh/commandLine';
import { chosenFiles } from '../../../src/ssh/fileTree';
import { probeGpus } from '../../../src/ssh/gpuProbe';
import { interpreterFor, runScript, sendFile } from '../../../src/ssh/runFile';
import type { SshService } from '../../../src/ssh/service';
import { upload } from '../../../src/ssh/upload';
import { systemClock } from '../../../src/util/clock';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';

/**
 * Reads a command as fish does: a backslash also escapes a quote and itself within single quotes, and most of what a POSIX
 * script is made of is an error.
 */
const otherShell = `#!${process.execPath}
import { spawnSync } from 'node:child_process';
const [, mark, text] = /^(?:echo ([0-9a-f]+); )?([^]*)$/.exec(process.argv.at(-1));
if (mark) console.log(mark);
const words = [];
let word;
let isQuoted = false;
for (let at = 0; at < text.length; at += 1) {
  const sign = text[at];
  const next = text[at + 1];
  if (sign === '\\\\' && (!isQuoted || next === '\\\\' || next === "'")) {
    word = (word ?? '') + next;
    at += 1;
  } else if (sign === "'") {
    isQuoted = !isQuoted;
    word ??= '';
  } else if (sign === ' ' && !isQuoted) {
    if (word !== undefined) words.push(word);
    word = undefined;
  } else if (!isQuoted && /[$(){};|&<>*?#"\\n]/.test(sign)) {
    console.error('fish: Unexpected ' + sign);
    process.exit(127);
  } else {
    word = (word ?? '') + sign;
  }
}
if (word !== undefined) words.push(word);
if (words.shift() !== 'exec' || isQuoted) {
  console.error('fish: Unknown command');
  process.exit(127);
}
const [program, ...args] = words;
process.exit(spawnSync(program, args, { stdio: 'inherit' }).status ?? 1);
`;

describe('A machine whose login shell is not a POSIX shell', () => {
  let home: SshHome;
  let machine: SshMachine;
  let ssh: SshService;

  before(async () => {
    home = new SshHome();
    const key = home.key();
    machine = new SshMachine();
    const shell = join(machine.dir, 'shell.mjs');
    writeFileSync(shell, otherShell, { mode: 0o755 });
    await machine.start({
      env: { SHELL: shell },
      extra: [`ForceCommand exec ${shell} -c "$SSH_ORIGINAL_COMMAND"`],
    });
    machine.authorize(key);
    ssh = home.service();
    const instance = sshInstance(machine.port);
    await ssh.prepare({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
  });
  after(async () => {
    await machine.dispose();
    home.dispose();
  });

  it('is given quotes, backslashes and lines as they are', async () => {
    const script = `printf '%s|' 'it'"'"'s' 'a\\b' "c\\\\d" '\\\\'\necho "$((40 + 2))"`;
    assert.equal((await ssh.exec('gpu-7', script)).stdout, "it's|a\\b|c\\d|\\\\|42\n");
    assert.equal(byPosixShell('true'), "exec /bin/sh -c 'true'");
  });

  it('runs a command of the user itself', async () => {
    const { code, stderr } = await ssh.exec('gpu-7', 'echo $((40 + 2))', { usesLoginShell: true });
    assert.deepEqual([code, stderr], [127, 'fish: Unexpected $\n']);
  });

  it('passes its check', async () => {
    const { kind } = await probeGpus(ssh, 'gpu-7', { clock: systemClock });
    assert.equal(kind, 'proof');
  });

  it('receives files and runs them', async () => {
    const file = home.write('print', join(home.root, "it's.txt"));
    const deps = { ssh, clock: systemClock, platform: process.platform };
    const target = join(machine.dir, 'home', 'data');
    assert.deepEqual((await upload(deps, 'gpu-7', await chosenFiles([file]), target)).leftOut, []);
    const source = { name: 'run.sh', content: 'echo "ran $((40 + 2))"\n' };
    const folder = await sendFile(ssh, 'gpu-7', source);
    const script = runScript(folder, source.name, interpreterFor(source.name, source.content), {
      ended: "it's over",
    });
    const { stdout } = await ssh.exec('gpu-7', script, { usesLoginShell: true, input: '\n' });
    assert.match(stdout, /ran 42\n\nit's over 0\n/);
  });
});
