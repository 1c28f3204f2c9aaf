import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../util/clock';
import { MutableDisposable, type Disposable } from '../../util/disposable';
import type { Log } from '../../util/log';
import { errorCode } from '../../util/errorCode';
import { replaceFile } from '../jsonFile';

export interface FolderHubDeps {
  readonly folder: string;
  readonly windowId: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly onLeader: (leads: boolean) => void;
  readonly onPeers: (peers: ReadonlySet<string>) => void;
  readonly onMessage: (topic: string, data: unknown) => void;
}

const leaderTickMs = 1000;
/** A window that has not been heard of for this long is gone. */
const leaderGoneMs = 5000;
const messageLifeMs = 60_000;
/** The sign of life of a window that was killed is removed this long after it. */
const forgottenMs = 24 * 3_600_000;

/**
 * Where sockets are impossible (some sandboxes): a leader by a file that it keeps fresh, messages as files in a
 * folder. Slower than sockets, but with the same promises.
 */
export class FolderHub implements Disposable {
  private readonly timer = new MutableDisposable<Disposable>();
  private readonly seen = new Set<string>();
  private leads: boolean | undefined;
  private known = new Set<string>();
  private counter = 0;
  private isDisposed = false;
  private isFirstLook = true;
  private lookedAt = 0;

  constructor(private readonly deps: FolderHubDeps) {
    this.next(0);
  }

  /** False after a hang, until it was seen who leads now. */
  get isFresh(): boolean {
    return this.deps.clock.elapsed() - this.lookedAt < leaderGoneMs;
  }

  get peers(): ReadonlySet<string> {
    return this.known;
  }

  say(topic: string, data: unknown): void {
    this.counter += 1;
    const time = String(this.deps.clock.now()).padStart(15, '0');
    const name = `${time}-${this.deps.windowId}-${String(this.counter).padStart(6, '0')}.say`;
    this.seen.add(name);
    replaceFile(join(this.deps.folder, name), JSON.stringify({ topic, data })).catch((error: unknown) => {
      this.deps.log.error('A message to the other windows could not be written', error);
    });
  }

  dispose(): void {
    this.isDisposed = true;
    this.timer.dispose();
    void rm(this.aliveFile(this.deps.windowId), { force: true }).catch(() => undefined);
  }

  private next(delayMs: number): void {
    if (!this.isDisposed) {
      this.timer.value = this.deps.clock.schedule(() => {
        this.look()
          .catch((error: unknown) => {
            this.deps.log.error('The folder shared by the windows could not be read', error);
          })
          .finally(() => {
            this.next(leaderTickMs);
          });
      }, delayMs);
    }
  }

  private async look(): Promise<void> {
    await mkdir(this.deps.folder, { recursive: true, mode: 0o700 });
    await writeFile(this.aliveFile(this.deps.windowId), String(this.deps.clock.now()), { mode: 0o600 });
    const names = (await readdir(this.deps.folder)).sort();
    await this.lookForPeers(names);
    if (!this.isFresh) {
      // Nobody took this window for the leader since its last look, so it says again who leads.
      this.leads = undefined;
    }
    this.lookedAt = this.deps.clock.elapsed();
    await this.lookForLead();
    await this.lookForMessages(names);
    this.isFirstLook = false;
  }

  private async lookForPeers(names: readonly string[]): Promise<void> {
    const alive = new Set<string>();
    for (const name of names.filter((file) => file.endsWith('.alive'))) {
      const windowId = name.slice(0, -'.alive'.length);
      const at = Number(await readIfPresent(join(this.deps.folder, name)));
      const silentMs = this.deps.clock.now() - at;
      if (windowId !== this.deps.windowId && silentMs < leaderGoneMs) {
        alive.add(windowId);
      } else if (silentMs > forgottenMs) {
        await rm(join(this.deps.folder, name), { force: true });
      }
    }
    const isSame = alive.size === this.known.size && [...alive].every((id) => this.known.has(id));
    this.known = alive;
    if (!isSame) {
      this.deps.onPeers(alive);
    }
  }

  /** The lease names its holder; a holder that is not alive is replaced by whoever removes its lease first. */
  private async lookForLead(): Promise<void> {
    const lease = join(this.deps.folder, 'leader.lease');
    const holder = await readIfPresent(lease);
    if (holder !== undefined && holder !== this.deps.windowId && !this.known.has(holder)) {
      const age = await stat(lease).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      );
      // A fresh lease may be of a window that has not said yet that it lives.
      if (age > leaderGoneMs) {
        await rm(lease, { force: true });
      }
    }
    let leads = holder === this.deps.windowId;
    if (!leads && (holder === undefined || !this.known.has(holder))) {
      try {
        await writeFile(lease, this.deps.windowId, { flag: 'wx', mode: 0o600 });
        leads = true;
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') {
          throw error;
        }
      }
    }
    if (leads !== this.leads) {
      this.leads = leads;
      this.deps.onLeader(leads);
    }
  }

  private async lookForMessages(names: readonly string[]): Promise<void> {
    const files = names.filter((file) => file.endsWith('.say'));
    const isOld = (name: string) => this.deps.clock.now() - Number(name.slice(0, 15)) > messageLifeMs;
    // Whichever window was first has removed their files.
    for (const name of [...this.seen].filter(isOld)) {
      this.seen.delete(name);
    }
    for (const name of files) {
      const path = join(this.deps.folder, name);
      if (isOld(name)) {
        await rm(path, { force: true });
      } else if (!this.seen.has(name)) {
        this.seen.add(name);
        // What was said before this window opened is not for it.
        const content = this.isFirstLook ? undefined : await readIfPresent(path);
        if (content !== undefined) {
          this.deliver(content);
        }
      }
    }
  }

  private deliver(content: string): void {
    try {
      const parsed: unknown = JSON.parse(content);
      if (
        typeof parsed === 'object' &&
        parsed !== null &&
        'topic' in parsed &&
        typeof parsed.topic === 'string'
      ) {
        this.deps.onMessage(parsed.topic, 'data' in parsed ? parsed.data : undefined);
      }
    } catch (error) {
      this.deps.log.warn(`A message of another window was not understood: ${String(error)}`);
    }
  }

  private aliveFile(windowId: string): string {
    return join(this.deps.folder, `${windowId}.alive`);
  }
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
