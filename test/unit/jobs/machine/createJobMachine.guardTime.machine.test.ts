import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { timerPrograms } from '../../../../src/schedules/machine/machineTimer';
import { runProgram } from '../../../../src/ssh/run';
import { placeOf } from '../../../support/machinePrograms';
import { sized } from '../../../support/seeded';

/** What happens to a machine while its guard sleeps once; seconds. */
interface Step {
  /** So much longer than it was told to, on a machine that is busy. */
  readonly late: number;
  /** The machine is suspended: all its clocks count that. */
  readonly suspended: number;
  /** The time of day is set by so much. */
  readonly dateJump: number;
  /** Its uptime is that of another host from now on, or counts from another beginning. */
  readonly uptimeJump: number;
  readonly hasUptime: boolean;
  readonly isUsed: boolean;
}

const usual: Step = {
  late: 0,
  suspended: 0,
  dateJump: 0,
  uptimeJump: 0,
  hasUptime: true,
  isUsed: false,
};
const thousands = fc.integer({ min: -90, max: 90 }).map((one) => one * 1000);
/** Jumps of the two clocks are never alike: those could not be told from time that passed. */
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(usual) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 40 }).map((late) => ({ ...usual, late })) },
  { weight: 2, arbitrary: thousands.map((dateJump) => ({ ...usual, dateJump })) },
  { weight: 2, arbitrary: thousands.map((one) => ({ ...usual, uptimeJump: one + 300 })) },
  { weight: 1, arbitrary: fc.constant({ ...usual, suspended: 4000 }) },
  { weight: 1, arbitrary: fc.boolean().map((isUsed) => ({ ...usual, isUsed })) },
  { weight: 2, arbitrary: thousands.map((dateJump) => ({ ...usual, hasUptime: false, dateJump })) },
);

/** The time of a machine whose only program that passes it is `sleep`; the guard runs as it does there. */
class TimedMachine {
  private readonly home = mkdtempSync(path.join(os.tmpdir(), 'gr-guard-'));

  /** The service does not answer so many calls. */
  constructor(steps: readonly Step[], unanswered = 0) {
    const bin = path.join(this.home, 'bin');
    for (const folder of [bin, path.join(this.home, 'proc'), path.join(this.home, 'dev', 'pts')]) {
      mkdirSync(folder, { recursive: true });
    }
    for (const name of ['cat', 'find', 'grep', 'rm', 'sh', 'tail', 'touch']) {
      symlinkSync(placeOf(name), path.join(bin, name));
    }
    this.program('sleep', [
      'read -r number true up day <state || exit 1',
      'number=$((number + 1))',
      'late=0 suspended=0 date_jump=0 uptime_jump=0 has=1 used=0 at=0',
      'while [ "$at" -lt "$number" ] && read -r a b c d e f; do at=$((at + 1)); done <steps',
      '[ "$at" -lt "$number" ] || { late=$a suspended=$b date_jump=$c uptime_jump=$d has=$e used=$f; }',
      'by=$(($1 + late + suspended)) true=$((true + by))',
      'up=$((up + by + uptime_jump)) day=$((day + by + date_jump))',
      '[ "$used" = 0 ] || echo "$true" >>used',
      'echo "$used" >use',
      'if [ "$has" = 1 ]; then echo "$up.25 9.00" >proc/uptime; else rm -f proc/uptime; fi',
      'echo "$number $true $up $day" >state',
      '[ "$number" -lt 500 ] || kill "$PPID"',
    ]);
    this.program('date', ['read -r _ _ _ day <state', 'echo "$day"']);
    this.program('nvidia-smi', ['read -r used <use', 'echo $((used * 90))']);
    this.program('curl', [
      'read -r _ true _ <state',
      'echo "$true" >>calls',
      'cat >/dev/null',
      'count=0',
      'while read -r _; do count=$((count + 1)); done <calls',
      `if [ "$count" -gt ${unanswered} ]; then echo 200; else echo 000; fi`,
    ]);
    const words = steps.map((one) =>
      [one.late, one.suspended, one.dateJump, one.uptimeJump, Number(one.hasUptime), Number(one.isUsed)].join(
        ' ',
      ),
    );
    this.write('steps', words.map((line) => `${line}\n`).join(''));
    this.write('state', '0 0 500000 1700000000\n');
    this.write('use', '0\n');
    this.write('guard.sh', timerPrograms.guard);
    if (steps[0]?.hasUptime !== false) {
      this.write('proc/uptime', '500000.25 9.00\n');
    }
  }

