import type { JobThere } from '../model/onMachine';
import { copyFromDaemon, type DaemonCopy, type OpenDaemon } from './rsync/daemonCopy';
import { wholeList } from './otherJobs';

const notes = ['spec', 'phase', 'outputs.list'];
/** A larger list names a file. */
const mostNote = 65_536;

/** Returns the jobs of a stopped machine that hold unfetched outputs, by the rules of `others.sh`. */
export async function listStoppedJobs(
  open: OpenDaemon,
  copy: Pick<DaemonCopy, 'module' | 'folder' | 'signal'>,
): Promise<readonly JobThere[]> {
  let paths: readonly string[] = [];
  const found = new Map<string, string>();
  await copyFromDaemon(open, {
    ...copy,
    // The files of the jobs themselves.
    exclude: '/*/src',
    choose: (files) => {
      paths = files.map(({ path }) => path.toString('utf8'));
      return files.filter(
        ({ path, kind, size }) =>
          kind === 'file' && size <= mostNote && notes.includes(path.toString('utf8').split('/')[1] ?? ''),
      );
    },
    take: async ({ path }, content) => {
      const pieces: Buffer[] = [];
      for await (const piece of content) {
        pieces.push(piece);
      }
      found.set(path.toString('utf8'), Buffer.concat(pieces).toString('latin1'));
    },
  });
  const begun = paths.flatMap((path) => /^([0-9a-f]+)\/lock\/started$/.exec(path)?.[1] ?? []).sort();
  const all = new Set(paths);
  return wholeList(
    begun.map((id) => `job ${id} ${stateOf(id, all, found)} ${nameOf(found.get(`${id}/spec`))}`),
  );
}

function stateOf(id: string, paths: ReadonlySet<string>, found: ReadonlyMap<string, string>): string {
  const list = found.get(`${id}/outputs.list`);
  const isEmpty = list !== undefined && !/^\/\/[^4][0-9a-f]* \d* \d* /m.test(list);
  const hasWaited = /^waiting\b/.test(found.get(`${id}/phase`) ?? '');
  return paths.has(`${id}/fetched`) || hasWaited || isEmpty ? 'over' : 'unfetched';
}

function nameOf(spec = ''): string {
  const [, name = ''] = /^\{"id":"[0-9a-f]*","name":"([^"\\]*)"/.exec(spec) ?? [];
  return name.replace(/[^ -~]/g, '').slice(0, 60);
}
