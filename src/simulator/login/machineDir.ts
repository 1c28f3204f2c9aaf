import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { engineTools, type EngineProgram } from '../engine/engineProgram';
import type { Slice } from '../market/market';
import type { InstanceState } from '../state';
import { deviceCount, machineTools } from './machineTools';
import { program, shellWord } from './shell';

/** The parts of a simulated machine that are not its home: a user in its shell does not find them by chance. */
export interface MachineDir {
  readonly dir: string;
  readonly home: string;
  readonly bin: string;
  readonly hostKeyFile: string;
  readonly hostKey: string;
  /** Starts any session. */
  readonly sessionScript: string;
  /** Gives a session the terminal's size, then starts it. */
  readonly terminalScript: string;
}

/** Rewrites the parts, except the host key, which a machine keeps for life. */
export function prepareMachine(
  instance: InstanceState,
  slice: Slice,
  home: string,
  engine?: EngineProgram,
): MachineDir {
  const dir = `${home}.machine`;
  const bin = path.join(dir, 'bin');
  rmSync(bin, { recursive: true, force: true });
  mkdirSync(bin, { recursive: true, mode: 0o700 });
  const hostKeyFile = keptHostKey(dir, `C.${instance.id}`);
  const tools = [...machineTools(instance, slice), ...(engine ? engineTools(engine) : [])];
  tools.forEach(([name, text]) => writeProgram(path.join(bin, name), text));
  writeDevices(path.join(dir, 'dev'), deviceCount(slice, instance.manner));
  writeFirstProcess(path.join(dir, 'proc', '1'));
  const sessionScript = path.join(dir, 'session.sh');
  const terminalScript = path.join(dir, 'terminal.sh');
  writeProgram(sessionScript, sessionText(instance, slice));
  writeProgram(terminalScript, terminalText(sessionScript));
  writeHomeFiles(instance, home, bin, banner(instance, slice));
  return {
    dir,
    home,
    bin,
    hostKeyFile,
    hostKey: readFileSync(hostKeyFile, 'utf8'),
    sessionScript,
    terminalScript,
  };
}

/** A server keeps its key for life. */
export function keptHostKey(dir: string, comment: string): string {
  const file = path.join(dir, 'host_key');
  if (!existsSync(file)) {
    writeFileSync(file, newHostKey(comment), { mode: 0o600 });
  }
  return file;
}

export function writeProgram(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o700 });
  // The mode of an existing file is not touched by writing.
  chmodSync(file, 0o700);
}

function writeDevices(dev: string, gpus: number): void {
  rmSync(dev, { recursive: true, force: true });
  mkdirSync(dev, { recursive: true, mode: 0o700 });
  for (let index = 0; index < gpus; index += 1) {
    writeFileSync(path.join(dev, `nvidia${index}`), '');
  }
}

/** Makes the starts of a machine distinguishable; the times of this computer's own processes do not. */
function writeFirstProcess(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const startedAt = randomBytes(6).readUIntBE(0, 6);
  writeFileSync(path.join(dir, 'stat'), `1 (init) S ${'0 '.repeat(18)}${startedAt} 0\n`);
}

/** The lines of a shell that say what it is. */
function banner(instance: InstanceState, slice: Slice): readonly string[] {
  const lines = [
    '',
    '  GPU Rental simulation: this is a real shell on YOUR computer, not on a rented machine.',
    `  It plays machine C.${instance.id} (${slice.gpus} x ${slice.machine.model.name}). Nothing is rented and no GPU is used.`,
    '  Commands act on your own files. Your workspace here is ~/workspace.',
    '',
  ];
  return lines.map((line) => `  printf '%s\\n' ${shellWord(line)}`);
}

function sessionText(instance: InstanceState, slice: Slice): string {
  return program(
    'cd "$HOME" || exit 1',
    ...(instance.manner === 'endedShell'
      ? ['echo "open terminal failed: not a terminal" >&2', 'exit 1']
      : []),
    'command=$SSH_ORIGINAL_COMMAND; unset SSH_ORIGINAL_COMMAND',
    'if [ -n "$command" ]; then exec "$SHELL" -c "$command"; fi',
    'if [ -t 1 ]; then',
    ...banner(instance, slice),
    'fi',
    'exec "$SHELL"',
  );
}

function terminalText(sessionScript: string): string {
  return program(
    'stty rows "$SIMULATED_ROWS" cols "$SIMULATED_COLS" 2>/dev/null',
    'tty > "$SIMULATED_TTY_FILE" 2>/dev/null',
    'unset SIMULATED_ROWS SIMULATED_COLS SIMULATED_TTY_FILE',
    `exec /bin/sh ${shellWord(sessionScript)}`,
  );
}

/** A prompt that shows where one is, and `nvidia-smi` also in login shells and editors' terminals. */
function writeHomeFiles(
  instance: InstanceState,
  home: string,
  bin: string,
  greeting: readonly string[],
): void {
  const startLines = [
    `case ":$PATH:" in *:${shellWord(bin)}:*) ;; *) PATH=${shellWord(bin)}:"$PATH"; export PATH ;; esac`,
    `PS1='(simulated) root@C.${instance.id}:\\w# '`,
    '',
  ].join('\n');
  for (const name of ['.bashrc', '.profile']) {
    const file = path.join(home, name);
    if (!existsSync(file)) {
      // A terminal that keeps running is a login shell, which no session of its own greets.
      const greets = ['case $- in *i*)', ...greeting, ';; esac', ''].join('\n');
      writeFileSync(file, startLines + (name === '.profile' ? greets : ''), { mode: 0o644 });
    }
  }
}

/** The public key of a machine as it goes over the wire; `undefined` before its server has started. */
export function hostKeyIn(home: string): Buffer | undefined {
  const file = path.join(`${home}.machine`, 'host_key');
  if (!existsSync(file)) {
    return undefined;
  }
  const blob = Buffer.from(readFileSync(file, 'latin1').replace(/-----[^-]+-----|\s/g, ''), 'base64');
  // Behind the magic word, the three texts on encryption, and the number of keys.
  const length = blob.readUInt32BE(headBytes);
  return blob.subarray(headBytes + 4, headBytes + 4 + length);
}

/** Of an unencrypted key in the format of `newHostKey`. */
const headBytes = 15 + 8 + 8 + 4 + 4;

/** A fresh Ed25519 key in OpenSSH's own format, which both servers read (openssh PROTOCOL.key). */
export function newHostKey(comment: string): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const jwk = privateKey.export({ format: 'jwk' });
  const publicBytes = Buffer.from(jwk.x ?? '', 'base64url');
  const seed = Buffer.from(jwk.d ?? '', 'base64url');
  const publicBlob = Buffer.concat([sshString('ssh-ed25519'), sshString(publicBytes)]);
  const check = randomBytes(4);
  const secret = Buffer.concat([
    check,
    check,
    publicBlob,
    sshString(Buffer.concat([seed, publicBytes])),
    sshString(comment),
  ]);
  const missing = (8 - (secret.length % 8)) % 8;
  const padding = Buffer.from(Array.from({ length: missing }, (_, index) => index + 1));
  const blob = Buffer.concat([
    Buffer.from('openssh-key-v1\0', 'latin1'),
    sshString('none'),
    sshString('none'),
    sshString(''),
    Buffer.from([0, 0, 0, 1]),
    sshString(publicBlob),
    sshString(Buffer.concat([secret, padding])),
  ]);
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? [];
  const name = 'OPENSSH PRIVATE KEY';
  return [`-----BEGIN ${name}-----`, ...lines, `-----END ${name}-----`, ''].join('\n');
}

function sshString(value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
