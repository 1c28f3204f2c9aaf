import type { Run } from './run';

/** Makes a file readable by its owner only on systems without file modes. */
export type AclRepair = (file: string) => Promise<void>;

const sidPattern = /^S-1-[0-9-]{3,180}$/;

/** Returns the security id in the answer of `whoami /user /fo csv /nh`. */
export function parseSid(answer: string): string | undefined {
  const sid = /"([^"]*)"\s*$/.exec(answer.trim())?.[1];
  return sid !== undefined && sidPattern.test(sid) ? sid : undefined;
}

/**
 * Returns arguments that remove inherited rights and grant the file to one user: OpenSSH refuses a file that others
 * can write.
 */
export function aclArguments(file: string, sid: string): readonly string[] {
  return [file, '/inheritance:r', '/grant:r', `*${sid}:F`];
}

/**
 * On Windows uses `icacls`, by security id because names are translated. ssh reports a failure itself: its message
 * names the file, and many setups work without the repair.
 */
export function createAclRepair(platform: NodeJS.Platform, run: Run): AclRepair {
  if (platform !== 'win32') {
    return () => Promise.resolve();
  }
  return async (file) => {
    const sid = parseSid((await run('whoami.exe', ['/user', '/fo', 'csv', '/nh'])).stdout);
    if (sid !== undefined) {
      await run('icacls.exe', aclArguments(file, sid));
    }
  };
}
