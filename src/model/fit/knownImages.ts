import { cudaAtStart, cudaInTag, type CudaVersion, type TaggedCuda } from './cudaVersions';

/** What an image needs from a machine, judged by its name. */
export interface ImageNeeds {
  readonly cuda?: TaggedCuda;
  /** The maker of the GPUs that the image is for. */
  readonly maker?: 'nvidia' | 'amd';
  /** The least compute capability, as the service writes it: 750 is 7.5. */
  readonly leastCapability?: number;
  /** Its unpacked size in GB, roughly. */
  readonly aboutGb?: number;
}

/** A row of the table of images. docs/service/images.md#known-images has the source of each. */
interface KnownImage {
  /** Lower case, without Docker Hub's registry. A `*` at the end means any name below it. */
  readonly repository: string;
  readonly read: (tag: string) => ImageNeeds;
}

const none: ImageNeeds = {};

function nvidia(cuda: TaggedCuda | undefined, more: ImageNeeds = none): ImageNeeds {
  return cuda === undefined ? more : { ...more, cuda, maker: 'nvidia' };
}

/** For images whose tag begins with the CUDA version. */
const startsWithCuda = (tag: string): ImageNeeds => nvidia(cudaAtStart(tag));
/** For images whose tag contains the CUDA version. */
const namesCuda = (tag: string): ImageNeeds => nvidia(cudaInTag(tag));
const forAmd = (): ImageNeeds => ({ maker: 'amd' });
/** For images without CUDA. */
const plain = (): ImageNeeds => none;

/** CUDA versions of NVIDIA's monthly releases (docs/service/images.md#monthly-releases-of-nvidia). */
const monthly: Readonly<Record<string, CudaVersion>> = {
  '22.12': 11.8,
  '23.01': 12,
  '23.02': 12,
  '23.03': 12.1,
  '23.04': 12.1,
  '23.05': 12.1,
  '23.06': 12.1,
  '23.07': 12.1,
  '23.08': 12.2,
  '23.09': 12.2,
  '23.10': 12.2,
  '23.11': 12.3,
  '23.12': 12.3,
  '24.01': 12.3,
  '24.02': 12.3,
  '24.03': 12.4,
  '24.04': 12.4,
  '24.05': 12.4,
  '24.06': 12.5,
  '24.07': 12.5,
  '24.08': 12.6,
  '24.09': 12.6,
  '24.10': 12.6,
  '24.11': 12.6,
  '24.12': 12.6,
  '25.01': 12.8,
  '25.02': 12.8,
  '25.03': 12.8,
  '25.04': 12.9,
  '25.05': 12.9,
  '25.06': 12.9,
  '25.08': 13,
};

function releasedMonthly(tag: string): ImageNeeds {
  const month = /^(\d\d\.\d\d)(?!\d)/.exec(tag)?.[1] ?? '';
  const cuda = Object.hasOwn(monthly, month) ? monthly[month] : undefined;
  return nvidia(cuda === undefined ? undefined : { cuda, isExact: true });
}

const monthlyPyTorch = (tag: string): ImageNeeds => ({ ...releasedMonthly(tag), aboutGb: 20 });

/** CUDA versions of the GPU images of TensorFlow 2, by its minor version (docs/service/images.md#tensorflow). */
const tensorflowCuda: readonly (readonly [since: number, cuda: CudaVersion])[] = [
  [18, 12.5],
  [16, 12.3],
  [15, 12.2],
  [12, 11.8],
  [5, 11.2],
  [4, 11],
];

function tensorflow(tag: string): ImageNeeds {
  const minor = /^2\.(\d{1,2})\.\d+-gpu/.exec(tag)?.[1];
  const found =
    minor === undefined ? undefined : tensorflowCuda.find(([since]) => Number(minor) >= since)?.[1];
  // Releases newer than the table may use a newer CUDA version.
  const isKnown = Number(minor) <= 20;
  return nvidia(found === undefined ? undefined : { cuda: found, isExact: isKnown });
}

function vllm(tag: string): ImageNeeds {
  const named = cudaInTag(tag);
  const minor = /^v0\.(\d{1,2})\./.exec(tag)?.[1];
  const at = Number(minor);
  const byRelease: TaggedCuda | undefined =
    minor === undefined || at < 6
      ? undefined
      : at < 9
        ? { cuda: 12.4, isExact: true }
        : { cuda: 12.8, isExact: at < 11 };
  const size = minor !== undefined && at >= 8 ? { aboutGb: 25 } : none;
  return nvidia(named ?? byRelease, { ...size, maker: 'nvidia', leastCapability: 700 });
}

