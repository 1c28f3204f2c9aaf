import { createHash } from 'node:crypto';
import { joined } from '../../../ssh/pieces';
import { singleBytes, sumOf, TransferError } from '../../../ssh/transfer';
import { upload } from '../../../ssh/upload';
import { realFile } from '../../../util/realPlace';
import type { Attempts } from '../../model/mirrorMemory';
import {
  diskFull,
  orderOf,
  OtherMachineError,
  sendToFarSide,
  type FarStep,
  type LargeStep,
  type FarOutcome,
} from './farSide';
import {
  mirrorArchive,
  hashHereOf,
  settledHere,
  type Archived,
  type NearFile,
  type NearLook,
} from './nearSide';
import type { MirrorSession } from './session';

/** So many files and bytes go with one login, so that a cut loses no more. */
const mostFiles = 20_000;
const mostBytes = 256_000_000;
/** Attempts that are remembered for one file. */
const mostAttempts = 8;

/** Has the instance do it, and notes what was done. Returns the names of which nothing was done. */
export async function sendSteps(
  session: MirrorSession,
  steps: readonly FarStep[],
  near: Pick<NearLook, 'files' | 'at'>,
  freeBytes: number | undefined,
): Promise<readonly string[]> {
  const bytes = sumOf(
    steps.flatMap(({ what, name }) => (what === 'drop' ? [] : (near.files.get(name) ?? []))),
  );
  if (freeBytes !== undefined && bytes > freeBytes) {
    throw diskFull(bytes, freeBytes);
  }
  const refused: string[] = [];
  for (const batch of batchesOf(steps, near.files)) {
    refused.push(...(await sendBatch(session, batch, near)));
    await session.save();
  }
  return refused;
}

async function sendBatch(
  session: MirrorSession,
  steps: readonly FarStep[],
  near: Pick<NearLook, 'files' | 'at'>,
): Promise<readonly string[]> {
  const { machine: memory, attempts, at: call } = session;
  if (!memory) {
    return steps.map(({ name }) => name);
  }
  const puts = steps.filter(({ what }) => what !== 'drop');
  const isLarge = (name: string) =>
    (near.files.get(name)?.size ?? 0) >= (session.deps.singleBytes ?? singleBytes);
  const large: LargeStep[] = [];
  const contents = new Map<string, Archived>();
  for (const { name } of puts.filter((one) => isLarge(one.name))) {
    const sent = await sendLarge(session, name, near.files.get(name), memory.remote);
    large.push({ ...sent, name });
    contents.set(name, { hash: sent.hash, isTorn: false });
  }
  const small = new Map(
    puts.flatMap(({ name }) => {
      const file = isLarge(name) ? undefined : near.files.get(name);
      return file ? [[name, file] as const] : [];
    }),
  );
  const before = new Map(attempts);
  const archive = mirrorArchive(small, async (sent) => {
    for (const [name, one] of sent) {
      contents.set(name, one);
      if (one.problem) {
        session.unread.set(name, one.problem);
      }
    }
    const isTorn = (name: string) => contents.get(name)?.isTorn === true;
    const tried = steps.filter(({ name }) => !isTorn(name));
    for (const { name, what } of tried) {
      const content = what === 'drop' ? '-' : (contents.get(name)?.hash ?? '');
      attempts.set(name, [...(before.get(name) ?? []), content].slice(-mostAttempts));
    }
    await session.deps.notes.writeAttempts(attempts);
    // What is no version of the file is not put in its place.
    const order = steps.map((step) => (isTorn(step.name) ? { ...step, stamp: '!', hashes: [] } : step));
    return orderOf(order, large);
  });
  const bytes = sumOf(small.values());
  const sent = await sendToFarSide(call, memory, joined(archive), {
    bytes,
    count: steps.length,
    others: steps.filter(({ what }) => what !== 'put').length,
  }).catch((error: unknown) => {
    if (error instanceof OtherMachineError) {
      return undefined;
    }
    throw error;
  });
  return sent ? noteSent(session, steps, sent, contents, near, before) : steps.map(({ name }) => name);
}

function noteSent(
  session: MirrorSession,
  steps: readonly FarStep[],
  { placed, refused }: FarOutcome,
  contents: ReadonlyMap<string, Archived>,
  near: Pick<NearLook, 'files' | 'at'>,
  before: Attempts,
): readonly string[] {
  const { attempts } = session;
  const undone: string[] = [];
  for (const { name, what } of steps) {
    const [here, there, content] = [near.files.get(name), placed.get(name), contents.get(name)];
    const isDone = !refused.has(name);
    if (!isDone) {
      const earlier = before.get(name);
      if (earlier) {
        attempts.set(name, earlier);
      } else {
        attempts.delete(name);
      }
      undone.push(name);
    } else if (what === 'drop') {
      session.set(name, undefined);
      attempts.delete(name);
    } else if (here && content && there !== undefined) {
      const local = settledHere(here.stamp, near.at);
      session.set(name, { hash: content.hash, isExecutable: here.isExecutable, local, there });
      attempts.delete(name);
    } else {
      // It is gone again, which the next look finds; the attempt is remembered until then.
      undone.push(name);
    }
  }
  return undone;
}

/** Sends a file alone, from where an earlier login ended; it is put in its place by a later one. */
async function sendLarge(
  { at: call }: MirrorSession,
  name: string,
  one: NearFile | undefined,
  remote: string,
): Promise<Omit<LargeStep, 'name'>> {
  const file = one?.file;
  const hash = one && (await hashHereOf(one));
  if (!file || hash === undefined) {
    throw new TransferError(name);
  }
  const id = createHash('sha256').update(`${name}\n${hash}`).digest('hex').slice(0, 24);
  const parts = remote.split('/');
  const folder = [...parts.slice(0, -1), '.gpu-rental-mirror', ...parts.slice(-1), 'large'].join('/');
  const outcome = await upload(call, call.alias, [{ name: id, path: await realFile(file) }], folder, {
    signal: call.signal,
  });
  const problem = outcome.leftOut[0];
  if (problem) {
    throw new TransferError(problem.why);
  }
  return { id, hash };
}

/** Deletes are first, because they may make room for a folder in the place of a file. */
function batchesOf(
  steps: readonly FarStep[],
  files: ReadonlyMap<string, NearFile>,
): readonly (readonly FarStep[])[] {
  const batches: FarStep[][] = [];
  let [count, bytes] = [Infinity, 0];
  for (const step of [...steps].sort((a, b) => Number(b.what === 'drop') - Number(a.what === 'drop'))) {
    const size = step.what === 'drop' ? 0 : (files.get(step.name)?.size ?? 0);
    if (count >= mostFiles || bytes + size > mostBytes) {
      batches.push([]);
      [count, bytes] = [0, 0];
    }
    batches.at(-1)?.push(step);
    count += 1;
    bytes += size;
  }
  return batches;
}
