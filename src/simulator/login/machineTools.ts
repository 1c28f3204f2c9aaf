import type { Slice } from '../market/market';
import type { InstanceState } from '../state';
import type { MachineManner } from './manners';
import { nvidiaSmiScript } from './nvidiaSmi';
import { program } from './shell';

/** Programs of a machine by name: those that would otherwise report on the computer that plays it. */
export function machineTools(instance: InstanceState, slice: Slice): ReadonlyMap<string, string> {
  const smi = nvidiaSmi(slice, instance.manner ?? 'usual');
  return new Map([
    ['df', diskScript(instance)],
    ['dd', writeScript(slice.machine.diskBandwidth)],
    ['dmesg', program('echo "dmesg: read kernel buffer failed: Operation not permitted" >&2', 'exit 1')],
    ...(smi === undefined ? [] : [['nvidia-smi', smi] as const]),
  ]);
}

/** How many GPUs the machine has device files for. */
export function deviceCount({ gpus }: Slice, manner: MachineManner | undefined): number {
  return manner === 'missingGpu' ? gpus - 1 : gpus;
}

function nvidiaSmi(slice: Slice, manner: MachineManner): string | undefined {
  const { machine } = slice;
  switch (manner) {
    case 'noNvidiaSmi':
      return undefined;
    case 'hungNvidiaSmi':
      return program('exec sleep 100000');
    case 'failedNvidiaSmi':
      return program(
        'echo "NVIDIA-SMI has failed because it couldn\'t communicate with the NVIDIA driver."',
        'exit 9',
      );
    case 'missingGpu':
      return nvidiaSmiScript({ ...slice, gpus: deviceCount(slice, manner) });
    case 'otherGpu':
      return nvidiaSmiScript({ ...slice, machine: { ...machine, model: otherModel(machine.model) } });
    case 'mig':
      return replayed(partitioned);
    case 'recorded':
      return replayed(recorded);
    case 'usual':
    case 'latePort':
    case 'lateKey':
    case 'refusedKey':
    case 'endedShell':
    case 'fullDisk':
      return nvidiaSmiScript(slice);
  }
}

/** A smaller card than any of the market's, and no card of the market. */
function otherModel<T extends object>(model: T) {
  return { ...model, name: 'GTX 1050 Ti', ramMb: 4096, watts: 75, computeCap: 610 };
}

/** Answers `df -Pk` for the rented disk; other calls are passed to the computer's own program. */
function diskScript({ diskGb, manner }: InstanceState): string {
  const size = diskGb * 1024 ** 2;
  const free = manner === 'fullDisk' ? 81_920 : Math.floor(size * 0.95);
  const used = size - free;
  return program(
    'if [ "$1" != -Pk ]; then PATH=${PATH#*:}; exec df "$@"; fi',
    'echo "Filesystem     1024-blocks      Used Available Capacity Mounted on"',
    `echo "overlay ${size} ${used} ${free} ${Math.ceil((used / size) * 100)}% /"`,
  );
}

/** Pretends to write zeros, in the time that the machine's disk would need: this computer has a disk of its own. */
function writeScript(mbPerSecond: number): string {
  return program(
    'case "$*" in "if=/dev/zero "*) ;; *) PATH=${PATH#*:}; exec dd "$@" ;; esac',
    'for arg in "$@"; do case "$arg" in bs=*) size=${arg#bs=} ;; count=*) count=${arg#count=} ;; esac; done',
    'bytes=$((size * count))',
    `micros=$((bytes / ${Math.max(1, Math.round(mbPerSecond))}))`,
    'seconds=$((micros / 1000000)).$(printf %06d $((micros % 1000000)))',
    `printf '%s bytes copied, %s s, ${Math.round(mbPerSecond)} MB/s\\n' "$bytes" "$seconds" >&2`,
  );
}

interface Replay {
  /** Of a query for index, name, memory, driver, uncorrected errors and MIG mode. */
  readonly rows: readonly string[];
  readonly list: readonly string[];
  readonly table: readonly string[];
}

function replayed({ rows, list, table }: Replay): string {
  const print = (lines: readonly string[]) => ["cat <<'END'", ...lines, 'END', 'exit 0'];
  return program(
    'case "$1" in',
    '--query-gpu=*)',
    ...print(rows),
    ';;',
    '-L | --list-gpus)',
    ...print(list),
    ';;',
    'esac',
    ...print(table),
  );
}

function head(driver: string, cuda: string): readonly string[] {
  return [
    '+-----------------------------------------------------------------------------------------+',
    `| NVIDIA-SMI ${driver.padEnd(22)} Driver Version: ${driver.padEnd(14)} CUDA Version: ${cuda.padEnd(8)} |`,
    '+-----------------------------------------+------------------------+----------------------+',
    '| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |',
    '| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |',
    '|                                         |                        |               MIG M. |',
    '|=========================================+========================+======================|',
  ];
}

/** The table of two cards that Project-HAMi/HAMi#1903 shows, and what the same driver answers to a query. */
const recorded: Replay = {
  rows: [
    '0, NVIDIA A800 80GB PCIe, 81920, 580.119.02, 0, Disabled',
    '1, NVIDIA A800 80GB PCIe, 81920, 580.119.02, 0, Disabled',
  ],
  list: [
    'GPU 0: NVIDIA A800 80GB PCIe (UUID: GPU-00000000-0000-0000-0000-000000000000)',
    'GPU 1: NVIDIA A800 80GB PCIe (UUID: GPU-00000000-0000-0000-0000-000000000001)',
  ],
  table: [
    ...head('580.119.02', '13.0'),
    '|   0  NVIDIA A800 80GB PCIe          Off |   00000000:01:00.0 Off |                    0 |',
    '| N/A   27C    P0             46W /  300W |       0MiB /  81920MiB |      0%      Default |',
    '|                                         |                        |             Disabled |',
    '+-----------------------------------------+------------------------+----------------------+',
    '|   1  NVIDIA A800 80GB PCIe          Off |   00000000:81:00.0 Off |                    0 |',
    '| N/A   26C    P0             47W /  300W |       0MiB /  81920MiB |      0%      Default |',
    '|                                         |                        |             Disabled |',
    '+-----------------------------------------+------------------------+----------------------+',
  ],
};

/** A card in two parts, with the profile that NVIDIA/mig-parted#31 reports for its driver. */
const partitioned: Replay = {
  rows: ['0, NVIDIA A100-SXM4-80GB, 81920, 545.23.08, 0, Enabled'],
  list: [
    'GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-00000000-0000-0000-0000-000000000000)',
    '  MIG 3g.39gb     Device  0: (UUID: MIG-00000000-0000-0000-0000-000000000000)',
    '  MIG 3g.39gb     Device  1: (UUID: MIG-00000000-0000-0000-0000-000000000001)',
  ],
  table: [
    ...head('545.23.08', '12.3'),
    '|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:01:00.0 Off |                   On |',
    '| N/A   26C    P0              51W / 500W |      87MiB /  81920MiB |     N/A      Default |',
    '|                                         |                        |              Enabled |',
    '+-----------------------------------------+------------------------+----------------------+',
  ],
};
