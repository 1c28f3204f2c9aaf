import type { Instance } from '../../src/model/instances/instance';
import type { SshHome } from './sshHome';
import type { SshMachine } from './sshMachine';

export const sshAccount = {
  key: 'console.vast.ai#1',
  serviceUrl: 'https://console.vast.ai',
  isDemo: false,
};

/** An instance that answers SSH on its own port, as far as SSH looks at it. */
export function sshInstance(port: number, more: Partial<Instance> = {}): Instance {
  return {
    id: 7,
    actualStatus: 'running',
    runtype: 'ssh ssh_direc ssh_proxy',
    publicIp: '127.0.0.1',
    ports: [{ containerPort: 22, protocol: 'tcp', hostPort: port }],
    ...more,
  };
}

/** SSH of this computer, which has an entry for instance 7, the machine; that lets a key of the computer in. */
export async function sshTo(
  home: SshHome,
  machine: SshMachine,
  ssh = home.service(),
): Promise<ReturnType<SshHome['service']>> {
  const key = home.key();
  machine.authorize(key);
  const instance = sshInstance(machine.port);
  await ssh.prepare({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
  return ssh;
}