function textGeneration(tag: string): ImageNeeds {
  const isCuda = /^3\.\d/.test(tag) && !/rocm|intel|amd|neuron|gaudi|llamacpp|trtllm/i.test(tag);
  return isCuda ? nvidia({ cuda: 12.4, isExact: true }) : none;
}

function textEmbeddings(tag: string): ImageNeeds {
  return /^cpu/i.test(tag) ? none : nvidia({ cuda: 12.2, isExact: false }, { leastCapability: 750 });
}

function llamaCpp(tag: string): ImageNeeds {
  return /(?:^|-)cuda/i.test(tag) ? nvidia(cudaInTag(tag) ?? { cuda: 12.4, isExact: false }) : none;
}

/** The images that users rent most, the most specific first. */
export const knownImages: readonly KnownImage[] = [
  { repository: 'nvidia/cuda', read: startsWithCuda },
  { repository: 'nvidia/cudagl', read: startsWithCuda },
  { repository: 'nvcr.io/nvidia/cuda', read: startsWithCuda },
  { repository: 'nvcr.io/nvidia/cudagl', read: startsWithCuda },
  { repository: 'nvcr.io/nvidia/pytorch', read: monthlyPyTorch },
  { repository: 'nvcr.io/nvidia/tensorflow', read: releasedMonthly },
  { repository: 'nvcr.io/nvidia/tensorrt', read: releasedMonthly },
  { repository: 'nvcr.io/nvidia/tritonserver', read: releasedMonthly },
  { repository: 'nvcr.io/nvidia/rapidsai/*', read: namesCuda },
  { repository: 'rapidsai/*', read: namesCuda },
  { repository: 'pytorch/pytorch', read: namesCuda },
  { repository: 'ghcr.io/pytorch/pytorch-nightly', read: namesCuda },
  { repository: 'pytorchlightning/pytorch_lightning', read: namesCuda },
  { repository: 'anibali/pytorch', read: namesCuda },
  { repository: 'mosaicml/pytorch', read: namesCuda },
  { repository: 'mosaicml/llm-foundry', read: namesCuda },
  { repository: 'vastai/base-image', read: namesCuda },
  { repository: 'vastai/pytorch', read: namesCuda },
  { repository: 'vastai/comfy', read: namesCuda },
  { repository: 'vastai/vllm', read: namesCuda },
  { repository: 'runpod/base', read: namesCuda },
  { repository: 'runpod/pytorch', read: namesCuda },
  { repository: 'ghcr.io/ai-dock/*', read: namesCuda },
  { repository: 'lmsysorg/sglang', read: namesCuda },
  { repository: 'winglian/axolotl', read: namesCuda },
  { repository: 'axolotlai/axolotl', read: namesCuda },
  { repository: 'axolotlai/axolotl-cloud', read: namesCuda },
  { repository: 'paddlepaddle/paddle', read: namesCuda },
  { repository: 'quay.io/jupyter/pytorch-notebook', read: namesCuda },
  { repository: 'vllm/vllm-openai', read: vllm },
  { repository: 'ghcr.io/huggingface/text-generation-inference', read: textGeneration },
  { repository: 'ghcr.io/huggingface/text-embeddings-inference', read: textEmbeddings },
  { repository: 'ghcr.io/ggml-org/llama.cpp', read: llamaCpp },
  { repository: 'tensorflow/tensorflow', read: tensorflow },
  { repository: 'rocm/vllm', read: () => ({ maker: 'amd', aboutGb: 22 }) },
  { repository: 'rocm/*', read: forAmd },
  { repository: 'ubuntu', read: plain },
  { repository: 'debian', read: plain },
  { repository: 'python', read: plain },
  { repository: 'quay.io/jupyter/scipy-notebook', read: plain },
];

/** Splits an image: `docker.io/library/ubuntu:22.04@sha256:…` becomes `ubuntu` and `22.04`. */
function splitImage(image: string): { readonly repository: string; readonly tag: string } {
  const [named = ''] = image.trim().split('@');
  const lastName = named.lastIndexOf('/') + 1;
  const colon = named.indexOf(':', lastName);
  const path = (colon < 0 ? named : named.slice(0, colon)).toLowerCase();
  return {
    repository: path.replace(/^(?:index\.)?docker\.io\//, '').replace(/^library\//, ''),
    tag: colon < 0 ? '' : named.slice(colon + 1),
  };
}

function isOf({ repository: pattern }: KnownImage, repository: string): boolean {
  return pattern.endsWith('/*') ? repository.startsWith(pattern.slice(0, -1)) : repository === pattern;
}

/** Returns what an image needs. For an image that is not in the table, only its tag is considered. */
export function imageNeeds(image: string): ImageNeeds {
  const { repository, tag } = splitImage(image);
  const known = knownImages.find((one) => isOf(one, repository));
  return known ? known.read(tag) : namesCuda(tag);
}
