import type { Event } from 'vscode';

/**
 * What other extensions get from GPU Rental (docs/extension-interface.md); they copy this file. Nothing in it spends,
 * starts, stops or destroys, and no key passes it. A version only gains members: check `apiVersion` first.
 */
export interface GpuRental {
  readonly apiVersion: 1;
  /** Returns who is signed in. Loads nothing. */
  account(): Promise<GpuRentalAccount>;
  /** Returns the instances of the active account. Rejects if the list can't be read: that is not an empty list. */
  instances(): Promise<readonly GpuRentalInstance[]>;
  /**
   * Prepares a connection to a running instance, after a question to the user, and returns the host name for ssh. Returns
   * `undefined` if the user declines or has to do something first, which a message explains. Rejects for an instance
   * that the active account does not have.
   */
  prepareSsh(instanceId: number): Promise<string | undefined>;
  /** Fires after a sign-in, a sign-out and a switch of accounts. */
  readonly onDidChangeAccount: Event<void>;
  /** Fires after the list of instances has changed, once something has loaded GPU Rental. */
  readonly onDidChangeInstances: Event<void>;
}

export type GpuRentalAccount =
  | { readonly isSignedIn: false }
  | { readonly isSignedIn: true; readonly name: string; readonly isDemo: boolean };

export interface GpuRentalInstance {
  readonly id: number;
  /** Its label or description: text of users and hosts, without control characters. */
  readonly name: string;
  /** `running`, `stopped`, `loading` and others; more may be added. */
  readonly state: string;
  /** The host name that it has in the SSH config of the user once it was prepared. */
  readonly sshAlias: string;
}
