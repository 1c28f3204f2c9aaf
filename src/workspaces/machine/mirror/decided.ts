import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadList } from '../../../ssh/download';
import { reasons, type LeftOut } from '../../../ssh/transfer';
import { realFile } from '../../../util/realPlace';
import { text } from '../../../util/text';
import { bringFile, keepAside, whyNotHere, type Before } from './bring';
import { modifiedThere, settledStamp, type FarStep } from './farSide';
import { sendSteps } from './sending';
import type { BothLooks, MirrorSession, SessionDeps } from './session';

const bothChanged = text('changed on both sides');

/** Sends over what the instance has, which is kept there for a while. */
export async function overwrite(
  session: MirrorSession,
  { near, far, plan }: BothLooks,
  names: readonly string[],
): Promise<readonly LeftOut[]> {
  const open = new Set(plan.differing.map(({ name }) => name));
  const isFolder = (name: string) => far.files.get(name)?.kind === 'folder';
  const steps = names
    .filter((name) => open.has(name) && !isFolder(name))
    .flatMap((name): FarStep[] => {
      const there = far.files.get(name);
      const step = { name, stamp: there?.stamp ?? '-', hashes: [] };
      if (near.files.has(name)) {
        return [{ ...step, what: there ? 'save' : 'put' }];
      }
      return there && session.known.has(name) ? [{ ...step, what: 'drop' }] : [];
    });
  const undone = steps.length === 0 ? [] : await sendSteps(session, steps, near, far.freeBytes);
  return [
    ...names.filter(isFolder).map((name) => ({ name, why: reasons.isFolderThere })),
    ...undone.map((name) => ({ name, why: reasons.changed })),
  ];
}

/** Fetches files that differ; those changed on both sides only by the user's decision, and then the other version is kept. */
export async function bring(
  { notes, platform }: Pick<SessionDeps, 'notes' | 'platform'>,
  session: MirrorSession,
  { near, far, plan }: BothLooks,
  names: readonly string[],
  upTo: 'changed' | 'both',
): Promise<readonly LeftOut[]> {
  const leftOut: LeftOut[] = [];
  const changes = new Map(plan.differing.map(({ name, change }) => [name, change]));
  const wanted = names.filter((name) => {
    const change = changes.get(name);
    const isGone = change !== undefined && !far.files.has(name) && upTo !== 'both';
    const why = isGone
      ? reasons.gone
      : change === 'both' && upTo !== 'both'
        ? bothChanged
        : change && whyNotHere(name, near.files.keys(), platform);
    leftOut.push(...(why ? [{ name, why }] : []));
    return change !== undefined && why === undefined;
  });
  const { local } = session.folder;
  const root = { opened: local };
  const into = join(notes.folder, 'fetched');
  const asideFolder = join(notes.folder, 'replaced', String(near.at));
  await rm(into, { recursive: true, force: true });
  await mkdir(into, { recursive: true, mode: 0o700 });
  const there = wanted.flatMap((name) => {
    const file = far.files.get(name);
    return file?.kind === 'file' ? [{ name, file }] : [];
  });
  if (session.remote !== undefined && there.length > 0) {
    const outcome = await downloadList(
      session.at,
      session.at.alias,
      {
        folder: session.remote,
        entries: there.map(({ name, file }) => ({
          name,
          kind: 'file',
          size: file.size,
          modified: modifiedThere(file.stamp),
        })),
        privateFolders: new Set(),
        hashes: new Map(
          there.flatMap(({ name, file }) => (file.hash === undefined ? [] : [[name, file.hash]])),
        ),
      },
      { path: into, root: { opened: into } },
      { signal: session.at.signal },
    );
    leftOut.push(...outcome.leftOut);
  }
  const missing = new Set(leftOut.map(({ name }) => name));
  for (const name of wanted.filter((one) => !missing.has(one))) {
    const here = near.files.get(name);
    const known = session.known.get(name);
    const hash = here?.hash ?? known?.hash;
    const before: Before | undefined = hash === undefined ? undefined : { stamp: here?.stamp ?? '', hash };
    const path = await realFile({ path: join(local, ...name.split('/')), root });
    const file = far.files.get(name);
    if (here && upTo === 'both') {
      await keepAside(path, join(asideFolder, ...name.split('/')));
    }
    if (!file) {
      await rm(path, { force: true });
      session.set(name, undefined);
    } else if (file.kind !== 'file' || file.hash === undefined) {
      leftOut.push({ name, why: reasons.noFile });
    } else if (
      await bringFile(root, name, join(into, ...name.split('/')), here || known ? before : undefined)
    ) {
      const there = settledStamp(file.stamp, far.now);
      session.set(name, { hash: file.hash, isExecutable: here?.isExecutable ?? false, local: '', there });
    } else {
      leftOut.push({ name, why: reasons.changed });
    }
  }
  await rm(into, { recursive: true, force: true });
  return leftOut;
}
