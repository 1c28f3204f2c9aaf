import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Deed, Fate } from './fate';
import type { ParkedWay } from './parkedDriver';

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
    return name === 'GET' || (name === 'POST' && asked !== '/api/v0/commands/rclone/')
      ? undefined
      : `${name} ${String(asked).replace(/\d{2,}/, '{id}')}`;
  }
  if (kind === 'program') {
    return undefined;
  }
  if (kind === 'script') {
    const [first] = args;
    if (String(first).startsWith('@RSYNCD')) {
      return 'ssh serve';
    }
    const sent = /:(.*):/s.exec(String(first))?.[1] ?? '';
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
  const phase = phaseIn(from);
  const isAsked = content.includes({ carrying: '"carry":', copying: '"copy":' }[phase] ?? '\0');
  // A move has its next instance before the old one ends.
  const { resumed, endedAt, since } = JSON.parse(content) as Record<string, unknown>;
  const isResumed = resumed !== undefined && endedAt !== since;
  return isResumed ? 'write resumed' : `${isAsked ? 'note' : 'write'} ${phase}`;
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

/** The same for a folder on its ways to another instance, and in the middle of what is copied. */
const placesOfWays: readonly (readonly [way: ParkedWay, places: readonly string[]])[] = [
  [
    'park',
    [
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
    ],
  ],
  ['cloud', ['write copying', 'note copying', 'POST /api/v0/commands/rclone/', 'write proved']],
  [
    'move',
    [
      'write renting',
      'note rental',
      'PUT /api/v0/asks/{id}/',
      'write listing',
      'ssh fetch pieces',
      'write lookingAgain',
      'write placing',
      'ssh take',
      'ssh name',
      'write resumed',
      'DELETE /api/v0/instances/{id}/',
      'write parked',
    ],
  ],
  [
    'carry',
    [
      'write carrying',
      'ssh ready',
      'note carrying',
      'PUT /api/v0/commands/copy_direct/',
      'ssh name',
      'write resumed',
      'DELETE /api/v0/instances/{id}/',
    ],
  ],
  [
    'rescue',
    [
      'PUT /api/v0/instances/{id}/',
      'note rental',
      'PUT /api/v0/asks/{id}/',
      'write listing',
      'ssh serve',
      'write names',
      'name piece',
      'write proving',
      'write lookingAgain',
      'write placing',
      'ssh name',
      'write resumed',
    ],
  ],
];

/** The places of a way, in their order. */
export function placesOf(way: ParkedWay): readonly string[] {
  return placesOfWays
    .filter(([of]) => of === way || (of === 'park' && way === 'cloud'))
    .flatMap(([, places]) => places.flatMap(aroundIt));
}

/** Each with its way before it, but for those of parking. */
export const parkedPlaces: readonly string[] = placesOfWays
  .flatMap(([way, places]) => places.flatMap(aroundIt).map((place) => onWay(way, place)))
  .concat('during ssh fetch pieces', 'during ssh take', 'rescue: during ssh serve');

function onWay(way: ParkedWay, place: string): string {
  return way === 'park' ? place : `${way}: ${place}`;
}

/** Returns the way of such a place, and the place. */
export function wayOf(named: string): { readonly way: ParkedWay; readonly place: string } {
  const [way, place] = named.split(': ');
  return place === undefined ? { way: 'park', place: named } : { way: way as ParkedWay, place };
}

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
