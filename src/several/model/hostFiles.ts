import type { Instance } from '../../model/instances/instance';

/** An instance as the files name it; its address, port and key are only in the SSH entry of the alias. */
export interface ToolHost extends Pick<Instance, 'gpuCount' | 'gpuName'> {
  readonly alias: string;
}

/** Files for other tools, by their path relative to the folder with `/`. */
export type HostFiles = Readonly<Record<string, string>>;

const comment = '# Saved by GPU Rental. "Save Host Files" replaces it.';

/**
 * Returns the files for other tools (docs/tools.md#the-files). `options` are those that ssh needs to find an alias, `-F`
 * and a file, quoted for a shell; empty if it needs none.
 */
export function hostFiles(hosts: readonly ToolHost[], options: string): HostFiles {
  const aliases = hosts.map(({ alias }) => alias);
  const ssh = options === '' ? '' : `ssh ${options} `;
  const withComment = (...lines: readonly string[]) => [comment, ...lines, ''].join('\n');
  return {
    // ClusterShell reads each word of it as a host, so it has no comment.
    'hosts.txt': aliases.map((alias) => `${alias}\n`).join(''),
    sshloginfile: withComment(
      ...hosts.map(({ alias, gpuCount = 1 }) => `${Math.max(gpuCount, 1)}/${ssh}${alias}`),
    ),
    'inventory.yml': withComment(
      'gpus:',
      ...(options === ''
        ? []
        : ['  vars:', `    ansible_ssh_common_args: !unsafe ${JSON.stringify(options)}`]),
      hosts.length === 0 ? '  hosts: {}' : '  hosts:',
      ...hosts.map(inventoryLine),
    ),
    'groups.d/gpurental.yaml': withComment('gpurental:', `  gpus: "${aliases.join(',')}"`),
    'groups.conf': withComment('[Main]', 'default: gpurental', 'autodir: $CFGDIR/groups.d'),
    'clush.conf': withComment(
      '[Main]',
      ...(options === '' ? [] : [`ssh_options: ${options.replaceAll('%', '%%')}`]),
    ),
  };
}

/** A name comes from the service, and Ansible would fill in templates in it. */
function inventoryLine({ alias, gpuCount = 1, gpuName = '' }: ToolHost): string {
  const name = gpuName.replace(/[^A-Za-z0-9 ._-]/g, '_').slice(0, 60);
  return `    ${alias}: { gpu_count: ${gpuCount}, gpu_name: !unsafe ${JSON.stringify(name)} }`;
}
