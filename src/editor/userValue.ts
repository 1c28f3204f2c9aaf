/** The editor's information about a setting. */
interface Inspected {
  readonly globalValue?: unknown;
  /** Missing from the editor's types, but present in all its builds. */
  readonly globalLocalValue?: unknown;
}

/**
 * Returns the value that the user set on this computer. In a remote window, `globalValue` may come from the rented
 * machine and name programs to run here, so it is ignored there.
 */
export function userValue(found: Inspected | undefined, isRemote: boolean): unknown {
  return isRemote ? found?.globalLocalValue : found?.globalValue;
}

/**
 * Returns false if the user's value can't be distinguished from the machine's, because the machine's value could be
 * written back.
 */
export function canWrite(found: Inspected | undefined, isRemote: boolean): boolean {
  return !isRemote || (found !== undefined && 'globalLocalValue' in found);
}
