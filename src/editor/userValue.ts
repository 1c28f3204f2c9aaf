/** What the editor tells of a setting. */
interface Inspected {
  readonly globalValue?: unknown;
  /** Not declared by the editor, which has it in all its builds. */
  readonly globalLocalValue?: unknown;
}

/**
 * The value that the user set on this computer. In a remote window `globalValue` may be the rented machine's, which
 * could name programs to run here, so it counts for nothing there.
 */
export function userValue(found: Inspected | undefined, isRemote: boolean): unknown {
  return isRemote ? found?.globalLocalValue : found?.globalValue;
}

/** False where the user's value cannot be told from the machine's: what is written back could be a stranger's. */
export function canWrite(found: Inspected | undefined, isRemote: boolean): boolean {
  return !isRemote || (found !== undefined && 'globalLocalValue' in found);
}
