import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, toDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import { Claims } from './claims';
import { hubAddress, hubToken, type HubAddress } from './hubAddress';
import { HubServer } from './hubServer';
import { addressInTerm, HubTerms } from './hubTerms';
import { HubLine, isProof, makeNonce, prove, type HubMessage } from './hubWire';
import { errorCode } from '../../util/errorCode';
import { FolderHub } from './folderHub';
import type { WindowHub } from '../ports';

export interface WindowHubDeps {
  /** The same for all windows of this user. */
  readonly storageDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Another meeting place than the platform's own, and whether sockets are used at all. */
  readonly address?: HubAddress | 'none';
}

/** Joins the windows of this user; who leads is known a moment later. */
export function createWindowHub(deps: WindowHubDeps): WindowHub {
  return new SocketHub(deps);
}

/** What is said while nobody leads is kept, up to this many messages. */
const maxWaiting = 200;
const authTimeoutMs = 5000;
/** After this many refused meetings in a row the folder is used instead of a socket. */
const maxRefusals = 20;

/** How often the leader renews its lead and says that it answers. */
const beatMs = 15_000;
/** A lead that was not renewed for so long is over, as after a hang of the window. */
const leadMs = 40_000;
/** A leader that said nothing for so long is left behind; longer than its own lead lasts. */
const silentMs = 60_000;
/** So many meetings in a row without a word mean the same to a window that has just opened. */
const maxSilences = 12;

/**
 * The first window to listen on an address of this user leads; the others connect to it. When it
 * dies its sockets close, and the others race for the address again. One that hangs keeps its address: its lead runs
 * out by its own clock, and then the others end the term and meet at the address of the next.
 */
class SocketHub implements WindowHub {
  readonly windowId = randomBytes(8).toString('hex');
  private readonly owned = new DisposableStore();
  private readonly connection = new MutableDisposable<Disposable>();
  private readonly leaderChanged: Emitter<boolean>;
  private readonly peersChanged: Emitter<ReadonlySet<string>>;
  private readonly listeners = new Map<string, Set<(data: unknown) => void>>();
  private readonly waiting: HubMessage[] = [];
  private readonly claims: Claims;
  private server: HubServer | undefined;
  private leadsInFolder = false;
  private upstream: HubLine | undefined;
  private fallback: FolderHub | undefined;
  private refusals = 0;
  private silences = 0;
  private readonly terms: HubTerms;
  private readonly beat = new MutableDisposable<Disposable>();
  private term = 0;
  /** When the lead was renewed, the leader heard, and this window last looked (`Clock.elapsed`). */
  private renewedAt = 0;
  private heardAt = 0;
  private lookedAt = 0;

  constructor(private readonly deps: WindowHubDeps) {
    const onError = (error: unknown) => {
      deps.log.error('A listener of the window hub failed', error);
    };
    this.leaderChanged = this.owned.add(new Emitter(onError));
    this.peersChanged = this.owned.add(new Emitter(onError));
    this.claims = new Claims(join(deps.storageDir, 'claims'));
    this.terms = new HubTerms(deps.storageDir);
    this.owned.add(this.connection);
    this.owned.add(this.beat);
    this.join();
  }

  get isLeader(): boolean {
    const leads = this.server !== undefined && !this.hasLapsed();
    return leads || (this.leadsInFolder && this.fallback?.isFresh === true);
  }

  get peers(): ReadonlySet<string> {
    return this.fallback?.peers ?? this.server?.peers ?? new Set();
  }

  get onDidChangeLeader() {
    return this.leaderChanged.event;
  }

  get onDidChangePeers() {
    return this.peersChanged.event;
  }

  broadcast(topic: string, data: unknown): void {
    if (this.fallback) {
      this.fallback.say(topic, data);
      return;
    }
    const message: HubMessage = { t: 'say', topic, data };
    if (this.server) {
      this.server.relay(message);
    } else if (this.upstream) {
      this.upstream.send(message);
    } else {
      this.waiting.push(message);
      if (this.waiting.length > maxWaiting) {
        this.waiting.shift();
      }
    }
  }

