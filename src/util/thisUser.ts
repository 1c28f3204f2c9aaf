import { randomBytes } from 'node:crypto';
import * as os from 'node:os';
import { isAbsolute } from 'node:path';

/** What Node.js reads from the operating system. Each of these throws for users and computers it does not know. */
export type SystemFacts = Pick<typeof os, 'userInfo' | 'homedir' | 'hostname'>;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the folder of `~` in shells. Without `HOME` it is that of the account, and for accounts of which nothing is
 * known the root, as it is for a login.
 */
export function homeFolder(system: SystemFacts = os, env: Variables = process.env): string {
  return (
    firstFolder(
      () => system.homedir(),
      () => env['HOME'],
      () => env['USERPROFILE'],
      () => `${env['HOMEDRIVE'] ?? ''}${env['HOMEPATH'] ?? ''}`,
      () => system.userInfo().homedir,
    ) ?? '/'
  );
}

/**
 * Returns the home folder that the account database names, where ssh looks for its files. Users of a directory service may
 * have no entry that Node.js finds, though ssh works; their home is that of the environment.
 */
export function accountHome(system: SystemFacts = os, env: Variables = process.env): string {
  return firstFolder(() => system.userInfo().homedir) ?? homeFolder(system, env);
}

/** Returns the name of the user; `undefined` if neither the account database nor the environment has it. */
export function userName(system: SystemFacts = os, env: Variables = process.env): string | undefined {
  return firstName(
    () => system.userInfo().username,
    () => env['USER'],
    () => env['LOGNAME'],
    () => env['USERNAME'],
  );
}

/** Returns the number of the user; -1 on Windows, which has none. */
export function userId(): number {
  return process.getuid?.() ?? -1;
}

/** Returns the name of this computer. One that has no name gets a random one, so that it is not taken for another. */
export function hostName(system: SystemFacts = os, env: Variables = process.env): string {
  return (
    firstName(
      () => system.hostname(),
      () => env['HOSTNAME'],
      () => env['COMPUTERNAME'],
    ) ?? `unnamed-${randomBytes(8).toString('hex')}`
  );
}

type Source = () => string | undefined;

function firstFolder(...sources: readonly Source[]): string | undefined {
  return firstName(
    ...sources.map((source) => () => {
      const folder = source();
      return folder !== undefined && isAbsolute(folder) ? folder : undefined;
    }),
  );
}

function firstName(...sources: readonly Source[]): string | undefined {
  for (const source of sources) {
    try {
      const name = source();
      if (name !== undefined && name !== '') {
        return name;
      }
    } catch {
      // No entry, or a source that is forbidden here: the next one may know.
    }
  }
  return undefined;
}
