import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Computer } from '../../support/feature/computer';
import { placesOf } from '../../support/feature/jobPlaces';
import { playParked, startInVain, type ParkedWay } from '../../support/feature/parkedDriver';
import { ParkedJudge } from '../../support/feature/parkedJudge';
import type { Dice } from '../dice';
import { blowsAt, playLife, type Blow } from '../jobs/scene';
import type { RunResult } from '../scene';

const ways: readonly ParkedWay[] = ['park', 'cloud', 'move', 'carry', 'rescue'];

/** What programs of an instance do in place of their work; `real` does it. */
type Lie = readonly [program: string, script: string];
const lies: readonly [Lie, ...Lie[]] = [
  ['tar', 'real "$@" | sed s/epochs/EPOCHS/'],
  ['tar', 'real "$@" | head -c 3000'],
  ['tar', 'real "$@"; head -c 200000 /dev/zero'],
  ['tar', 'echo "No space left on device" >&2; exit 2'],
  ['tar', 'real "$@"; echo "# more" >>tree/train.py'],
  ['tar', 'real "$@"; : >tree/more'],
  ['tar', 'real "$@"; rm -f tree/latest'],
  ['sha256sum', 'real "$@" | sed s/^./0/'],
  ['find', 'real "$@" | sed -z "/train\\.py$/,+1d"'],
  ['find', 'real "$@"; printf "rf 644 5 8 1:1 1 1.5 1.5 ./more\\0\\0"'],
  ['mv', 'exit 1'],
];

/** Has programs of an instance lie a few times. */
function lie(computer: Computer, isOld: boolean, [program, script]: Lie, times: number): void {
  const bins = binsOf(computer);
  const bin = isOld ? bins[0] : bins.at(-1);
  if (bin === undefined) {
    return;
  }
  const real = execFileSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
  const tokens = Array.from({ length: times }, (_, index) => path.join(bin, `${program}.lie${index}`));
  tokens.forEach((token) => writeFileSync(token, ''));
  const takes = tokens.map((token) => `rm '${token}' 2>/dev/null`).join(' || ');
  const body = `real() { ${real} "$@"; }\n[ "$1" != --version ] && { ${takes}; } || exec ${real} "$@"\n${script}\n`;
  const file = path.join(bin, program);
  writeFileSync(`${file}.new`, `#!/bin/bash\n${body}`, { mode: 0o755 });
  renameSync(`${file}.new`, file);
}

function honest(computer: Computer): void {
  for (const bin of binsOf(computer)) {
    for (const [program] of lies) {
      rmSync(path.join(bin, program), { force: true });
    }
  }
}

/** The programs of the instances, oldest first. */
function binsOf({ root, simulator }: Computer): readonly string[] {
  return simulator.world.instances
    .map(({ id }) => path.join(root, 'instances', `${id}.machine`, 'bin'))
    .filter((bin) => existsSync(bin))
    .sort();
}

/** What only such a life meets. */
function blowsOf(dice: Dice, judge: ParkedJudge): readonly Blow[] {
  return blowsAt(dice, placesOf(judge.way), (at) => {
    const told = dice.pick(lies) ?? lies[0];
    const [isOld, times] = [dice.chance(0.5), dice.between(1, 3)];
    const strikes: readonly (readonly [
      weight: number,
      name: string,
      strike: Blow['strike'],
      place?: string | undefined,
    ])[] = [
      [
        6,
        `${isOld ? 'the old' : 'the last'} instance lies ${times} times: ${told.join(': ')}`,
        ({ computer }) => lie(computer, isOld, told, times),
      ],
      // Right before an instance ends, nothing can be saved any more.
      [2, 'an edit', () => judge.edit(), dice.pick(['before ssh fetch pieces', 'after write fetching'])],
      [
        2,
        'a full disk here',
        () => {
          throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
        },
        dice.pick(placesOf(judge.way).filter((place) => /^before (?:write|note|name) /.test(place))),
      ],
      [1, 'another window', ({ computer }) => void computer.openWindow()],
    ];
    return strikes.map(([weight, name, strike, place = at.place]) => [
      weight,
      { ...at, name, strike, place },
    ]);
  });
}

/** Plays the way of a folder to another instance, with blows. Throws nothing: each failure is a violation. */
export function playParkedLife(seed: number, trace?: (line: string) => void): Promise<RunResult> {
  // The dice choose the way before the blows.
  const parked: { judge?: ParkedJudge } = {};
  const blows = (dice: Dice) => (parked.judge ? blowsOf(dice, parked.judge) : []);
  return playLife({ seed, blowsOf: blows, trace }, async (computer, dice) => {
    const way = dice.pick(ways) ?? 'park';
    const trainer = await computer.rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    const judge = ParkedJudge.begin(computer, trainer, way, dice.between(1, 400_000));
    parked.judge = judge;
    trace?.(way);
    return {
      judge: {
        violations: judge.violations,
        takenAway: judge.takenAway,
        get rentals() {
          return judge.rentals;
        },
        report: (what) => judge.report(what),
        check: (rows) => judge.checkAny(rows),
      },
      order: async (window) => {
        await (way === 'rescue' ? startInVain(window, judge.folder).catch(() => undefined) : undefined);
        return true;
      },
      goOn: (window) => playParked(window, judge),
      isOver: () => judge.isThere,
      heal: () => honest(computer),
      patienceMs: 20 * 60_000,
    };
  });
}
