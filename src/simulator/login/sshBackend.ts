import type { Socket } from 'node:net';
import type { InstanceKey } from '../state';
import type { MachineDir } from './machineDir';

/** One machine's SSH server; it is given accepted connections and never listens itself. */
export interface SshBackend {
  serve(socket: Socket): void;
  keysChanged(keys: readonly InstanceKey[]): void;
  /** Ends every session. */
  close(): void;
}

export interface BackendOptions {
  /** The only name that logs in. */
  readonly user: string;
  readonly machine: MachineDir;
  readonly environment: Readonly<Record<string, string>>;
  readonly keys: readonly InstanceKey[];
  readonly report: (error: unknown) => void;
}

export type MakeBackend = (options: BackendOptions) => SshBackend;