  /** Seconds that truly passed until it acted, from the last use where it waits for idle time; and how often it did. */
  async act(mode: 'at' | 'idle', seconds: number): Promise<{ at: number; used: number; calls: number }> {
    const words = [
      'https://example.com',
      '7',
      'destroy',
      String(seconds),
      'timer-7-a',
      'curl',
      mode,
      '5',
      '0',
    ];
    await runProgram('/bin/sh', ['guard.sh', ...words], {
      cwd: this.home,
      env: {
        PATH: path.join(this.home, 'bin'),
        HOME: this.home,
        HOST_PROC: path.join(this.home, 'proc'),
        HOST_DEV: path.join(this.home, 'dev'),
        CONTAINER_API_KEY: 'k',
      },
    });
    const calls = this.numbers('calls');
    return { at: calls[0] ?? Infinity, used: this.numbers('used').at(-1) ?? 0, calls: calls.length };
  }

  dispose(): void {
    rmSync(this.home, { recursive: true, force: true });
  }

  private numbers(name: string): readonly number[] {
    const file = path.join(this.home, name);
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
  }

  private program(name: string, lines: readonly string[]): void {
    const file = path.join(this.home, 'bin', name);
    writeFileSync(file, ['#!/bin/sh', 'cd "$HOME" || exit 1', ...lines, ''].join('\n'), { mode: 0o755 });
  }

  private write(name: string, text: string): void {
    writeFileSync(path.join(this.home, name), text);
  }
}

const seconds = fc.integer({ min: 1, max: 120 });
const steps = fc.array(step, { maxLength: 12 });
const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);

async function acted(mode: 'at' | 'idle', all: readonly Step[], wanted: number, unanswered = 0) {
  const machine = new TimedMachine(all, unanswered);
  try {
    return await machine.act(mode, wanted);
  } finally {
    machine.dispose();
  }
}

describe('with any clock of a machine', () => {
  it('its timer acts once, never before its time, and not long after it', async function () {
    this.timeout(300_000);
    await fc.assert(
      fc.asyncProperty(steps, seconds, async (all, wanted) => {
        const { at, calls } = await acted('at', all, wanted);
        assert.equal(calls, 1);
        assert.ok(at >= wanted, `after ${at} s of ${wanted}`);
        const passed = sum(all.map(({ late, suspended }) => late + suspended));
        assert.ok(at <= wanted + passed + 11, `after ${at} s of ${wanted}, ${passed} of them in its sleep`);
      }),
      { numRuns: sized(40, 1500) },
    );
  });

  it('it is idle no sooner than so long after the last use', async function () {
    this.timeout(300_000);
    await fc.assert(
      fc.asyncProperty(steps, seconds, async (all, wanted) => {
        const { at, used, calls } = await acted('idle', all, wanted);
        assert.equal(calls, 1);
        assert.ok(at - used >= wanted, `after ${at - used} s of ${wanted}`);
      }),
      { numRuns: sized(20, 800) },
    );
  });

  it('a service that does not answer for hours is asked until it does', async function () {
    this.timeout(120_000);
    const { calls } = await acted('at', [], 10, 300);
    assert.equal(calls, 301);
  });

  it('a machine that was suspended acts as soon as it wakes up where its time is over', async () => {
    const { at } = await acted('at', [usual, { ...usual, suspended: 4000 }], 600);
    assert.ok(at >= 4000 && at <= 4030, String(at));
  });
});
