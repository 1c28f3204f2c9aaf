import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { canContinue, canResume, isAtRest, type ParkedRow } from '../../../src/workspaces/model/parking';
import type { Computer } from './computer';
import type { Wanted } from './wanted';
import type { FeatureWindow } from './window';

/**
 * The ways of a folder to another instance: it is parked and resumed, the same with a second copy in a cloud, moved through
 * this computer or by the service, or moved off an instance whose GPU another user has.
 */
export type ParkedWay = 'park' | 'cloud' | 'move' | 'carry' | 'rescue';

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

/** The parked sets that stand on the disk of a computer, oldest first. */
export function setsOnDisk({ storage }: Pick<Computer, 'storage'>): readonly ParkedRow[] {
  const folder = path.join(storage, 'parked');
  const read = (name: string) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as unknown;
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => /^\w{8}\.json$/.test(name))
    .map((name) => ({ set: read(name), state: read(name.replace('.', '.state.')) }) as ParkedRow)
    .sort((one, other) => one.set.orderedAt - other.set.orderedAt);
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

/** Logs in to trainer, stops it, and starts it once another user has its GPU. */
export async function startInVain(window: FeatureWindow, folder: string): Promise<void> {
  const instances = window.view('instances');
  await instances.menu(/^trainer/, 'Park…');
  await window.quick.title('Park');
  await window.quick.type(folder);
  await window.dialogButton('Keep Instance', /project and destroy trainer\?/);
  await instances.menu(/^trainer/, 'Stop…');
  await window.dialogButton('Stop');
  await window.computer.until('the end of its folder', () => !existsSync(folder));
  await instances.menu(/^trainer .*Stopped/, 'Start…');
  await window.dialogButton('Start');
  await instances.row(/^trainer .*Another user has the GPU/);
}

/** Brings the folder of trainer to another instance, from where an earlier window left that, until it is there or the window is gone. */
export async function playParked(
  window: FeatureWindow,
  { folder, way }: { readonly folder: string; readonly way: ParkedWay },
): Promise<void> {
  const { computer } = window;
  const newest = () => setsOnDisk(computer).at(-1);
  const begun = async (work: () => Promise<void>, mark: (row: ParkedRow) => unknown) => {
    const before = newest();
    await work();
    await computer.until('the order', () => {
      const now = newest();
      return !window.isOpen || (now && (!before || mark(now) !== mark(before)));
    });
  };
  const rested = () => !window.isOpen || atRest(newest()) !== undefined;
  // What the user can't bring to an end by these is left as it is.
  for (let acts = 0; acts < 8; acts += 1) {
    await (newest() && computer.until('a rest', rested, { withinMs: 3_600_000 }));
    const row = newest();
    if (!window.isOpen || (row?.state.resumed && isAtRest(row))) {
      return;
    }
    if (row && canContinue(row)) {
      await begun(
        () => window.view('instances').menu(/^project of trainer/, 'Continue'),
        ({ set }) => set.decidedAt.retry,
      );
    } else if (row && canResume(row.state)) {
      await begun(
        () => resumeParked(window, /^Sent to it/),
        ({ set }) => set.rental?.marker,
      );
    } else {
      await begun(
        () => orderParked(window, folder, way),
        ({ set }) => set.id,
      );
    }
  }
}

function atRest(row: ParkedRow | undefined): ParkedRow | undefined {
  const waits = row?.state.trouble && row.state.trouble.nextTryAt === undefined;
  return row && (isAtRest(row) || waits === true) ? row : undefined;
}

/** From the row of trainer to the confirmed question. */
async function orderParked(window: FeatureWindow, folder: string, way: ParkedWay): Promise<void> {
  const { quick, computer } = window;
  const isMove = way !== 'park' && way !== 'cloud';
  const trainer = way === 'rescue' ? /^trainer .*(?:Another user has the GPU|Stopped)/ : /^trainer/;
  await window.view('instances').menu(trainer, isMove ? 'Move…' : 'Park…');
  await quick.title(isMove ? 'Move' : 'Park');
  await quick.type(folder);
  const question = /project and destroy trainer\?|project off trainer\?/;
  const { buttons } = await window.dialog(question);
  if (way === 'cloud' && buttons.includes('Also to a Cloud Connection…')) {
    await window.dialogButton('Also to a Cloud Connection…', question);
    await quick.pick('checkpoints');
    await quick.title('Copy to checkpoints');
    await quick.type('/bucket');
  }
  if (!isMove) {
    await window.dialogButton('Park and Destroy', question);
    return;
  }
  await window.dialogButton(way === 'carry' ? 'Copy by the Service…' : 'Choose Offer…', question);
  await quick.title(/Move/);
  await quick.pick(/^1× /);
  await quick.row(/^(?:Until then|Kept)/);
  await computer.pass(1000);
  await quick.pick(/and Move/);
}
