import { rename, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { errorCode } from '../../util/errorCode';
import { fileLock } from '../../util/fileLock';
import { ifPresent } from '../../util/missing';
import type { AgentConnection, AgentDoor } from './agentDoor';
import { maxAgentBytes, type HubAddress } from './hubAddress';
import { isProof, makeNonce, prove } from './hubProof';
import { HubLine, maxMemberBytes, type HubMessage } from './hubWire';

export interface HubServerDeps {
  readonly address: HubAddress;
  readonly token: string;
  readonly clock: Clock;
  readonly onPeers: () => void;
  readonly onMessage: (topic: string, data: unknown) => void;
  readonly onError: (error: unknown) => void;
  readonly agents: AgentDoor;
}

interface Peer {
  readonly line: HubLine;
  readonly windowId: string;
}

const authTimeoutMs = 5000;

/** The leader's side: admits peers that can read the token, and forwards their messages. */
export class HubServer implements Disposable {
  private readonly members = new Set<Peer>();
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private isClosed = false;
  /** Identifies the socket file, if the address is one. */
  private file: string | undefined;

  private constructor(private readonly deps: HubServerDeps) {
    this.server = createServer((socket) => {
      this.admit(socket);
    });
  }

  /** Starts to listen. Returns undefined if another window has the address; rejects if no window can have it. */
  static async open(deps: HubServerDeps): Promise<HubServer | undefined> {
    const own = new HubServer(deps);
    const isOpen = deps.address.isFile ? await own.claimFile() : await own.listen(deps.address.path);
    if (!isOpen) {
      return undefined;
    }
    own.server.on('error', deps.onError);
    return own;
  }

  /**
   * Returns whether other windows still reach this one. A cleanup of temporary files can remove the socket file, or
   * another window can replace it when it gets no answer; the owner would then lead on alone.
   */
  async isReachable(): Promise<boolean> {
    return !this.deps.address.isFile || (await fileId(this.deps.address.path)) === this.file;
  }

  get peers(): ReadonlySet<string> {
    return new Set([...this.members].map(({ windowId }) => windowId));
  }

  relay(message: HubMessage, from?: Peer): void {
    for (const peer of this.members) {
      if (peer !== from) {
        peer.line.send(message);
      }
    }
  }

  dispose(): void {
    this.isClosed = true;
    this.server.close();
    for (const socket of this.sockets) {
      socket.destroy();
    }
    this.members.clear();
  }

  private listen(path: string): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const onError = (error: unknown) => {
        this.server.off('listening', onListening);
        if (errorCode(error) === 'EADDRINUSE') {
          resolve(false);
        } else {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      const onListening = () => {
        this.server.off('error', onError);
        resolve(true);
      };
      this.server.once('error', onError);
      this.server.once('listening', onListening);
      this.server.listen(path);
    });
  }

  /**
   * Creates the socket file. It outlives a killed owner, so a file without an answering
   * owner is replaced: under a lock, and by a socket that answers already. A socket bound in
   * place does not answer until it listens, and another window would treat it as abandoned.
   */
  private claimFile(): Promise<boolean> {
    const { address, clock } = this.deps;
    const { path } = address;
    return fileLock(
      `${path}.lock`,
      clock,
    )(async () => {
      if (await answers(path)) {
        return false;
      }
      const made = `${path}.${process.pid}`;
      await rm(made, { force: true });
      if (!(await this.listen(made))) {
        return false;
      }
      this.file = await fileId(made);
      await rename(made, path);
      return true;
    });
  }

  private admit(socket: Socket): void {
    this.sockets.add(socket);
    const nonce = makeNonce();
    let peer: Peer | undefined;
    let agent: AgentConnection | undefined;
    const timer = this.deps.clock.schedule(() => socket.destroy(), authTimeoutMs);
    const line = new HubLine(socket, (message) => {
      if (agent) {
        if (!agent.receive(message)) {
          socket.destroy();
        }
      } else if (peer) {
        if (message.t === 'say') {
          this.relay(message, peer);
          this.deps.onMessage(message.topic, message.data);
        }
      } else if (message.t === 'auth' && isProof(this.deps.token, 'member', nonce, message.proof)) {
        timer.dispose();
        line.trust(maxMemberBytes);
        peer = { line, windowId: message.windowId };
        line.send({ t: 'welcome', proof: prove(this.deps.token, 'leader', message.nonce) });
        this.members.add(peer);
        this.deps.onPeers();
      } else if (message.t === 'agent' && isProof(this.deps.token, 'agent', nonce, message.proof)) {
        timer.dispose();
        line.trust(maxAgentBytes);
        agent = this.deps.agents.connect(line);
        if (agent) {
          line.send({ t: 'welcome', proof: prove(this.deps.token, 'leader', message.nonce) });
        } else {
          socket.destroy();
        }
      } else {
        socket.destroy();
      }
    });
    // The close event that follows handles the end.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      timer.dispose();
      this.sockets.delete(socket);
      agent?.end();
      if (peer && this.members.delete(peer) && !this.isClosed) {
        this.deps.onPeers();
      }
    });
    line.send({ t: 'challenge', nonce });
  }
}

async function fileId(path: string): Promise<string | undefined> {
  const facts = await ifPresent(stat(path, { bigint: true }));
  return facts && `${facts.dev}:${facts.ino}`;
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
