import { connect, type Socket } from 'node:net';
import type { Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { errorCode } from '../../util/errorCode';
import type { HubAddress } from './hubAddress';
import { isProof, makeNonce, prove } from './hubProof';
import { HubLine, maxMemberBytes } from './hubWire';

export interface HubMemberDeps {
  readonly address: HubAddress;
  readonly token: string;
  readonly windowId: string;
  readonly clock: Clock;
  /** Called for every message of the leader. */
  readonly onReceived: () => void;
  readonly onWelcome: (line: HubLine) => void;
  readonly onMessage: (topic: string, data: unknown) => void;
  /** Called when the connection to a leader that had accepted this window is gone. */
  readonly onEnd: () => void;
}

export type Meeting = 'connected' | 'nobody' | 'refused' | 'silent';

const authTimeoutMs = 5000;

/** The follower's side: proves that it can read the token, and demands the same of the leader. */
export class HubMember implements Disposable {
  readonly meeting: Promise<Meeting>;
  private readonly socket: Socket;

  constructor({ address, token, windowId, clock, onReceived, onWelcome, onMessage, onEnd }: HubMemberDeps) {
    const socket = connect(address.path);
    this.socket = socket;
    this.meeting = new Promise((resolve) => {
      const nonce = makeNonce();
      let isWelcome = false;
      let problem: Meeting = 'refused';
      let hasSpoken = false;
      const timer = clock.schedule(() => {
        problem = hasSpoken ? problem : 'silent';
        socket.destroy();
      }, authTimeoutMs);
      const line = new HubLine(socket, (message) => {
        onReceived();
        hasSpoken = true;
        if (message.t === 'challenge' && !isWelcome) {
          line.send({ t: 'auth', proof: prove(token, 'member', message.nonce), nonce, windowId });
        } else if (message.t === 'welcome' && isProof(token, 'leader', nonce, message.proof)) {
          timer.dispose();
          isWelcome = true;
          line.trust(maxMemberBytes);
          onWelcome(line);
          resolve('connected');
        } else if (message.t === 'say' && isWelcome) {
          onMessage(message.topic, message.data);
        } else if (message.t !== 'beat' || !isWelcome) {
          socket.destroy();
        }
      });
      socket.on('error', (error) => {
        const code = errorCode(error);
        problem = code === 'ECONNREFUSED' || code === 'ENOENT' ? 'nobody' : 'refused';
      });
      socket.on('close', () => {
        timer.dispose();
        if (isWelcome) {
          onEnd();
        } else {
          resolve(problem);
        }
      });
    });
  }

  dispose(): void {
    this.socket.destroy();
  }
}
