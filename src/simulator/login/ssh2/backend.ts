import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type * as Library from 'ssh2';
import type { AuthContext, Connection, Server } from 'ssh2';
import { keyBlob } from '../../sshKeys/publicKey';
import type { InstanceKey } from '../../state';
import type { BackendOptions, SshBackend } from '../sshBackend';
import { forwarding } from './forwarding';
import { SessionProcesses, serveSession } from './session';

/** A machine's SSH server, of the library, because the `sshd` of a computer accepts only its own user. */
export class Ssh2Backend implements SshBackend {
  private readonly server: Server;
  private readonly processes = new SessionProcesses();
  private readonly connections = new Set<Connection>();
  private keys: readonly InstanceKey[];

  constructor(
    /** Given, because it is large and loaded only with the first machine. */
    private readonly ssh2: typeof Library,
    private readonly options: BackendOptions,
  ) {
    this.keys = [...options.keys];
    this.server = new ssh2.Server({ hostKeys: [options.machine.hostKey] }, (connection) => {
      this.accept(connection);
    });
  }

  serve(socket: Socket): void {
    this.server.injectSocket(socket);
  }

  keysChanged(keys: readonly InstanceKey[]): void {
    this.keys = [...keys];
  }

  close(): void {
    for (const connection of this.connections) {
      connection.end();
    }
    this.processes.endAll();
  }

  private accept(connection: Connection): void {
    this.connections.add(connection);
    const forwards = forwarding(connection);
    connection.on('authentication', (context) => {
      if (this.isAllowed(context)) {
        context.accept();
      } else {
        context.reject(['publickey']);
      }
    });
    connection.on('ready', () => {
      connection.on('session', (accept) => {
        serveSession(accept(), { ...this.options, ssh2: this.ssh2, processes: this.processes });
      });
      forwards.start();
    });
    connection.on('close', () => {
      this.connections.delete(connection);
      forwards.dispose();
    });
    // A client that disconnects in the middle is no fault of the server; the close above cleans up.
    connection.on('error', () => undefined);
  }

  /**
   * The user with a key of the machine; without a signature the client only asks whether the key would be accepted.
   */
  private isAllowed(context: AuthContext): boolean {
    if (context.username !== this.options.user || context.method !== 'publickey') {
      return false;
    }
    const { data } = context.key;
    const known = this.keys
      .map((key) => Buffer.from(keyBlob(key.publicKey), 'base64'))
      .some((blob) => blob.length === data.length && timingSafeEqual(blob, data));
    if (!known || context.signature === undefined || context.blob === undefined) {
      return known;
    }
    const key = this.ssh2.utils.parseKey(`${context.key.algo} ${data.toString('base64')}`);
    return !(key instanceof Error) && key.verify(context.blob, context.signature, context.hashAlgo);
  }
}
