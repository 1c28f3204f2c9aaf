import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/emitter';
import type { Log } from '../../util/log';
import { AgentDoor } from './agentDoor';
import { Claims } from './claims';
import { hubAddress, hubToken, type HubAddress } from './hubAddress';
import { HubListeners } from './hubListeners';
import { HubMember, type Meeting } from './hubMember';
import { HubServer } from './hubServer';
import { addressInTerm, HubTerms } from './hubTerms';
import type { HubLine, HubMessage } from './hubWire';

/** The connection of one window to the others; exactly one window leads. */
export interface WindowHub extends Disposable {
  /** Identifies this window to the others. */
  readonly windowId: string;
  /** The other windows connected to the leader; empty in the others. */
  readonly peers: ReadonlySet<string>;
  readonly onDidChangePeers: Event<ReadonlySet<string>>;
  readonly isLeader: boolean;
  readonly onDidChangeLeader: Event<boolean>;
  /** Sends to every other window; must never carry a secret. */
  broadcast(topic: string, data: unknown): void;
  /** Receives from the other windows, not from itself. */
  on(topic: string, listener: (data: unknown) => void): Disposable;
  /** Returns true in exactly one window for a key, forever; survives restarts. */
  claim(key: string): Promise<boolean>;
}

export interface WindowHubDeps {
  /** The same for all windows of this user. */
  readonly storageDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Replaces the platform's meeting address. */
  readonly address?: HubAddress;
  readonly terms?: Pick<HubTerms, 'read' | 'end'>;
}

/** Connects this window to the user's other windows. Which window leads is known a moment later. */
export function createWindowHub(deps: WindowHubDeps): WindowHub & { readonly agents: AgentDoor } {
  return new SocketHub(deps);
}

/** The most messages kept while no window leads. */
const maxWaiting = 200;
/** After this many failed attempts in a row, a window works alone. */
const maxFailures = 20;
/** How often a window that works alone looks for the others (ms). */
const searchOthersMs = 15_000;

/** How often the leader renews its lead and signals that it is alive. */
const beatMs = 15_000;
/** A lead that was not renewed for this long has ended, as after a hang of the window. */
const leadMs = 40_000;
/** A leader that was silent for this long is abandoned; longer than its own lead lasts. */
const silentMs = 60_000;
/** This many silent attempts in a row count the same for a window that has just opened. */
const maxSilences = 12;

/**
 * The first window to listen on an address of this user leads; the others connect to it. When it dies its sockets
 * close, and the others compete for the address. A hanging leader keeps its address: its lead expires by its own
 * clock, and then the others end the term and meet at the address of the next.
 */
class SocketHub implements WindowHub {
  readonly windowId = randomBytes(8).toString('hex');
  private readonly owned = new DisposableStore();
  /** Agents connect to the leading window. */
  readonly agents = this.owned.add(new AgentDoor());
  private readonly connection = new MutableDisposable<Disposable>();
  private readonly leaderChanged: Emitter<boolean>;
  private readonly peersChanged: Emitter<ReadonlySet<string>>;
  private readonly listeners: HubListeners;
  private readonly waiting: HubMessage[] = [];
  private readonly claims: Claims;
  private server: HubServer | undefined;
  private upstream: HubLine | undefined;
  /** True if no window can be met now, so this one leads itself and has no peers. */
  private isAlone = false;
  private failures = 0;
  private silences = 0;
  private readonly terms: Pick<HubTerms, 'read' | 'end'>;
  private readonly beat = new MutableDisposable<Disposable>();
  private term = 0;
  /** When the lead was last renewed, the leader last answered, and this window last checked (`Clock.elapsed`). */
  private renewedAt = 0;
  private receivedAt = 0;
  private checkedAt = 0;

  constructor(private readonly deps: WindowHubDeps) {
    const onError = (error: unknown) => {
      deps.log.error('A listener of the window hub failed', error);
    };
    this.leaderChanged = this.owned.add(new Emitter(onError));
    this.peersChanged = this.owned.add(new Emitter(onError));
    this.listeners = this.owned.add(new HubListeners(deps.log));
    this.claims = new Claims(join(deps.storageDir, 'claims'));
    this.terms = deps.terms ?? new HubTerms(deps.storageDir);
    this.owned.add(this.connection);
    this.owned.add(this.beat);
    this.join();
  }

  get isLeader(): boolean {
    return this.isAlone || (this.server !== undefined && !this.hasLapsed());
  }

  get peers(): ReadonlySet<string> {
    return this.server?.peers ?? new Set();
  }

  get onDidChangeLeader() {
    return this.leaderChanged.event;
  }

  get onDidChangePeers() {
    return this.peersChanged.event;
  }

  broadcast(topic: string, data: unknown): void {
    const message: HubMessage = { t: 'say', topic, data };
    if (this.server) {
      this.server.relay(message);
    } else if (this.upstream) {
      this.upstream.send(message);
    } else if (!this.isAlone) {
      this.waiting.push(message);
      if (this.waiting.length > maxWaiting) {
        this.waiting.shift();
      }
    }
  }

