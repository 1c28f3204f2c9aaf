import { text, type Text } from '../../util/text';

/** A tool that works with instances by their SSH aliases. */
export type EngineId = 'ansible' | 'parallel' | 'clush' | 'hosts';

export interface Engine {
  readonly id: EngineId;
  readonly name: string;
  readonly use: Text;
  /** The program that runs here, and the commands that install it. */
  readonly program?: { readonly name: string; readonly debian: string; readonly mac: string };
  /** The file to look at. */
  readonly file: string;
}

/** Engines that need no more of a rented container than a login (docs/engines.md#what-fits). */
export const engines: readonly Engine[] = [
  {
    id: 'ansible',
    name: 'Ansible',
    use: text('Prepare all of them alike, run commands, and copy files'),
    program: { name: 'ansible', debian: 'sudo apt-get install ansible-core', mac: 'brew install ansible' },
    file: 'inventory.yml',
  },
  {
    id: 'parallel',
    name: 'GNU parallel',
    use: text('Run a command for each line of a file, spread over all of them'),
    program: { name: 'parallel', debian: 'sudo apt-get install parallel', mac: 'brew install parallel' },
    file: 'sshloginfile',
  },
  {
    id: 'clush',
    name: 'ClusterShell',
    use: text('Run a command on all of them and compare what they answer'),
    program: { name: 'clush', debian: 'sudo apt-get install clustershell', mac: 'pipx install ClusterShell' },
    file: 'groups.d/gpurental.yaml',
  },
  {
    id: 'hosts',
    name: 'hosts.txt',
    use: text('One alias a line, for pssh, pdsh, xargs and your own scripts'),
    file: 'hosts.txt',
  },
];

/** States that the program of an engine is missing, and how to install it on this kind of computer. */
export function missingText({ name, program }: Engine, platform: NodeJS.Platform): Text {
  const install = platform === 'linux' ? program?.debian : platform === 'darwin' ? program?.mac : undefined;
  return install === undefined
    ? text('{0} is not installed here.', name)
    : text('{0} is not installed here. Install it, for example with: {1}', name, install);
}

/** States that the shell of Windows can't run an engine. */
export function needsShellText({ name }: Engine): Text {
  return text(
    '{0} does not run in this Windows shell. Use it in WSL, or in Git Bash if it is installed there.',
    name,
  );
}
