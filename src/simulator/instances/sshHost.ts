import type { InstanceState } from '../state';

/** Loopback ports at which a running instance is reached. */
export interface OpenPorts {
  /**
   * The proxy's port for SSH; the record shows one below it when Jupyter is on
   * (docs/service/instances.md#ssh-address).
   */
  readonly proxyPort: number;
  /** By container port such as `22/tcp`; empty without direct access. */
  readonly directPorts: Readonly<Record<string, number>>;
}

/** Makes running instances reachable. */
export interface SshHost {
  /** Listens; tries the ports that the instance had before. */
  open(instance: InstanceState): Promise<OpenPorts> | OpenPorts;
  /** Returns the port at which the host serves the files of an instance, running or not. */
  openCopies(instance: InstanceState): Promise<number>;
  /** Ends the listening and every connection. */
  close(instance: InstanceState): void;
  /** The list of accepted keys has changed. */
  keysChanged(instance: InstanceState): void;
  dispose(): Promise<void>;
}

/** Returns ports without a listener, for tests that need no SSH. */
export const deafSshHost: SshHost = {
  open: (instance) => ({
    proxyPort: 30_000 + (instance.id % 10_000) * 2,
    directPorts: instance.access.direct
      ? Object.fromEntries(
          ['22/tcp', ...(instance.access.jupyter ? ['8080/tcp'] : [])].map((port, index) => [
            port,
            50_000 + (instance.id % 5000) * 2 + index,
          ]),
        )
      : {},
  }),
  openCopies: (instance) => Promise.resolve(20_000 + (instance.id % 5000)),
  close: () => undefined,
  keysChanged: () => undefined,
  dispose: () => Promise.resolve(),
};
