import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Deed, Fate } from './fate';

/** Words of the scripts that machines are sent, and what each of them does; the first that fits counts. */
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
  ['echo "list $(date', 'list'],
  ['echo hashes', 'hash'],
  ['echo pieces', 'fetch pieces'],
  ['echo "place $(free_kb)"', 'ready'],
  ['echo taken', 'name'],
  ['echo take', 'take'],
];

/** The place in such a life at which something is done, or `undefined` for what has nothing to do with it. */
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
  if (to.includes(`${path.sep}parked${path.sep}`)) {
    return placeOfParked(from, folder, base);
  }
  if (folder !== 'jobs') {
    return to.includes('gpu-outputs') ? 'name output' : undefined;
  }
  if (base.endsWith('.state.json')) {
    return `write ${phaseIn(from)}`;
  }
  return base.endsWith('.files.json') ? 'write names' : 'write order';
}

function placeOfParked(from: string, folder: string, base: string): string {
  if (folder !== 'parked') {
    return base.endsWith('.tar') ? 'name piece' : 'write names';
  }
  const content = readFileSync(from, 'utf8');
  if (!base.endsWith('.state.json')) {
    return content.includes('"rental":') ? 'note rental' : 'write order';
  }
  return content.includes('"resumed":') ? 'write resumed' : `write ${phaseIn(from)}`;
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
].flatMap(aroundIt);

/** The same for a folder that is parked and resumed, and in the middle of what is copied. */
export const parkedPlaces: readonly string[] = [
  'write listing',
  'write order',
  'ssh list',
  'ssh hash',
  'write names',
  'write fetching',
  'ssh fetch pieces',
  'name piece',
  'write proving',
  'write lookingAgain',
  'write proved',
  'DELETE /api/v0/instances/{id}/',
  'write parked',
  'write rental',
  'note rental',
  'PUT /api/v0/asks/{id}/',
  'write renting',
  'write gettingReady',
  'write placing',
  'ssh ready',
  'ssh take',
  'ssh name',
  'write resumed',
]
  .flatMap(aroundIt)
  .concat('during ssh fetch pieces', 'during ssh take');

function aroundIt(place: string): readonly string[] {
  return [`before ${place}`, `after ${place}`];
}

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