  on(topic: string, listener: (data: unknown) => void): Disposable {
    return this.listeners.on(topic, listener);
  }

  claim(key: string): Promise<boolean> {
    return this.claims.claim(key);
  }

  dispose(): void {
    this.server = undefined;
    this.isAlone = false;
    this.owned.dispose();
  }

  private isOver(): boolean {
    return this.owned.isDisposed;
  }

  private join(): void {
    if (this.isOver()) {
      return;
    }
    this.meet().catch((error: unknown) => {
      this.failed(error);
    });
  }

  /** The disk or an address may refuse for a moment, and a window that leads alone acts like the others. */
  private failed(reason: unknown): void {
    this.failures += 1;
    if (this.failures > maxFailures) {
      this.workAlone(reason);
    } else {
      this.joinLater();
    }
  }

  private async meet(): Promise<void> {
    const token = await hubToken(this.deps.storageDir);
    if (this.isOver()) {
      return;
    }
    this.term = await this.terms.read();
    const address = addressInTerm(this.deps.address ?? hubAddress(this.deps.storageDir, token), this.term);
    const outcome = await this.tryConnect(address, token);
    if (outcome === 'connected' || this.isOver()) {
      return;
    }
    if (outcome === 'nobody' && (await this.tryLead(address, token))) {
      return;
    }
    this.silences = outcome === 'silent' ? this.silences + 1 : 0;
    if (this.silences >= maxSilences) {
      this.silences = 0;
      await this.terms.end(this.term);
    }
    if (outcome === 'refused') {
      this.failed(`${this.failures + 1} connections were refused`);
    } else {
      this.joinLater();
    }
  }

  /** Pauses for a random time, so that the windows do not all try at the same moment. */
  private joinLater(): void {
    if (!this.isOver()) {
      this.connection.value = this.deps.clock.schedule(() => this.join(), 10 + Math.random() * 90);
    }
  }

  private tryConnect(address: HubAddress, token: string): Promise<Meeting> {
    const member = new HubMember({
      address,
      token,
      windowId: this.windowId,
      clock: this.deps.clock,
      onReceived: () => {
        this.receivedAt = this.deps.clock.elapsed();
      },
      onWelcome: (line) => this.follow(line),
      onMessage: (topic, data) => this.listeners.deliver(topic, data),
      onEnd: () => {
        this.upstream = undefined;
        this.beat.value = undefined;
        this.joinLater();
      },
    });
    this.connection.value = member;
    return member.meeting;
  }

  private follow(line: HubLine): void {
    this.failures = 0;
    this.isAlone = false;
    this.upstream = line;
    for (const message of this.waiting.splice(0)) {
      line.send(message);
    }
    this.checkedAt = this.deps.clock.elapsed();
    this.checkLater();
    this.leaderChanged.fire(false);
  }

  private checkLater(): void {
    this.atNextBeat(() => this.checkLeader(), 'A leader that does not answer could not be left');
  }

  /** Tries again with each beat until it succeeds. */
  private atNextBeat(act: () => Promise<void>, failed: string): void {
    this.beat.value = this.deps.clock.schedule(() => {
      act().catch((error: unknown) => {
        this.deps.log.error(failed, error);
        this.atNextBeat(act, failed);
      });
    }, beatMs);
  }

  private async checkLeader(): Promise<void> {
    const now = this.deps.clock.elapsed();
    // This window hung itself, so messages of the leader may still be unread.
    this.receivedAt = now - this.checkedAt > 2 * beatMs ? now : this.receivedAt;
    this.checkedAt = now;
    if (now - this.receivedAt < silentMs) {
      this.checkLater();
      return;
    }
    this.deps.log.warn('The leading window does not answer and is left behind');
    await this.terms.end(this.term);
    // Its end leads to the address of the next term.
    this.connection.value = undefined;
  }

  private beatLater(): void {
    this.atNextBeat(() => this.renew(), 'The lead of this window could not be renewed');
  }

  /** Stays the leader, unless this window hung, or the others abandoned it or can't find it. */
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
      agents: this.agents,
      onPeers: () => {
        // Peers that connected before this window knew that it leads are informed below.
        if (this.server) {
          this.peersChanged.fire(this.peers);
        }
      },
      onMessage: (topic, data) => this.listeners.deliver(topic, data),
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
      this.failures = 0;
      this.isAlone = false;
      this.renewedAt = this.deps.clock.elapsed();
      this.beatLater();
      // The intended receivers will connect to this window and ask again.
      this.waiting.length = 0;
      this.leaderChanged.fire(true);
      if (server.peers.size > 0) {
        this.peersChanged.fire(this.peers);
      }
    }
    return true;
  }

  /** Another window may do the same; claims on disk prevent both from acting on the same event. */
  private workAlone(reason: unknown): void {
    if (this.isOver()) {
      return;
    }
    this.connection.value = this.deps.clock.schedule(() => this.join(), searchOthersMs);
    if (this.isAlone) {
      return;
    }
    this.deps.log.warn(`Could not reach other windows, so this one works by itself: ${String(reason)}`);
    this.isAlone = true;
    this.waiting.length = 0;
    this.leaderChanged.fire(true);
  }
}
