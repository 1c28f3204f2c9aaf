import type { Clock } from '../util/clock';
import { thisProcess } from '../util/fileLock';
import type { Log } from '../util/log';
import { accountHome, homeFolder } from '../util/thisUser';
import type { SshDeps } from './context';
import { nodeFileSystem } from './fileSystem';
import type { SshEnvironment } from './paths';
import { probeBanner } from './probe';
import { runProgram } from './run';

/** Returns the editor's settings, read at every use. */
export type SshSettings = () => Pick<SshEnvironment, 'configFile' | 'sshPath' | 'keepsSharedTmux'>;

export function nodeEnvironment(settings: SshSettings): SshEnvironment {
  return {
    platform: process.platform,
    home: homeFolder(),
    accountHome: accountHome(),
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
