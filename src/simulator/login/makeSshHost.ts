import type { InstanceFolders } from '../instances/instanceFolders';
import { deafSshHost, type SshHost } from '../instances/sshHost';
import type { World } from '../world';
import { RealSshHost } from './realSshHost';
import { Ssh2Backend } from './ssh2/backend';
import type { BackendOptions } from './sshBackend';

/** The SSH that the options ask for. */
export function makeSshHost(
  world: World,
  folders: InstanceFolders,
  onConnections: (change: 1 | -1) => void,
): SshHost {
  if (world.options.sshServer === false) {
    return deafSshHost;
  }
  const makeBackend = async () => {
    // Node finds only some of the names of this CommonJS package; its default has them all.
    const { default: ssh2 } = await import('ssh2');
    return (options: BackendOptions) => new Ssh2Backend(ssh2, options);
  };
  return new RealSshHost(world, folders, makeBackend, onConnections);
}
