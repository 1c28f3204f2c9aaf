/** Local ports of tunnels lie below those that Linux gives to outgoing connections. */
const firstPort = 30_100;
const portCount = 2_500;

/**
 * The local port of an instance's tunnel: the same in each session, because Jupyter connects to the same address
 * after a cut.
 */
export function tunnelPortOf(alias: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(alias, 'utf8')) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return firstPort + (hash % portCount);
}

/** The folder of the machine in which kernels start, named like the local one as far as that is a plain name. */
export function kernelFolder(localName: string | undefined): string {
  const plain = (localName ?? '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 64);
  return plain === '' ? 'notebooks' : plain;
}

/**
 * Returns whether the Jupyter extension made a session of this name for a notebook: the name of its file, with a number
 * before the ending (`jupyterKernelSessionFactory.ts` of microsoft/vscode-jupyter).
 */
export function isSessionOf(name: string, notebookPath: string): boolean {
  const file = notebookPath.slice(notebookPath.lastIndexOf('/') + 1);
  const isNumber = /^-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  const base = file.replace(/\.[^.]*$/, '');
  const ending = file.slice(base.length);
  return (
    name.startsWith(base) &&
    name.endsWith(ending) &&
    isNumber.test(name.slice(base.length, name.length - ending.length))
  );
}

/** A server of the kernel picker. Its id is the SSH alias, which never changes: Jupyter finds kernels by it. */
export interface ListedServer {
  readonly alias: string;
  readonly accountKey: string;
  readonly instanceId: number;
  readonly label: string;
  /** A notebook used it: it stays in the list while its instance exists, because Jupyter forgets what a list lacks. */
  readonly isUsed: boolean;
  /** The reasons why notebooks can't use it that messages have shown since the last connection. */
  readonly told?: readonly string[] | undefined;
}

/** The facts about one instance in a list. */
export interface Candidate extends Omit<ListedServer, 'isUsed' | 'told'> {
  readonly canConnect: boolean;
}

/**
 * The next list. Without candidates, since they could not be read, nothing changes; rows of other accounts stay
 * where notebooks used them.
 */
export function nextServers(
  before: readonly ListedServer[],
  accountKey: string | undefined,
  candidates: readonly Candidate[] | undefined,
  hasEnded: (instanceId: number) => boolean,
): readonly ListedServer[] {
  if (accountKey === undefined || !candidates) {
    return before;
  }
  const known = new Map(before.map((row) => [row.alias, row]));
  const isUsed = (alias: string) => known.get(alias)?.isUsed === true;
  const listed = candidates
    .filter(({ canConnect, alias }) => canConnect || isUsed(alias))
    .map(({ alias, instanceId, label }): ListedServer => {
      const told = known.get(alias)?.told;
      return { alias, accountKey, instanceId, label, isUsed: isUsed(alias), ...(told ? { told } : {}) };
    });
  const names = new Set(listed.map(({ alias }) => alias));
  const others = before.filter(
    (row) =>
      row.isUsed && !names.has(row.alias) && (row.accountKey !== accountKey || !hasEnded(row.instanceId)),
  );
  return [...listed, ...others];
}

/** Returns the list with the use and the messages of other windows, by the file that all windows write. */
export function withUsed(
  own: readonly ListedServer[],
  written: readonly ListedServer[],
): readonly ListedServer[] {
  const kept = new Map(written.map((row) => [row.alias, row]));
  const here = new Set(own.map(({ alias }) => alias));
  return [
    ...own.map((row) => {
      const { isUsed, told } = kept.get(row.alias) ?? row;
      return withReported({ ...row, isUsed: row.isUsed || isUsed }, told);
    }),
    ...written.filter(({ alias, isUsed }) => isUsed && !here.has(alias)),
  ];
}

/** Returns a server with the messages about it, or without any. */
export function withReported(
  { alias, accountKey, instanceId, label, isUsed }: ListedServer,
  told?: ListedServer['told'],
): ListedServer {
  return { alias, accountKey, instanceId, label, isUsed, ...(told ? { told } : {}) };
}

/** The list without what belongs to accounts that signed out; a used row keeps what Jupyter finds its kernels by. */
export function signedOutServers(
  before: readonly ListedServer[],
  accountKeys: readonly string[],
): readonly ListedServer[] {
  return before
    .filter((row) => row.isUsed || !accountKeys.includes(row.accountKey))
    .map((row) => (accountKeys.includes(row.accountKey) ? { ...row, label: row.alias } : row));
}
