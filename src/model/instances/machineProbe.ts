import type { Text } from '../../util/text';

/** A check of a machine for work that would be lost with it. */
export interface MachineProbe {
  /** Constant: no text from a user or a service is ever part of it. */
  readonly script: string;
  /** Returns what is there, from the lines that the machine printed; other lines are left out. */
  readonly read: (lines: readonly string[]) => readonly Text[];
}
