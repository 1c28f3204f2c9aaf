import type { Instance } from '../model/instances/instance';
import { checkHost, checkPort, UnsafeValueError } from './validate';

/** An address at which the instance's SSH server may answer. */
export interface Endpoint {
  readonly kind: 'direct' | 'proxy';
  readonly host: string;
  readonly port: number;
}

/**
 * Returns the addresses of an instance, the best first: its own port, then the service's
 * proxy. For Jupyter run types the proxy listens one port above `ssh_port` by some sources and
 * at the port itself by others, so both are tried (docs/service/instances.md#ssh-address).
 * Throws `UnsafeValueError` if the service sent addresses and none can be used.
 */
export function endpointsOf(
  instance: Pick<Instance, 'publicIp' | 'ports' | 'sshHost' | 'sshPort' | 'runtype'>,
): readonly Endpoint[] {
  const wanted: { kind: Endpoint['kind']; host: unknown; port: unknown }[] = [];
  const mapped = instance.ports?.find((port) => port.containerPort === 22 && port.protocol === 'tcp');
  if (instance.publicIp !== undefined && mapped) {
    wanted.push({ kind: 'direct', host: instance.publicIp.trim(), port: mapped.hostPort });
  }
  if (instance.sshHost !== undefined && instance.sshPort !== undefined) {
    const jupyter = (instance.runtype ?? '').includes('jupyter');
    const ports = jupyter ? [instance.sshPort + 1, instance.sshPort] : [instance.sshPort];
    wanted.push(...ports.map((port) => ({ kind: 'proxy' as const, host: instance.sshHost, port })));
  }
  const endpoints: Endpoint[] = [];
  let refused: UnsafeValueError | undefined;
  for (const { kind, host, port } of wanted) {
    try {
      endpoints.push({ kind, host: checkHost(host), port: checkPort(port) });
    } catch (error) {
      if (!(error instanceof UnsafeValueError)) {
        throw error;
      }
      refused = error;
    }
  }
  if (endpoints.length === 0 && refused) {
    throw refused;
  }
  return endpoints;
}

export function sameEndpoint(one: Endpoint, other: Endpoint): boolean {
  return one.host === other.host && one.port === other.port;
}
