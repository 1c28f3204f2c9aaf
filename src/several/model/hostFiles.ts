/** An instance as the files name it; its address, port and key are only in the SSH entry of the alias. */
export interface EngineHost {
  readonly alias: string;
  readonly gpuCount: number;
  readonly gpuName: string;
}

/** A file of a set, its path relative to the folder with `/`. */
export interface HostFile {
  readonly path: string;
  readonly content: string;
}

/** How our files begin, as far as their format has comments. */
export const ownMark = '# Written by GPU Rental.';
/** Where ClusterShell looks for the groups; the folder is its configuration folder. */
const groupsFile = 'groups.d/gpurental.yaml';

/**
 * The files of a set (docs/engines.md#the-files). They name aliases and numbers, so that only a change of the group
 * changes them.
 */
export function hostFiles(name: string, hosts: readonly EngineHost[]): readonly HostFile[] {
  const comment = `${ownMark} It keeps the group "${name}" current, so changes are lost.`;
  const withComment = (lines: readonly string[]) => [comment, ...lines, ''].join('\n');
  return [
    // ClusterShell reads each word of it as a host, so it has no comment.
    { path: 'hosts.txt', content: hosts.map(({ alias }) => `${alias}\n`).join('') },
    {
      path: 'sshloginfile',
      content: withComment(hosts.map(({ alias, gpuCount }) => `${Math.max(gpuCount, 1)}/${alias}`)),
    },
    { path: 'inventory.yml', content: withComment(inventory(name, hosts)) },
    {
      path: groupsFile,
      content: withComment(['gpurental:', `  ${name}: "${hosts.map(({ alias }) => alias).join(',')}"`]),
    },
    {
      path: 'groups.conf',
      content: withComment(['[Main]', 'default: gpurental', 'autodir: $CFGDIR/groups.d']),
    },
  ];
}

function inventory(name: string, hosts: readonly EngineHost[]): readonly string[] {
  if (hosts.length === 0) {
    return [`${name}:`, '  hosts: {}'];
  }
  return [
    `${name}:`,
    '  hosts:',
    // A name comes from the service, and Ansible would fill in templates in it.
    ...hosts.map(
      ({ alias, gpuCount, gpuName }) =>
        `    ${alias}: { gpu_count: ${gpuCount}, gpu_name: !unsafe ${JSON.stringify(plain(gpuName))} }`,
    ),
  ];
}

function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9 ._-]/g, '_').slice(0, 60);
}
