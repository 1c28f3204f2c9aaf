import assert from 'node:assert/strict';
import { nodeFileSystem, type FileSystem } from '../../src/ssh/fileSystem';
import { sshPaths } from '../../src/ssh/paths';
import { ManualStepError, UserConfig } from '../../src/ssh/userConfig';
import { thisProcess } from '../../src/util/fileLock';
import { FakeClock } from './fakeClock';
import { SshHome } from './sshHome';

/** What GPU Rental puts in front of the config of the user. */
export const line = 'Include ~/.ssh/gpu-rental.d/*.conf';
export const block = `# >>> GPU Rental >>>\n${line}\n# <<< GPU Rental <<<\n`;
/** A config that was there before. */
export const user = 'Host a\n  Port 22\n';

/** A home folder for each test, with the config in it as GPU Rental changes it. */
export function useUserConfig() {
  let home: SshHome | undefined;
  /** Goes on while a lock whose owner cannot be told is waited for, and stands still while the disk is busy. */
  let clock: FakeClock;

  beforeEach(() => {
    home = new SshHome();
    clock = new FakeClock();
  });
  afterEach(() => {
    home?.dispose();
    home = undefined;
  });

  function current(): SshHome {
    assert.ok(home, 'the home folder is there in tests');
    return home;
  }

  /** Each change goes through as far as the clock has to go for it. */
  function config(fs: FileSystem = nodeFileSystem, pid = process.pid): Pick<UserConfig, 'ensure' | 'remove'> {
    const own = new UserConfig(
      {
        fs,
        clock,
        // Another pid than ours has died, as far as the lock can see.
        identity: { ...thisProcess, pid, isAlive: (other) => other === process.pid },
        platform: 'linux',
      },
      sshPaths(current().environment),
    );
    return {
      ensure: () => clock.through(own.ensure()),
      remove: () => clock.through(own.remove()),
    };
  }

  async function refusal(fs?: FileSystem): Promise<ManualStepError> {
    try {
      await config(fs).ensure();
    } catch (error) {
      assert.ok(error instanceof ManualStepError, String(error));
      return error;
    }
    return assert.fail('nothing was refused');
  }

  return { home: current, config, refusal };
}
