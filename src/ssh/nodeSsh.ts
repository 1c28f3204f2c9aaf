import { homedir, hostname, userInfo } from 'node:os';
import type { Clock } from '../util/clock';
import type { Log } from '../util/log';
import { errorCode } from '../util/errorCode';
import { nodeFileSystem } from './fileSystem';
import { withLock, type ProcessIdentity } from './lock';
import type { SshEnvironment } from './paths';
import { probeBanner } from './probe';
import { runProgram } from './run';
import type { SshDeps } from './context';

export const thisProcess: ProcessIdentity = {
  pid: process.pid,
  host: hostname(),
  isAlive: (pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      // EPERM: it lives and belongs to somebody else.
      return errorCode(error) !== 'ESRCH';
    }
  },
};

/** Lets one process of this computer at a time do something, by a file (`withLock`). */
export function fileLock(file: string, clock: Clock) {
  return <T>(action: () => Promise<T>): Promise<T> =>
    withLock(file, { fs: nodeFileSystem, clock, identity: thisProcess }, action);
}

/** What the editor's settings say, read at every use. */
export type SshSettings = () => Pick<SshEnvironment, 'configFile' | 'sshPath'>;

export function nodeEnvironment(settings: SshSettings): SshEnvironment {
  return {
    platform: process.platform,
    home: homedir(),
    accountHome: userInfo().homedir,
    agentSocket: process.env['SSH_AUTH_SOCK'],
    ...settings(),
  };
}

/** The service on this computer, with the real files and programs. */
export function nodeSshDeps(log: Log, clock: Clock, settings: SshSettings): SshDeps {
  return {
    fs: nodeFileSystem,
    run: runProgram,
    probe: probeBanner,
    clock,
    log,
    identity: thisProcess,
    environment: () => nodeEnvironment(settings),
  };
}
