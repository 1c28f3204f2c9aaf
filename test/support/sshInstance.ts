import type { Instance } from '../../src/model/instances/instance';

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
