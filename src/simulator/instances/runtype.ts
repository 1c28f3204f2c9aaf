import { ServiceError } from '../route';
import type { Access } from '../state';

export const noAccess: Access = { ssh: false, jupyter: false, direct: false };

/**
 * Reads the documented single values and the compound texts of the public client, which spells "direct"
 * without its last letter (docs/service/renting.md#run-types).
 */
export function parseRuntype(text: string): Access {
  const access = { ...noAccess };
  const words = text.trim().split(/\s+/);
  for (const word of words) {
    const match = /^(ssh|jupyter)(?:_(direct|direc|proxy))?$/.exec(word);
    if (!match && word !== 'args') {
      throw new ServiceError(400, 'invalid_args', `Invalid runtype ${text}.`);
    }
    if (match) {
      // Every Jupyter run type includes SSH (docs/service/renting.md#run-types).
      access.ssh = true;
      access.jupyter ||= match[1] === 'jupyter';
      access.direct ||= match[2] === 'direct' || match[2] === 'direc';
    }
  }
  return access;
}

/** As records show it, for example `ssh ssh_direc ssh_proxy`. */
export function imageRuntype(access: Access): string {
  if (!access.ssh) {
    return 'args';
  }
  const kinds = access.jupyter ? ['jupyter', 'ssh'] : ['ssh'];
  const direct = access.direct ? kinds.map((kind) => `${kind}_direc`) : [];
  return [kinds[0], ...direct, ...kinds.map((kind) => `${kind}_proxy`)].join(' ');
}

/** Returns the container ports that the run type opens on the machine (docs/service/renting.md#run-types). */
export function runtypePorts(access: Access): readonly string[] {
  return access.direct ? (access.jupyter ? ['8080/tcp', '22/tcp'] : ['22/tcp']) : [];
}
