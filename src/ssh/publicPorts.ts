import type { Instance } from '../model/instances/instance';
import { checkHost, checkPort, UnsafeValueError } from './validate';

/** A port of the container that is reachable from the internet. */
export interface PublicPort {
  readonly containerPort: number;
  readonly protocol: 'tcp' | 'udp';
  readonly host: string;
  readonly hostPort: number;
  /** The address for a browser; `undefined` for protocols that browsers don't speak. */
  readonly url: string | undefined;
}

/** The port that the service assigns to Jupyter, which uses TLS (docs/service/renting.md#run-types). */
const jupyterPort = 8080;
const tlsPorts = [443, 8443];

/** Returns all mapped ports except SSH's own; hostile addresses are left out. */
export function publicPortsOf(
  instance: Pick<Instance, 'publicIp' | 'ports' | 'runtype'>,
): readonly PublicPort[] {
  const isJupyter = (instance.runtype ?? '').includes('jupyter');
  return (instance.ports ?? []).flatMap((mapping) => {
    const { protocol } = mapping;
    const isSsh = mapping.containerPort === 22 && protocol === 'tcp';
    if (isSsh || (protocol !== 'tcp' && protocol !== 'udp')) {
      return [];
    }
    try {
      const host = checkHost(instance.publicIp?.trim());
      const hostPort = checkPort(mapping.hostPort);
      const containerPort = checkPort(mapping.containerPort);
      const isTls = tlsPorts.includes(containerPort) || (isJupyter && containerPort === jupyterPort);
      const shownHost = host.includes(':') ? `[${host}]` : host;
      const url = `${isTls ? 'https' : 'http'}://${shownHost}:${hostPort}/`;
      return [
        {
          containerPort,
          protocol,
          host: shownHost,
          hostPort,
          url: protocol === 'tcp' ? url : undefined,
        },
      ];
    } catch (error) {
      if (!(error instanceof UnsafeValueError)) {
        throw error;
      }
      return [];
    }
  });
}

/** Returns whether a port is Jupyter's, which requires the token of the instance. */
export function isJupyterPort(instance: Pick<Instance, 'runtype'>, containerPort: number): boolean {
  return containerPort === jupyterPort && (instance.runtype ?? '').includes('jupyter');
}

/** Returns an address with Jupyter's token; a token that is not plain is left out rather than escaped. */
export function withJupyterToken(url: string, token: string | undefined): string {
  return token !== undefined && /^[A-Za-z0-9_-]{8,256}$/.test(token) ? `${url}?token=${token}` : url;
}
