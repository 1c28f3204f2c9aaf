import { text, type Text } from '../../util/text';
import { soldGpuGb } from '../offers/gpuMemory';
import type { GpuFault, MachineProof, ProvedGpu } from './machineProof';
import type { Difference, ExpectedMachine, ProofNote, ProofVerdict } from './verdict';

/** Returns one line: `4× RTX 4090, driver 570, 24 GB each · disk 1.8 GB/s · GPU and disk OK`. */
export function verdictText(
  proof: MachineProof,
  verdict: ProofVerdict,
  expected: ExpectedMachine = {},
): Text {
  const [first, ...more] = verdict.differences;
  const end = first ? differenceText(first) : endText(verdict);
  const parts = [
    machineText(proof),
    ...diskText(proof),
    ...downloadText(expected),
    end,
    ...more.map(differenceText),
  ];
  return parts.slice(1).reduce((line, part) => text('{0} · {1}', line, part), parts[0] ?? end);
}

/** Without the tool, nothing shows whether the GPUs work. */
function endText({ notes }: ProofVerdict): Text {
  return notes.includes('smiMissing') ? text('no nvidia-smi') : text('GPU and disk OK');
}

function machineText(proof: MachineProof): Text {
  const { driver, gpus } = proof;
  const version = driver?.split('.')[0];
  const models = modelsText(gpus);
  const withDriver = version === undefined ? models : text('{0}, driver {1}', models, version);
  const sizes = new Set(gpus.flatMap(({ memoryMb }) => (memoryMb === undefined ? [] : soldGpuGb(memoryMb))));
  const [size] = sizes;
  if (size === undefined || sizes.size > 1) {
    return withDriver;
  }
  return gpus.length === 1
    ? text('{0}, {1} GB', withDriver, size)
    : text('{0}, {1} GB each', withDriver, size);
}

/** Returns, for example, `2× RTX 4090 + 1× RTX 3090`. */
function modelsText(gpus: readonly ProvedGpu[]): Text {
  const names = gpus.map(({ name }) => (name === undefined ? undefined : shortName(name)));
  const parts = [...new Set(names)].map((name) => {
    const count = names.filter((one) => one === name).length;
    return name === undefined ? text('{0}× GPU', count) : text('{0}× {1}', count, name);
  });
  const [first, ...more] = parts;
  return first ? more.reduce((line, part) => text('{0} + {1}', line, part), first) : text('No GPU');
}

function shortName(name: string): string {
  return name.replace(/^(?:NVIDIA|AMD) +/, '').replace(/^GeForce +/, '');
}

function diskText({ disk }: MachineProof): readonly Text[] {
  const { mbPerSecond } = disk;
  if (mbPerSecond === undefined) {
    return [];
  }
  return [
    mbPerSecond >= 1000
      ? text('disk {0} GB/s', (mbPerSecond / 1000).toFixed(1))
      : text('disk {0} MB/s', Math.round(mbPerSecond)),
  ];
}

/** The speed is not measured, to avoid a download (docs/proof.md#download), so the text names its source. */
function downloadText({ inetDownMbit }: ExpectedMachine): readonly Text[] {
  return inetDownMbit === undefined
    ? []
    : [text('download {0} Mbit/s (reported by the host)', Math.round(inetDownMbit))];
}

/** Returns a phrase for a difference, without a full stop, so that it fits a row, a tooltip or a line of the log. */
export function differenceText(difference: Difference): Text {
  switch (difference.kind) {
    case 'noGpu':
      return text('no GPU found, but {0} rented', difference.expected);
    case 'gpuCount':
      return text('{0} of {1} GPUs answer', difference.found, difference.expected);
    case 'gpuModel':
      return text('{0} instead of {1}', shortName(difference.found), difference.expected);
    case 'gpuMemory':
      return text('{0} of GPU memory instead of {1}', gb(difference.foundMb), gb(difference.expectedMb));
    case 'migEmpty':
      return text('the GPU is partitioned (MIG) and no partition is assigned');
    case 'fault':
      return faultText(difference.fault);
    case 'diskSize':
      return text(
        'disk of {0} GB instead of {1} GB',
        Math.floor(difference.foundGb),
        Math.floor(difference.expectedGb),
      );
    case 'diskShared':
      return text(
        '{0} GB free on the disk of the host instead of {1} GB',
        Math.floor(difference.freeGb),
        Math.floor(difference.expectedGb),
      );
    case 'diskFull':
      return text('the disk is full ({0} MB free)', Math.floor(difference.freeGb * 1000));
  }
}

function gb(mb: number): Text {
  return mb < 1024 ? text('{0} MB', Math.floor(mb)) : text('{0} GB', soldGpuGb(mb));
}

function faultText({ kind, gpu = 0, number = 0, detail }: GpuFault): Text {
  switch (kind) {
    case 'smiMissing':
      return text('nvidia-smi is not installed');
    case 'smiFailed':
      return detail === undefined ? text('nvidia-smi fails') : text('nvidia-smi fails: {0}', detail);
    case 'smiHung':
      return text('nvidia-smi does not answer');
    case 'ecc':
      return text('GPU {0}: uncorrected memory errors ({1})', gpu, number);
    case 'ras':
      return text('GPU {0}: uncorrected hardware errors ({1})', gpu, number);
    case 'xid':
      return text('GPU error Xid {0} in the last 24 hours', number);
    case 'slowed':
      return text('GPU {0}: slowed down by heat or its power supply', gpu);
  }
}

/** Returns a sentence for a special case, for tooltips and details. */
export function noteText(note: ProofNote): Text {
  switch (note) {
    case 'mig':
      return text('The GPU is partitioned (MIG), so only the memory of its partitions is compared.');
    case 'memoryNotReported':
      return text('The driver does not report the GPU memory, so it is not compared.');
    case 'smiMissing':
      return text(
        'The image has no nvidia-smi, so only the number and model of the GPUs can be checked, not whether they work.',
      );
    case 'amd':
      return text(
        'For AMD GPUs, the number, model and memory are compared, and uncorrected errors if the driver counts them.',
      );
  }
}
