import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { isAtRest, type ParkedRow } from '../../../src/workspaces/model/parking';
import type { Computer } from './computer';
import type { JobRows } from './jobJudge';
import { contentOf, hostsNamed, setsOnDisk, type ParkedWay } from './parkedDriver';
import { occupyGpus } from './rentDriver';

/** Keeps the books of one folder on its way to another instance, by the simulator's ledger and the bytes. */
export class ParkedJudge {
  readonly violations: string[] = [];
  /** What the test itself takes away. */
  readonly takenAway = new Set<number>();
  private readonly rented = new Set<number>();
  private content: string;
  private isStopped = false;
  /** Whether an instance came to something else than what the user wants. */
  private isHurt = false;

  private constructor(
    private readonly computer: Computer,
    private readonly trainer: number,
    readonly folder: string,
    readonly way: ParkedWay,
  ) {
    this.content = contentOf(folder);
    const { world } = computer.simulator;
    const account = world.instance(trainer)?.accountId;
    world.onDidChangeInstance(({ id, accountId, actualStatus }) => {
      if (id === trainer) {
        if (!world.instance(id)) {
          this.ended();
        } else if (way === 'rescue' && actualStatus === 'exited' && !this.isStopped) {
          this.isStopped = true;
          void this.loseGpu();
        }
      } else if (accountId === account) {
        this.rented.add(id);
      }
      const isWhole = ['running', 'loading', 'created', null].includes(actualStatus);
      this.isHurt ||= accountId === account && !isWhole && !(way === 'rescue' && id === trainer);
    });
  }

  /** Makes a folder on an instance. Large ones are continued in their middle. */
  static begin(computer: Computer, trainer: number, way: ParkedWay, bytes: number): ParkedJudge {
    const folder = path.join(computer.root, 'work', 'project');
    mkdirSync(path.join(folder, 'empty ünïcode'), { recursive: true });
    execFileSync('git', ['init', '-q', folder]);
    writeFileSync(path.join(folder, 'train.py'), 'epochs = 3\n', { mode: 0o755 });
    writeFileSync(path.join(folder, 'model.bin'), randomBytes(bytes));
    symlinkSync('model.bin', path.join(folder, 'latest'));
    // Hosts state no smaller parts of a time.
    execFileSync('/bin/sh', ['-c', 'find . -exec touch -h -d @1700000000 {} +'], { cwd: folder });
    return new ParkedJudge(computer, trainer, folder, way);
  }

  /** Another user gets the GPU of trainer, of which only its host can read files from then on. */
  private async loseGpu(): Promise<void> {
    const { computer, folder, trainer } = this;
    await occupyGpus(computer, trainer);
    const disk = path.join(computer.root, 'instances', `${trainer}.machine`, 'outside', folder);
    mkdirSync(path.dirname(disk), { recursive: true });
    execFileSync('cp', ['-a', folder, disk]);
    rmSync(folder, { recursive: true });
  }

  get rentals(): number {
    return this.rented.size;
  }

  report(what: string): void {
    if (!this.violations.includes(what)) {
      this.violations.push(what);
    }
  }

  get isThere(): boolean {
    const row = setsOnDisk(this.computer).at(-1);
    return row?.state.resumed !== undefined && isAtRest(row);
  }

  /** The user works on trainer. */
  edit(): void {
    if (existsSync(this.folder)) {
      appendFileSync(path.join(this.folder, 'train.py'), 'epochs += 1\n');
      this.content = contentOf(this.folder);
    }
  }

  /** What an instance had is lost with it. */
  private ended(): void {
    const { way, folder, computer, trainer } = this;
    const row = setsOnDisk(computer).at(-1);
    if (!this.takenAway.has(trainer) && (row?.state.phase !== 'proved' || way === 'rescue')) {
      this.report(`destroyed while ${row?.state.phase}`);
    }
    if (!this.takenAway.has(trainer) && row && contentElsewhere(computer, row) !== contentOf(folder)) {
      this.report('destroyed, and what it had is not whole elsewhere');
    }
    rmSync(folder, { recursive: true, force: true });
  }

