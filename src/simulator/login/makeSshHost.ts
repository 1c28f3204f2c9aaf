import type { InstanceFolders } from '../instances/instanceFolders';
import { deafSshHost, type SshHost } from '../instances/sshHost';
import type { World } from '../world';
import { RealSshHost } from './realSshHost';
import type { MakeBackend } from './sshBackend';
import { Ssh2Backend } from './ssh2/backend';
import { SshdBackend, usableSshd } from './sshd';

/** The SSH that the options ask for: the machine's sshd where it can serve, otherwise a library. */
export function makeSshHost(
  world: World,
  folders: InstanceFolders,
  onConnections: (change: 1 | -1) => void,
): SshHost {
  const kind = world.options.sshServer ?? 'auto';
  if (kind === false) {
    return deafSshHost;
  }
  const makeBackend = async (): Promise<MakeBackend> => {
    const programs = kind === 'ssh2' ? undefined : usableSshd();
    if (programs) {
      return (options) => new SshdBackend(programs, options);
    }
    if (kind === 'sshd') {
      throw new Error('sshd cannot serve here: it needs sshd, its sftp-server and root.');
    }
    // Node finds only some of the names of this CommonJS package; its default has them all.
    const { default: ssh2 } = await import('ssh2');
    return (options) => new Ssh2Backend(ssh2, options);
  };
  return new RealSshHost(world, folders, makeBackend, onConnections);
}
