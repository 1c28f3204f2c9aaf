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
  if (program && platform === 'linux') {
    return text('{0} is not installed here. On Debian: {1}', name, program.debian);
  }
  return program && platform === 'darwin'
    ? text('{0} is not installed here. Install it with: {1}', name, program.mac)
    : text('{0} is not installed here.', name);
}

/** States that the shell of Windows can't run an engine. */
export function needsShellText({ name }: Engine): Text {
  return text(
    '{0} does not run in this Windows shell. Use it in WSL, or in Git Bash if it is installed there.',
    name,
  );
}

export interface RefusedEngine {
  readonly name: string;
  readonly why: Text;
  readonly instead: Text;
  /** A virtual machine carries it, alone. */
  readonly runsOnVm?: true;
}

/** Engines that can't work on rented containers (docs/engines.md#what-does-not-fit). */
export const refusedEngines: readonly RefusedEngine[] = [
  {
    name: 'Ray',
    why: text(
      "Ray's launcher can't be given the SSH port of a host, and its nodes need thousands of ports between them. Rented containers have neither.",
    ),
    instead: text('Run "ray start --head" on one instance and forward its port 8265.'),
  },
  {
    name: 'SkyPilot',
    why: text(
      'SkyPilot installs k3s, which needs systemd and open ports between the machines. Containers have no systemd.',
    ),
    instead: text('A virtual machine works alone. Use jobs or GNU parallel for several instances.'),
    runsOnVm: true,
  },
  {
    name: 'dstack',
    why: text("dstack starts Docker on each host. A rented container can't run Docker."),
    instead: text('Rent a virtual machine instead.'),
    runsOnVm: true,
  },
  {
    name: 'DevPod',
    why: text("DevPod starts Docker on the host. A rented container can't run Docker."),
    instead: text('Connect in a remote window, or rent a virtual machine instead.'),
    runsOnVm: true,
  },
  {
    name: 'Slurm',
    why: text(
      'Slurm needs system services on each machine and open ports in both directions. Rented containers have neither.',
    ),
    instead: text('Use jobs or GNU parallel, which queue work over SSH.'),
  },
  {
    name: 'Kubernetes',
    why: text(
      'Kubernetes needs privileged containers and a network between the machines. Rented containers have neither.',
    ),
    instead: text('A virtual machine works as a cluster of one node.'),
    runsOnVm: true,
  },
  {
    name: 'torchrun, MPI, DeepSpeed',
    why: text(
      'Each instance is behind the NAT of its host, and NCCL needs every port. The service has overlay networks for this, which its own documentation has withdrawn as unsupported.',
    ),
    instead: text('Rent more GPUs in one machine.'),
  },
];