  /** The same where any faults came, which may keep the folder from its next instance as long as that is shown. */
  checkAny(rows: JobRows): void {
    const { computer, takenAway, trainer, way, isHurt } = this;
    const { world } = computer.simulator;
    const row = setsOnDisk(computer).at(-1);
    const { resumed, trouble, phase } = row?.state ?? {};
    if (this.rented.size > 1 + takenAway.size) {
      this.report(`${this.rented.size} instances were rented`);
    }
    const there = resumed && takenAway.has(resumed.instanceId) ? undefined : resumed?.root;
    if (there !== undefined && (!existsSync(there) || contentOf(there) !== this.content)) {
      this.report('it counts as placed, and is not whole');
    }
    if (!this.isThere && !trouble && !(row && isAtRest(row))) {
      this.report(`it ended as ${phase}, and nothing says why`);
    }
    if (!this.isThere && takenAway.size === 0 && !isHurt) {
      this.report(`it is still ${phase}: ${JSON.stringify(trouble)}`);
    }
    if (phase === 'parked' && world.instance(trainer)) {
      this.report('it counts as parked, and its instance is there');
    }
    if (way === 'rescue' && !world.instance(trainer) && !takenAway.has(trainer)) {
      this.report('what no hash has proved was destroyed');
    }
    for (const { id } of world.instances.filter((one) => one.id === trainer || this.rented.has(one.id))) {
      if (!rows.instances.some((text) => text.includes(`#${id}`) || /^trainer/.test(text))) {
        this.report(`#${id} costs money and is in no view; rows: ${rows.instances.join(' / ')}`);
      }
    }
  }

  /** What a window shows, once everything had its time. */
  check({ instances }: JobRows): void {
    const { computer, way, trainer } = this;
    const { world } = computer.simulator;
    const own = world.instances.filter(({ id }) => id === trainer || this.rented.has(id));
    const ids = own.map(({ id }) => id);
    // What was given up before it rented anything is begun anew by its command.
    const [row, ...more] = setsOnDisk(computer).filter(({ state }) => state.bytes !== undefined);
    const there = row?.state.resumed?.root ?? '';
    const isMoved = way === 'move' || way === 'carry';
    const facts = [
      ['the instances', String(ids), String(way === 'rescue' ? [trainer, ...this.rented] : [...this.rented])],
      ['one rental', this.rented.size, 1],
      ['one set', more.length, 0],
      ['its phase', row?.state.phase, way === 'rescue' ? 'stopped' : 'parked'],
      ['its trouble', row?.state.trouble, undefined],
      ['its instance', row?.state.resumed?.instanceId, ids.at(-1)],
      // Where the folder of the old instance has the place, another one beside it has no name.
      [
        'its host',
        isMoved ? '' : String(hostsNamed(computer, 'gpu-ws-project')),
        isMoved ? '' : String(ids.at(-1)),
      ],
      ['its archives', row && (way === 'carry' || bytesHere(computer, row) > 40_000_000), true],
      ['the second copy', row?.state.copy !== undefined, way === 'cloud'],
      ['the content', existsSync(there) && contentOf(there) === this.content, true],
      [
        'the state of trainer',
        world.instance(trainer)?.intendedStatus,
        way === 'rescue' ? 'stopped' : undefined,
      ],
    ] as const;
    for (const [what, is, should] of facts) {
      if (is !== should) {
        this.report(`${what}: ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`);
      }
    }
    const state = way === 'rescue' ? 'old instance stays stopped' : 'costs nothing';
    for (const wanted of [new RegExp(`^project of trainer .*${state}`), /^trainer/]) {
      if (!instances.some((one) => wanted.test(one))) {
        this.report(`no row is ${String(wanted)}: ${instances.join(' / ')}`);
      }
    }
  }
}

function bytesHere({ storage }: Computer, { set: { id } }: ParkedRow): number {
  const folder = path.join(storage, 'parked', id);
  return readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
}

/** What is of a set on the next instance, or else in its archives here. */
function contentElsewhere(computer: Computer, { set: { id }, state }: ParkedRow): string {
  if (state.resumed) {
    return existsSync(state.resumed.root) ? contentOf(state.resumed.root) : '';
  }
  const to = path.join(computer.root, 'unpacked');
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  const script = 'for piece in "$0"/*.tar; do tar -xpf "$piece" -C "$1"; done';
  execFileSync('/bin/sh', ['-ec', script, path.join(computer.storage, 'parked', id), to]);
  return contentOf(to);
}
