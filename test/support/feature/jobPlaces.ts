import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Deed, Fate } from './fate';

/** Words of the scripts that a job sends to its machine, and what each of them does; the first that fits counts. */
const programs: readonly (readonly [word: string, name: string])[] = [
  ['Arms, checks or disarms', 'guard'],
  ['echo begun', 'begin'],
  ['take_spare', 'copy'],
  ['[ -s scanned ]', 'mirror'],
  ['not-synced', 'start'],
  ['samePid1', 'check'],
  [': >cancel', 'cancel'],
  ['outputs.list.new', 'list outputs'],
  ['fetched.new', 'mark fetched'],
  ['--no-recursion -cf', 'fetch'],
  ['tar -xof -', 'send'],
  ['export LC_ALL=C\ncd ', 'compare'],
];

/** The place in the life of a job at which something is done, or `undefined` for what has nothing to do with it. */
export function placeOf({ kind, name, args }: Deed): string | undefined {
  if (kind === 'request') {
    const [asked] = args;
    return name === 'GET' || name === 'POST'
      ? undefined
      : `${name} ${String(asked).replace(/\d{2,}/, '{id}')}`;
  }
  if (kind === 'program') {
    return undefined;
  }
  if (kind === 'script') {
    const sent = /:(.*):/s.exec(String(args.at(-1)))?.[1] ?? '';
    const script = sent.replace(/\\([n\\])/g, (_, sign) => (sign === 'n' ? '\n' : '\\'));
    const found = programs.find(([word]) => script.includes(word));
    return found && `ssh ${found[1]}`;
  }
  const [from, to] = args as readonly [string, string | undefined];
  return name === 'rename' && to !== undefined ? placeOfFile(from, to) : undefined;
}

function placeOfFile(from: string, to: string): string | undefined {
  const [folder = '', base = ''] = to.split(path.sep).slice(-2);
  if (folder === 'rentals') {
    return 'write rental';
  }
  if (folder !== 'jobs') {
    return to.includes('gpu-outputs') ? 'name output' : undefined;
  }
  if (base.endsWith('.state.json')) {
    return `write ${phaseIn(from)}`;
  }
  return base.endsWith('.files.json') ? 'write names' : 'write order';
}

function phaseIn(file: string): string {
  try {
    return /"phase":"(\w+)"/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}

/** Where a window, a connection or a machine may end, in the order of a job's life. */
export const jobPlaces: readonly string[] = [
  'write rental',
  'write names',
  'write order',
  'PUT /api/v0/asks/{id}/',
  'write renting',
  'write gettingReady',
  'write connecting',
  'ssh guard',
  'ssh begin',
  'write syncing',
  'ssh mirror',
  'ssh compare',
  'ssh send',
  'ssh copy',
  'write starting',
  'ssh start',
  'write running',
  'ssh look',
  'write ended',
  'write fetching',
  'ssh list outputs',
  'ssh fetch',
  'name output',
  'ssh mark fetched',
  'write fetched',
  'write releasing',
  'DELETE /api/v0/instances/{id}/',
  'write over',
].flatMap((place) => [`before ${place}`, `after ${place}`]);

/** Calls back when a window comes to a place, such as `before write running`; each as often as it comes there. */
export function atPlaces(fate: Fate, seen: (place: string) => void): void {
  // Both calls are to name the same place, and a file is gone once it has its name.
  const places = new WeakMap<Deed, string>();
  fate.onDeed = (deed, when) => {
    const place = when === 'before' ? placeOf(deed) : places.get(deed);
    if (place === undefined) {
      return;
    }
    places.set(deed, place);
    seen(`${when} ${place}`);
  };
}
