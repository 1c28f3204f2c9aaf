import { homedir, hostname, userInfo } from 'node:os';
import type { Clock } from '../util/clock';
import type { Log } from '../util/log';
import { isAlive } from '../util/isAlive';
import { nodeFileSystem } from './fileSystem';
import { withLock, type ProcessIdentity } from './lock';
import type { SshEnvironment } from './paths';
import { probeBanner } from './probe';
import { runProgram } from './run';
import type { SshDeps } from './context';

export const thisProcess: ProcessIdentity = {
  pid: process.pid,
  host: hostname(),
  isAlive,
};

/** Returns a lock by a file (`withLock`), so that only one process of this computer acts at a time. */
export function fileLock(file: string, clock: Clock) {
  return <T>(action: () => Promise<T>): Promise<T> =>
    withLock(file, { fs: nodeFileSystem, clock, identity: thisProcess }, action);
}

/** Returns the editor's settings, read at every use. */
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

/** Returns the dependencies for real files and programs of this computer. */
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
