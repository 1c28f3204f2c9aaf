import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { timerPrograms } from '../../src/schedules/machine/machineTimer';
import { ScriptAnswer } from '../../src/ssh/answer';
import { placeOf, shellTools } from './machinePrograms';

/**
 * A machine whose timer runs in a real shell, in a time that only its own `sleep` passes: half an hour takes as long as
 * the looks at it. Processes, terminals and the driver are files that a test writes; `each` is run by the shell with each
 * pause, with the seconds since the beginning in `$now`.
 */
export class IdleMachine {
  readonly home = mkdtempSync(path.join(os.tmpdir(), 'gr-idle-'));
  private pid = 100;

  constructor() {
    for (const folder of ['bin', 'dev/pts', 'proc', '.gpu-rental/jobs']) {
      mkdirSync(this.file(folder), { recursive: true });
    }
    for (const name of [...shellTools, 'timeout', 'wc']) {
      symlinkSync(placeOf(name), this.file(`bin/${name}`));
    }
    this.write('now', '0');
    this.write('day', '1000000');
    this.write('proc/uptime', '100.25 50.00');
    this.gpus('0\n');
    this.each('');
    this.tool('nvidia-smi', 'cat "$HOME/gpus"');
    this.tool('date', 'cat "$HOME/day"');
    this.tool('curl', 'cat >/dev/null', 'echo "{}" >"$6"', 'cat "$HOME/now" >>"$HOME/ended"', 'echo 200');
    this.tool(
      'sleep',
      'read -r now <"$HOME/now"',
      'now=$((now + ${1%.*}))',
      'echo "$now" >"$HOME/now"',
      'read -r day <"$HOME/day"',
      'echo "$((day + ${1%.*}))" >"$HOME/day"',
      'if read -r up _ 2>/dev/null <"$HOME/proc/uptime"; then',
      '  echo "$((${up%.*} + ${1%.*})).25 50.00" >"$HOME/proc/uptime"',
      'fi',
      '. "$HOME/each"',
      '[ "$now" -lt "$LONGEST" ] || kill "$PPID"',
    );
  }

  file(name: string): string {
    return path.join(this.home, name);
  }

  write(name: string, content: string): void {
    writeFileSync(this.file(name), `${content}\n`);
  }

  tool(name: string, ...lines: readonly string[]): void {
    rmSync(this.file(`bin/${name}`), { force: true });
    writeFileSync(this.file(`bin/${name}`), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
  }

  /** What the driver prints. */
  gpus(text: string): void {
    writeFileSync(this.file('gpus'), text);
  }

  each(script: string): void {
    this.write('each', script);
  }

  /** A process with these words, as a child of another; returns its number. */
  process(words: readonly string[], parent = 1, state = 'S'): number {
    this.pid += 1;
    mkdirSync(this.file(`proc/${this.pid}`));
    writeFileSync(this.file(`proc/${this.pid}/cmdline`), words.map((word) => `${word}\0`).join(''));
    this.write(
      `proc/${this.pid}/stat`,
      `${this.pid} (a) b) ${state} ${parent} 1 1 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 77`,
    );
    return this.pid;
  }

  /** A login over SSH that runs these programs. */
  login(title: string, ...programs: readonly (readonly string[])[]): void {
    const login = this.process([title]);
    programs.forEach((words) => this.process(words, login));
  }

  /** Lets the machine idle for half a minute of the four that it has; returns the second at which it stopped. */
  stoppedAt(
    more: { readonly seconds?: number; readonly limit?: number; readonly keptSeconds?: number } = {},
  ): number | undefined {
    const { seconds = 30, limit = 240, keptSeconds = 0 } = more;
    const file = this.file('.gpu-rental/timer-7-a');
    const order = [
      'http://127.0.0.1:1',
      '7',
      'stop',
      String(seconds),
      file,
      'curl',
      'idle',
      '5',
      String(keptSeconds),
      '7200',
    ];
    const { status, stderr, error } = this.run(timerPrograms.guard, order, { LONGEST: String(limit) });
    const seen = spawnSync('cat', [this.file('ended')], { encoding: 'utf8' }).stdout;
    if (stderr !== '' || error || (status === 0) !== (seen !== '')) {
      throw new Error(`The timer ended with ${String(status)}: ${stderr}${String(error ?? '')}`);
    }
    return seen === '' ? undefined : Number(seen);
  }

  /** What the editor is told that asks before it stops the machine; its own login is there as well. */
  asked(): string {
    this.login('sshd: root@notty', ownLook());
    const { stdout, stderr } = this.run(timerPrograms.asked, [], { LONGEST: '9999' }, '30\n');
    return stderr || (stdout.trim().split('\n').at(-1) ?? '');
  }

  dispose(): void {
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  private run(
    program: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    input = '',
  ): SpawnSyncReturns<string> {
    writeFileSync(this.file('program.sh'), program);
    return spawnSync('/bin/sh', [this.file('program.sh'), ...args], {
      encoding: 'utf8',
      input,
      timeout: 60_000,
      env: {
        HOME: this.home,
        HOST_PROC: this.file('proc'),
        HOST_DEV: this.file('dev'),
        PATH: this.file('bin'),
        CONTAINER_API_KEY: 'k',
        ...env,
      },
    });
  }
}

/** The words of a login of ours without a person, once its login shell has become it. */
export function ownLook(): readonly string[] {
  return wordsOf(new ScriptAnswer(true).command);
}

/** The words of a login in which we do what the user asked for. */
export function ownWork(): readonly string[] {
  return wordsOf(new ScriptAnswer(false).command);
}

function wordsOf(command: string): readonly string[] {
  const [, bootstrap = '', rest = ''] = /^exec \/bin\/sh -c '([^']+)' (.*)$/.exec(command) ?? [];
  return ['/bin/sh', '-c', bootstrap, ...rest.split(' ')];
}
