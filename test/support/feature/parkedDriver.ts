import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { canResume, isAtRest, type ParkedRow } from '../../../src/workspaces/model/parking';
import { rentRunning } from '../rentRunning';
import type { Computer } from './computer';
import type { JobRows } from './jobJudge';
import type { Wanted } from './wanted';
import type { FeatureWindow } from './window';

/** Names, modes, times and bytes, as other programs read them. */
export function contentOf(folder: string): string {
  const find = 'find . -printf "%P %y %m %T@ %l\\n" | sort; find . -type f | sort | xargs -d "\\n" sha256sum';
  return execFileSync('/bin/sh', ['-c', `${find}; git fsck --strict 2>&1`], {
    cwd: folder,
    encoding: 'utf8',
  });
}

/** The instances to which a host name leads, by the files of ssh. */
export function hostsNamed({ sshConfig }: Computer, host: string): readonly number[] {
  const own = path.join(path.dirname(sshConfig), 'gpu-rental.d');
  return readdirSync(own)
    .filter(
      (name) => name.endsWith('.conf') && readFileSync(path.join(own, name), 'utf8').includes(` ${host}\n`),
    )
    .map((name) => Number(/(\d+)\.conf$/.exec(name)?.[1]));
}

/** The parked sets that stand on the disk of a computer. */
function setsOnDisk({ storage }: Pick<Computer, 'storage'>): readonly ParkedRow[] {
  const folder = path.join(storage, 'parked');
  const read = (name: string) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as unknown;
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => /^\w{8}\.json$/.test(name))
    .map((name) => ({ set: read(name), state: read(name.replace('.', '.state.')) }) as ParkedRow);
}

/** Bytes of archives that are here in part, or on an instance beside the folder. */
export function bytesUnderWay({ storage }: Pick<Computer, 'storage'>, folder: string): number {
  return [path.join(storage, 'parked'), path.dirname(folder)]
    .flatMap((where) =>
      readdirSync(where, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.includes('.part'))
        .map((name) => statSync(path.join(where, name), { throwIfNoEntry: false })),
    )
    .reduce((sum, found) => sum + (found?.isFile() === true ? found.size : 0), 0);
}

/** From the row of a parked folder to the rental on which it continues. */
export async function resumeParked(window: FeatureWindow, fact: Wanted): Promise<void> {
  const { quick, computer } = window;
  await window.view('instances').menu('project of trainer', 'Resume…');
  await quick.title(/Resume/);
  await quick.pick('% reliable');
  await quick.row(/and Resume project of trainer/);
  await quick.row(fact);
  await computer.pass(1000);
  await quick.pick(/and Resume/);
}

/** Parks the folder of trainer and resumes it, from where an earlier window left that. */
export async function playParked(window: FeatureWindow, folder: string): Promise<void> {
  const { computer } = window;
  const set = () => setsOnDisk(computer)[0];
  if (!set()) {
    await window.view('instances').menu('trainer', 'Park…');
    await window.quick.title('Park');
    await window.quick.type(folder);
    await window.dialogButton('Park and Destroy', /project and destroy trainer\?/);
    await computer.until('the order', () => set() !== undefined);
  }
  for (;;) {
    const row = await computer.until('a rest', () => [set()].find((one) => one && isAtRest(one)), {
      withinMs: 60 * 60_000,
    });
    if (row.state.resumed || !canResume(row.state)) {
      return;
    }
    await resumeParked(window, /^Sent to it/);
    await computer.until('the note', () => set()?.set.rental?.marker !== row.set.rental?.marker);
  }
}

/** Keeps the books of one folder that is parked and resumed, by the simulator's ledger and the bytes. */
export class ParkedJudge {
  readonly violations: string[] = [];
  private readonly rented = new Set<number>();
  private readonly content: string;

  private constructor(
    private readonly computer: Computer,
    private readonly trainer: number,
    readonly folder: string,
  ) {
    this.content = contentOf(folder);
    const { world } = computer.simulator;
    world.onDidChangeInstance(({ id }) => {
      if (id !== trainer) {
        this.rented.add(id);
      } else if (!world.instance(id)) {
        this.ended();
      }
    });
  }

  static async begin(computer: Computer): Promise<ParkedJudge> {
    const trainer = await rentRunning(computer.simulator, { label: 'trainer', runtype: 'ssh_direct' });
    const folder = path.join(computer.root, 'work', 'project');
    mkdirSync(path.join(folder, 'empty ünïcode'), { recursive: true });
    execFileSync('git', ['init', '-q', folder]);
    writeFileSync(path.join(folder, 'train.py'), 'epochs = 3\n', { mode: 0o755 });
    // Large enough for what is continued in its middle.
    writeFileSync(path.join(folder, 'model.bin'), randomBytes(40_000_000));
    symlinkSync('model.bin', path.join(folder, 'latest'));
    return new ParkedJudge(computer, trainer, folder);
  }

  get rentals(): number {
    return this.rented.size;
  }

  report(what: string): void {
    this.violations.push(what);
  }

  /** What an instance had is lost with it. */
  private ended(): void {
    const [row] = setsOnDisk(this.computer);
    if (row?.state.phase !== 'proved') {
      this.report(`destroyed while ${row?.state.phase}`);
    }
    rmSync(this.folder, { recursive: true });
  }

  /** What a window shows, once everything had its time. */
  check({ instances }: JobRows): void {
    const { computer, folder } = this;
    const { world } = computer.simulator;
    const ids = world.instances.map(({ id }) => id);
    const [row, ...more] = setsOnDisk(computer);
    const facts = [
      ['one instance', ids.length, 1],
      ['one rental', this.rented.size, 1],
      ['one set', more.length, 0],
      ['its phase', row?.state.phase, 'parked'],
      ['its trouble', row?.state.trouble, undefined],
      ['its instance', row?.state.resumed?.instanceId, ids[0]],
      ['its host', String(hostsNamed(computer, 'gpu-ws-project')), String(ids[0])],
      ['its archives', row && bytesHere(computer, row) > 40_000_000, true],
      ['the content', existsSync(folder) && contentOf(folder) === this.content, true],
      ['trainer is gone', world.instance(this.trainer), undefined],
    ] as const;
    for (const [what, is, should] of facts) {
      if (is !== should) {
        this.report(`${what}: ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`);
      }
    }
    for (const wanted of [/^project of trainer .*costs nothing/, /^trainer/]) {
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