  on(topic: string, listener: (data: unknown) => void): Disposable {
    const group = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, group);
    const own = (data: unknown) => {
      listener(data);
    };
    group.add(own);
    return toDisposable(() => group.delete(own));
  }

  claim(key: string): Promise<boolean> {
    return this.claims.claim(key);
  }

  dispose(): void {
    this.server = undefined;
    this.leadsInFolder = false;
    this.owned.dispose();
    this.listeners.clear();
  }

  private isOver(): boolean {
    return this.owned.isDisposed;
  }

  private join(): void {
    if (this.isOver()) {
      return;
    }
    this.meet().catch((error: unknown) => {
      this.deps.log.error('The windows could not meet', error);
      this.useFolder();
    });
  }

  private async meet(): Promise<void> {
    const token = await hubToken(this.deps.storageDir);
    if (this.isOver()) {
      return;
    }
    const base = this.deps.address ?? hubAddress(this.deps.storageDir, token);
    if (base === 'none') {
      this.useFolder();
      return;
    }
    this.term = await this.terms.read();
    const address = addressInTerm(base, this.term);
    const outcome = await this.tryConnect(address, token);
    if (outcome === 'connected' || this.isOver()) {
      return;
    }
    if (outcome === 'nobody' && (await this.tryLead(address, token))) {
      return;
    }
    this.refusals += outcome === 'refused' ? 1 : 0;
    this.silences = outcome === 'silent' ? this.silences + 1 : 0;
    if (this.silences >= maxSilences) {
      this.silences = 0;
      await this.terms.end(this.term);
    }
    if (this.refusals > maxRefusals) {
      this.deps.log.warn('The meeting place of the windows is not usable; using files instead');
      this.useFolder();
      return;
    }
    this.joinLater();
  }

  /** A random pause, so that the windows do not all try at the same moment. */
  private joinLater(): void {
    if (!this.isOver()) {
      this.connection.value = this.deps.clock.schedule(
        () => {
          this.join();
        },
        10 + Math.random() * 90,
      );
    }
  }

  private tryConnect(
    address: HubAddress,
    token: string,
  ): Promise<'connected' | 'nobody' | 'refused' | 'silent'> {
    return new Promise((resolve) => {
      const socket = connect(address.path);
      const nonce = makeNonce();
      let isWelcome = false;
      let problem: 'nobody' | 'refused' | 'silent' = 'refused';
      let hasSpoken = false;
      const timer = this.deps.clock.schedule(() => {
        problem = hasSpoken ? problem : 'silent';
        socket.destroy();
      }, authTimeoutMs);
      const line = new HubLine(socket, (message) => {
        this.heardAt = this.deps.clock.elapsed();
        hasSpoken = true;
        if (message.t === 'challenge' && !isWelcome) {
          line.send({
            t: 'auth',
            proof: prove(token, 'member', message.nonce),
            nonce,
            windowId: this.windowId,
          });
        } else if (message.t === 'welcome' && isProof(token, 'leader', nonce, message.proof)) {
          timer.dispose();
          isWelcome = true;
          line.isTrusted = true;
          this.follow(line);
          resolve('connected');
        } else if (message.t === 'say' && isWelcome) {
          this.deliver(message.topic, message.data);
        } else if (message.t !== 'beat' || !isWelcome) {
          socket.destroy();
        }
      });
      this.connection.value = toDisposable(() => socket.destroy());
      socket.on('error', (error) => {
        const code = errorCode(error);
        problem = code === 'ECONNREFUSED' || code === 'ENOENT' ? 'nobody' : 'refused';
      });
      socket.on('close', () => {
        timer.dispose();
        if (isWelcome) {
          this.upstream = undefined;
          this.beat.value = undefined;
          this.joinLater();
        } else {
          resolve(problem);
        }
      });
    });
  }

  private follow(line: HubLine): void {
    this.refusals = 0;
    this.upstream = line;
    for (const message of this.waiting.splice(0)) {
      line.send(message);
    }
    this.lookedAt = this.deps.clock.elapsed();
    this.lookLater();
    this.leaderChanged.fire(false);
  }

  private lookLater(): void {
    this.beat.value = this.deps.clock.schedule(() => {
      this.lookAtLeader().catch((error: unknown) => {
        this.deps.log.error('A leader that does not answer could not be left', error);
        this.lookLater();
      });
    }, beatMs);
  }

  private async lookAtLeader(): Promise<void> {
    const now = this.deps.clock.elapsed();
    // This window hung itself: what the leader said meanwhile is yet to be heard.
    this.heardAt = now - this.lookedAt > 2 * beatMs ? now : this.heardAt;
    this.lookedAt = now;
    if (now - this.heardAt < silentMs) {
      this.lookLater();
      return;
    }
    this.deps.log.warn('The leading window does not answer and is left behind');
    await this.terms.end(this.term);
    // Its end leads to the address of the next term.
    this.connection.value = undefined;
  }

  private beatLater(): void {
    this.beat.value = this.deps.clock.schedule(() => {
      this.renew().catch((error: unknown) => {
        this.deps.log.error('The lead of this window could not be renewed', error);
        this.beatLater();
      });
    }, beatMs);
  }

  /** Goes on leading, unless this window hung, the others have left it behind or cannot find it. */
  private async renew(): Promise<void> {
    const isOver =
      this.hasLapsed() ||
      (await this.terms.read()) > this.term ||
      (await this.server?.isReachable()) === false;
    // The disk may have taken long.
    if (isOver || this.hasLapsed()) {
      this.resign();
      return;
    }
    this.renewedAt = this.deps.clock.elapsed();
    this.server?.relay({ t: 'beat' });
    this.beatLater();
  }

  private hasLapsed(): boolean {
    return this.deps.clock.elapsed() - this.renewedAt >= leadMs;
  }

  private resign(): void {
    if (this.isOver() || !this.server) {
      return;
    }
    this.server = undefined;
    this.connection.value = undefined;
    this.leaderChanged.fire(false);
    this.peersChanged.fire(this.peers);
    this.joinLater();
  }

  private async tryLead(address: HubAddress, token: string): Promise<boolean> {
    const server = await HubServer.open({
      address,
      token,
      clock: this.deps.clock,
      onPeers: () => {
        // Who came before this window knew that it leads is told below.
        if (this.server) {
          this.peersChanged.fire(this.peers);
        }
      },
      onSay: (topic, data) => {
        this.deliver(topic, data);
      },
      onError: (error) => {
        this.deps.log.error('The meeting place of the windows failed', error);
      },
    });
    if (!server) {
      return false;
    }
    this.connection.value = server;
    if ((await this.terms.read()) > this.term) {
      this.connection.value = undefined;
      return false;
    }
    if (!this.isOver()) {
      this.server = server;
      this.refusals = 0;
      this.renewedAt = this.deps.clock.elapsed();
      this.beatLater();
      // Whoever was to hear this comes to this window and asks anew.
      this.waiting.length = 0;
      this.leaderChanged.fire(true);
      if (server.peers.size > 0) {
        this.peersChanged.fire(this.peers);
      }
    }
    return true;
  }

  private deliver(topic: string, data: unknown): void {
    for (const listener of [...(this.listeners.get(topic) ?? [])]) {
      try {
        listener(data);
      } catch (error) {
        this.deps.log.error(`A listener of ${topic} failed`, error);
      }
    }
  }

  private useFolder(): void {
    if (this.fallback || this.isOver()) {
      return;
    }
    const hub = this.owned.add(
      new FolderHub({
        folder: join(this.deps.storageDir, 'windows'),
        windowId: this.windowId,
        clock: this.deps.clock,
        log: this.deps.log,
        onLeader: (leads) => {
          this.leadsInFolder = leads;
          this.leaderChanged.fire(leads);
        },
        onPeers: (peers) => {
          this.peersChanged.fire(peers);
        },
        onMessage: (topic, data) => {
          this.deliver(topic, data);
        },
      }),
    );
    this.fallback = hub;
    for (const message of this.waiting.splice(0)) {
      if (message.t === 'say') {
        hub.say(message.topic, message.data);
      }
    }
  }
}
