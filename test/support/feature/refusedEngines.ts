/** Each refused engine, the reason, and what to use in its place. */
export const refusals = [
  [
    'Ray',
    "Ray's launcher can't be given the SSH port of a host, and its nodes need thousands of ports between them. Rented containers have neither.",
    'Run "ray start --head" on one instance and forward its port 8265.',
  ],
  [
    'SkyPilot',
    'SkyPilot installs k3s, which needs systemd and open ports between the machines. Containers have no systemd.',
    'A virtual machine works alone. Use jobs or GNU parallel for several instances.',
  ],
  [
    'dstack',
    "dstack starts Docker on each host. A rented container can't run Docker.",
    'Rent a virtual machine instead.',
  ],
  [
    'DevPod',
    "DevPod starts Docker on the host. A rented container can't run Docker.",
    'Connect in a remote window, or rent a virtual machine instead.',
  ],
  [
    'Slurm',
    'Slurm needs system services on each machine and open ports in both directions. Rented containers have neither.',
    'Use jobs or GNU parallel, which queue work over SSH.',
  ],
  [
    'Kubernetes',
    'Kubernetes needs privileged containers and a network between the machines. Rented containers have neither.',
    'A virtual machine works as a cluster of one node.',
  ],
  [
    'torchrun, MPI, DeepSpeed',
    'Each instance is behind the NAT of its host, and NCCL needs every port. The service has overlay networks for this, which its own documentation has withdrawn as unsupported.',
    'Rent more GPUs in one machine.',
  ],
] as const;
