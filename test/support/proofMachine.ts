import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { probeGpus } from '../../src/ssh/gpuProbe';
import { runProgram } from '../../src/ssh/run';

/** What `nvidia-smi` of driver 570 prints for two cards, after published outputs. */
export const twoCards = [
  '0, NVIDIA GeForce RTX 4090, 24564, 570.124.04, [N/A], [N/A]',
  '1, NVIDIA GeForce RTX 4090, 24564, 570.124.04, [N/A], [N/A]',
];
export const tableHead = [
  'Sun Nov 22 10:11:12 2026       ',
  '+-----------------------------------------------------------------------------------------+',
  '| NVIDIA-SMI 570.124.04             Driver Version: 570.124.04     CUDA Version: 12.8     |',
  '|-----------------------------------------+------------------------+----------------------+',
];

/** A folder that acts as a machine: the script runs in a real shell with these programs before the computer's own. */
export class ProofMachine {
  readonly dir = mkdtempSync(path.join(os.tmpdir(), 'gr-proof-'));
  readonly home = path.join(this.dir, 'ho me');
  private readonly bin = path.join(this.dir, 'bin');
  private path = process.env['PATH'] ?? '';

  constructor(private shell = 'sh') {
    mkdirSync(this.home);
    mkdirSync(this.bin);
    this.tool('dmesg', 'echo "dmesg: read kernel buffer failed: Operation not permitted" >&2', 'exit 1');
  }

  /** A program of the machine, as lines of a shell script. */
  tool(name: string, ...lines: readonly string[]): this {
    writeFileSync(path.join(this.bin, name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
    return this;
  }

  /** Has the machine without a program of this computer. */
  without(missing: string): this {
    const names = this.path
      .split(':')
      .flatMap((folder) => namesIn(folder).map((name) => [name, folder] as const));
    const rest = path.join(this.dir, 'rest');
    mkdirSync(rest);
    for (const [name, folder] of new Map(names.reverse())) {
      if (name !== missing) {
        symlinkSync(path.join(folder, name), path.join(rest, name));
      }
    }
    this.path = rest;
    return this;
  }

  /** Has the machine with the shell and the tools of BusyBox alone, as small images do. */
  onBusyBox(): this {
    const applets = path.join(this.dir, 'applets');
    mkdirSync(applets);
    execFileSync('busybox', ['--install', '-s', applets]);
    this.path = applets;
    this.shell = path.join(applets, 'sh');
    return this;
  }

  /** The driver's tool with what it prints for a query, its table and its list. */
  nvidiaSmi({
    rows = twoCards,
    reasons = [],
    table = tableHead,
    list = [],
    code = 0,
  }: {
    readonly rows?: readonly string[];
    /** Why clocks are lowered, one list for each look. */
    readonly reasons?: readonly (readonly string[])[];
    readonly table?: readonly string[];
    readonly list?: readonly string[];
    readonly code?: number;
  } = {}): this {
    const print = (lines: readonly string[]) => ["cat <<'END'", ...lines, 'END'];
    return this.tool(
      'nvidia-smi',
      'case "$1" in',
      '--query-gpu=index,clocks_event_reasons.active)',
      'echo looked >>"$HOST_DEV-looks"',
      'case $(grep -c looked "$HOST_DEV-looks") in',
      ...reasons.flatMap((lines, look) => [`${look + 1})`, ...print(lines), ';;']),
      'esac',
      ';;',
      '--query*)',
      ...print(rows),
      ';;',
      '-L)',
      ...print(list),
      ';;',
      '*)',
      ...print(table),
      ';;',
      'esac',
      `exit ${code}`,
    );
  }

  /** A file below the machine's `/dev`, `/proc` or `/sys`. */
  file(name: string, text = ''): this {
    const file = path.join(this.dir, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return this;
  }

  /** The shell that runs the scripts. */
  get command(): string {
    return this.shell;
  }

  get env(): Readonly<Record<string, string>> {
    return {
      HOME: this.home,
      PATH: `${this.bin}:${this.path}`,
      HOST_DEV: path.join(this.dir, 'dev'),
      HOST_PROC: path.join(this.dir, 'proc'),
      HOST_SYS: path.join(this.dir, 'sys'),
    };
  }

  probe(
    options: {
      readonly isAgain?: boolean;
      readonly signal?: AbortSignal;
      readonly onLogin?: () => void;
    } = {},
  ) {
    return probeGpus(
      {
        exec: (_, script, more) => runProgram(this.shell, ['-c', script], { ...more, env: this.env }),
      },
      'gpu-1',
      { clock: { now: () => 1000 }, ...options },
    );
  }

  dispose(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
