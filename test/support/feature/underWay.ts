import type { ChildProcess } from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { connect, type NetConnectOpts } from 'node:net';
import path from 'node:path';

/** Requests that were begun and neither answered nor given up. */
const requests = new Set<object>();
/** Programs that run for a moment; servers and tunnels run as long as they are wanted. */
const programs = new Set<ChildProcess>();
const short = new Set(['ssh', 'ssh-keygen', 'ssh-keyscan', 'ssh-add', 'sftp', 'git', 'rsync', 'sh', 'cp']);

const on = (channel: string, seen: (message: object) => void) => {
  diagnostics.subscribe(channel, (message) => {
    seen(message as object);
  });
};
on('undici:request:create', (message) => requests.add((message as { request: object }).request));
for (const end of ['undici:request:trailers', 'undici:request:error']) {
  on(end, (message) => requests.delete((message as { request: object }).request));
}
on('child_process', (message) => {
  const child = (message as { process: ChildProcess }).process;
  // What a program is called is known once it was started.
  queueMicrotask(() => {
    if (!short.has(path.basename(child.spawnfile))) {
      return;
    }
    programs.add(child);
    const gone = () => programs.delete(child);
    child.once('close', gone);
    child.once('error', gone);
    if (child.spawnargs.includes('-N')) {
      void untilListening(child).then(gone);
    } else if (isFollowing(child)) {
      child.stdout?.on('data', (piece: Buffer) => {
        if (firstAnswerOf(child).test(piece.toString())) {
          gone();
          // The simulated machine runs its end of the login in this process, too.
          [...programs].filter(isSession).forEach((session) => programs.delete(session));
        }
      });
    }
    followTalk(child);
  });
});

/** A script that ends with this process goes on until nobody needs it; its first answer comes by itself. */
function isFollowing({ spawnfile, spawnargs }: ChildProcess): boolean {
  return path.basename(spawnfile) === 'sh' && (spawnargs.at(-1) ?? '').includes('unset LC_GPU_RENTAL');
}

/** Of a look, and of a program that waits for its debugger. */
function firstAnswerOf({ spawnargs }: ChildProcess): RegExp {
  return (spawnargs.at(-1) ?? '').endsWith(' gpu-rental-look') ? /\.\n/ : /\nwaits \//;
}

function isSession({ spawnargs }: ChildProcess): boolean {
  return (spawnargs.at(-1) ?? '').endsWith('session.sh');
}

/** So long after an answer nothing more comes, in milliseconds. */
const answeredMs = 20;

/** A connection for files stands until the clock ends it; each end is under way from a question to the last answer. */
function followTalk(child: ChildProcess): void {
  let answered: NodeJS.Timeout | undefined;
  const write = child.stdin?.write.bind(child.stdin);
  if (child.stdin && write) {
    child.stdin.write = ((...args: Parameters<typeof write>) => {
      clearTimeout(answered);
      if (child.exitCode === null && child.signalCode === null) {
        programs.add(child);
      }
      return write(...args);
    }) as typeof write;
  }
  child.stdout?.on('data', () => {
    clearTimeout(answered);
    answered = setTimeout(() => isForFiles(child) && programs.delete(child), answeredMs);
  });
}

function isForFiles({ pid, spawnargs }: ChildProcess): boolean {
  try {
    return `${spawnargs.join(' ')} ${readFileSync(`/proc/${pid}/cmdline`, 'latin1')}`.includes('sftp-server');
  } catch {
    return false;
  }
}

/** A tunnel comes up by itself, without the clock of the product; from then on it runs as long as it is wanted. */
async function untilListening(child: ChildProcess): Promise<void> {
  const [, socket, port] =
    /^(?:(\/[^:]*)|127\.0\.0\.1:(\d+)):/.exec(child.spawnargs[child.spawnargs.indexOf('-L') + 1] ?? '') ?? [];
  const place = socket === undefined ? { port: Number(port), host: '127.0.0.1' } : { path: socket };
  while (child.exitCode === null && child.signalCode === null && !(await listens(place))) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function listens(place: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(place);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

const diskOrNetwork =
  /^(FSReq|CloseReq|GetAddrInfo|GetNameInfo|.*Connect|.*WriteWrap|.*ShutdownWrap|.*RandomBytes|.*Keygen|.*KeyGen|.*Job|.*Zlib|PBKDF2|Scrypt)/;

/** By their names, of which there are few. */
const verdicts = new Map<string, boolean>();

function endsByItself(kind: string): boolean {
  const known = verdicts.get(kind);
  if (known !== undefined) {
    return known;
  }
  const verdict = diskOrNetwork.test(kind);
  verdicts.set(kind, verdict);
  return verdict;
}

/** True while something goes on that ends by itself without the clock of the product. */
export function isUnderWay(heldBack: number): boolean {
  return requests.size > heldBack || programs.size > 0 || process.getActiveResourcesInfo().some(endsByItself);
}

/** Names what is under way, for a test that waited in vain. */
export function whatIsUnderWay(): string {
  const names = [...requests].map((request) => {
    const { method, path: asked } = request as { method?: string; path?: string };
    return `${method ?? ''} ${asked ?? ''}`;
  });
  return [...names, ...[...programs].map((child) => child.spawnargs.join(' '))].join(', ') || 'nothing';
}

/** So many looks at once; then what is under way gets the processor for itself. */
const checksAtOnce = 20;

/** Lets everything come to rest that does not wait for the product's clock. */
export async function rest(heldBack: () => number): Promise<void> {
  let busy = 0;
  for (let quiet = 0; quiet < 6; quiet += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (programs.size > 0 || busy > checksAtOnce) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    if (isUnderWay(heldBack())) {
      quiet = 0;
      busy += 1;
    } else {
      busy = 0;
    }
  }
}
