import { text, type Text } from '../../util/text';
import { filterValueText, numberText } from '../offers/filterText';
import type { Offer } from '../offers/offer';
import { wireMisfits } from '../offers/offerMatch';
import { readWireFilters } from '../offers/readWireFilters';
import {
  fieldLabel,
  numberKeys,
  searchField,
  type FieldKey,
  type Filters,
  type NumberRange,
} from '../offers/searchFields';
import type { RentStep } from '../rentals/rentFacts';
import { neededPorts, plannedDiskGb, portShortage, type RentChoices } from '../rentals/rentPlan';
import { imageWithTag } from '../templates/templateMerge';
import { cudaOfDriver, cudaOfGpu, gpusOfCuda, type CudaVersion } from './cudaVersions';
import { imageNeeds, type ImageNeeds } from './knownImages';
import type { UsualMachine } from './usualMachine';

export interface Misfit {
  readonly id: 'cuda' | 'gpu' | 'maker' | 'imageSize' | 'ports' | 'disk' | 'template' | 'slow' | 'unreliable';
  readonly text: Text;
  /** The step that can solve it without another machine. */
  readonly step?: RentStep;
}

export interface RentalFit {
  readonly misfits: readonly Misfit[];
  /** Filters that find only fitting machines; `undefined` if another machine would not help. */
  readonly filters?: Filters;
}

/** A machine and what will run on it. */
export interface FitInput {
  readonly offer: Offer;
  readonly choices: RentChoices;
  readonly usual?: UsualMachine | undefined;
}

/** A requirement for the machine. A requirement or a property that is unknown is never a misfit. */
interface Check {
  readonly misfit?: Misfit | undefined;
  /** The search filters that the next machine must meet. */
  readonly filters?: Filters | undefined;
}

/** Compares the machine with what will run on it, before anything is paid. */
export function rentalFit(input: FitInput): RentalFit {
  const image = imageOf(input.choices);
  const needs = imageNeeds(image);
  const checks = [
    cudaCheck(input.offer, needs),
    gpuCheck(input.offer, needs),
    makerCheck(input.offer, needs),
    sizeCheck(input, needs),
    portsCheck(input),
    diskCheck(input),
    templateCheck(input, needs),
    ...usualChecks(input),
  ];
  const misfits = checks.map(({ misfit }) => misfit).filter((misfit) => misfit !== undefined);
  const isOfMachine = checks.some(({ misfit, filters }) => misfit !== undefined && filters !== undefined);
  return isOfMachine
    ? { misfits, filters: checks.reduce<Filters>((all, { filters = {} }) => narrowed(all, filters), {}) }
    : { misfits };
}

/** Returns both filters combined. `others` win if both can't hold. */
export function narrowed(filters: Filters, others: Filters): Filters {
  const merged: Record<string, unknown> = { ...filters, ...others };
  for (const key of numberKeys) {
    const [before, added] = [filters[key], others[key]];
    if (before && added) {
      merged[key] = narrowedRange(before, added);
    }
  }
  return merged;
}

function narrowedRange(before: NumberRange, added: NumberRange): NumberRange {
  const least = Math.max(before.min ?? -Infinity, added.min ?? -Infinity);
  const most = Math.min(before.max ?? Infinity, added.max ?? Infinity);
  return least > most
    ? added
    : {
        ...(Number.isFinite(least) ? { min: least } : {}),
        ...(Number.isFinite(most) ? { max: most } : {}),
      };
}

function imageOf({ source }: RentChoices): string {
  return source.kind === 'image' ? source.image : imageWithTag(source.template.image, source.template.tag);
}

function cudaText(cuda: CudaVersion): string {
  return cuda.toFixed(1);
}

function gpuName({ gpuName: name }: Offer): Text | string {
  return name ?? text('This GPU');
}

/** The service's own figure wins; without it, the driver decides (docs/service/images.md#cuda-and-drivers). */
function cudaCheck({ cudaVersion, driverVersion }: Offer, { cuda: needed }: ImageNeeds): Check {
  if (needed === undefined) {
    return {};
  }
  const filters: Filters = { cuda: { min: needed.cuda } };
  const most = cudaVersion ?? (driverVersion === undefined ? undefined : cudaOfDriver(driverVersion));
  if (most === undefined || most >= needed.cuda) {
    return { filters };
  }
  const wanted = cudaText(needed.cuda);
  return {
    filters,
    misfit: {
      id: 'cuda',
      text:
        driverVersion === undefined
          ? text('The image needs CUDA {0}, but this machine supports up to {1}.', wanted, cudaText(most))
          : text(
              'The image needs CUDA {0}, but this driver ({1}) supports up to {2}.',
              wanted,
              driverVersion,
              cudaText(most),
            ),
      step: 'source',
    },
  };
}

/**
 * Finds a GPU that is newer than the image's CUDA, that this CUDA no longer supports, or that its program does not
 * support.
 */
function gpuCheck(offer: Offer, { cuda, leastCapability = 0 }: ImageNeeds): Check {
  const served = cuda === undefined ? {} : gpusOfCuda(cuda);
  const min = Math.max(leastCapability, served.min ?? 0);
  const has = offer.computeCapability;
  const isTooOld = has !== undefined && has < min;
  const support = cudaOfGpu(has);
  const range: NumberRange = {
    ...(isTooOld ? { min: min / 100 } : {}),
    ...(served.max === undefined ? {} : { max: served.max / 100 }),
  };
  const filters: Filters | undefined =
    Object.keys(range).length === 0 ? undefined : { computeCapability: range };
  const misfit = (words: Text): Check => ({ filters, misfit: { id: 'gpu', text: words, step: 'source' } });
  if (cuda?.isExact === true && support && cuda.cuda < support.from) {
    return misfit(
      text(
        '{0} needs CUDA {1} or newer, but the image has CUDA {2}.',
        gpuName(offer),
        cudaText(support.from),
        cudaText(cuda.cuda),
      ),
    );
  }
  if (cuda && support?.until !== undefined && cuda.cuda > support.until) {
    return misfit(
      text(
        '{0} needs CUDA {1} or older, but the image has CUDA {2}.',
        gpuName(offer),
        cudaText(support.until),
        cudaText(cuda.cuda),
      ),
    );
  }
  if (isTooOld) {
    return misfit(
      text(
        'The image needs compute capability {0}, but {1} has {2}.',
        (min / 100).toFixed(1),
        gpuName(offer),
        (has / 100).toFixed(1),
      ),
    );
  }
  return { filters };
}

/** There is no filter for the maker, so the user has to choose another image. */
function makerCheck({ gpuArch }: Offer, { maker, cuda }: ImageNeeds): Check {
  const has = gpuArch?.toLowerCase();
  if (maker === undefined || (has !== 'nvidia' && has !== 'amd') || has === maker) {
    return {};
  }
  return {
    misfit: {
      id: 'maker',
      text:
        maker === 'amd'
          ? text('The image is for AMD GPUs (ROCm), but this machine has NVIDIA GPUs.')
          : cuda === undefined
            ? text('The image is for NVIDIA GPUs (CUDA), but this machine has AMD GPUs.')
            : text(
                'The image is for NVIDIA GPUs (CUDA {0}), but this machine has AMD GPUs.',
                cudaText(cuda.cuda),
              ),
      step: 'source',
    },
  };
}

function sizeCheck({ choices }: FitInput, { aboutGb }: ImageNeeds): Check {
  const diskGb = plannedDiskGb(choices);
  if (aboutGb === undefined || diskGb >= aboutGb) {
    return {};
  }
  return {
    misfit: {
      id: 'imageSize',
      text: text('The image takes about {0} GB, but the disk has only {1} GB.', aboutGb, diskGb),
      step: 'disk',
    },
  };
}

function portsCheck({ offer, choices }: FitInput): Check {
  const needed = neededPorts(choices);
  const filters = needed === 0 ? undefined : { ports: { min: needed } };
  const shortage = portShortage(offer, choices);
  return {
    filters,
    misfit: shortage && {
      id: 'ports',
      text: text('Open ports needed: {0}. This machine has {1}.', shortage.needed, shortage.has),
      step: 'runtype',
    },
  };
}

function diskCheck({ offer: { diskSpaceGb }, choices }: FitInput): Check {
  const planned = plannedDiskGb(choices);
  if (diskSpaceGb === undefined || planned <= diskSpaceGb) {
    return {};
  }
  return {
    filters: { diskGb: { min: planned } },
    misfit: {
      id: 'disk',
      text: text(
        'You want a disk of {0} GB, but this machine has only {1} GB.',
        planned,
        Math.floor(diskSpaceGb),
      ),
      step: 'disk',
    },
  };
}

/** Checks the template's own filters, except what the image's CUDA has already covered. */
function templateCheck({ offer, choices: { source } }: FitInput, { cuda }: ImageNeeds): Check {
  if (source.kind !== 'template') {
    return {};
  }
  const { name, extraFilters } = source.template;
  const { filters } = readWireFilters(extraFilters);
  const misfits = wireMisfits(offer, extraFilters).filter((key) => key !== 'cuda' || cuda === undefined);
  const [first] = misfits;
  if (first === undefined) {
    return {};
  }
  const visible = Object.fromEntries(
    Object.entries(filters).filter(([key]) => misfits.some((one) => one === key)),
  ) as Filters;
  return {
    filters: Object.keys(visible).length === 0 ? undefined : visible,
    misfit: {
      id: 'template',
      text:
        filters[first] === undefined
          ? text(
              'The template {0} is not meant for this machine: {1} does not match.',
              name,
              fieldLabel(first),
            )
          : text(
              'The template {0} requires {1}: {2}. This machine has {3}.',
              name,
              fieldLabel(first),
              filterValueText(first, filters),
              valueText(offer, first),
            ),
      step: 'source',
    },
  };
}

function valueText(offer: Offer, key: FieldKey): Text | string {
  const field = searchField(key);
  const value = field.of?.(offer);
  if (typeof value === 'number') {
    return numberText(Math.floor(value * 100 + 1e-6) / 100, field.kind === 'number' ? field.unit : '');
  }
  return typeof value === 'boolean' ? (value ? text('Yes') : text('No')) : (value ?? '?');
}

/** A download speed below this share of the usual one leads to a remark. */
const slowShare = 0.5;
/** A reliability this much below the usual one leads to a remark. Smaller differences are normal from day to day. */
const reliabilityStep = 0.01;

function usualChecks({ offer, usual }: FitInput): readonly Check[] {
  if (!usual) {
    return [];
  }
  const { inetDownMbit: down, reliability } = offer;
  const found: Check[] = [];
  if (down !== undefined && usual.downMbit !== undefined && down < usual.downMbit * slowShare) {
    const least = Math.ceil(usual.downMbit * slowShare);
    found.push({
      filters: { downMbit: { min: least } },
      misfit: {
        id: 'slow',
        text: text(
          'Download: {0}. The machines of your last {1} rentals had {2} (median).',
          numberText(Math.round(down), 'Mbit/s'),
          usual.rentals,
          numberText(Math.round(usual.downMbit), 'Mbit/s'),
        ),
      },
    });
  }
  if (
    reliability !== undefined &&
    usual.reliability !== undefined &&
    reliability < usual.reliability - reliabilityStep
  ) {
    found.push({
      filters: { reliability: { min: percent(usual.reliability - reliabilityStep) } },
      misfit: {
        id: 'unreliable',
        text: text(
          'Reliability: {0}. The machines of your last {1} rentals had {2} (median).',
          numberText(percent(reliability), '%'),
          usual.rentals,
          numberText(percent(usual.reliability), '%'),
        ),
      },
    });
  }
  return found;
}

/** Rounds down, because rounding up would flatter the machine. */
function percent(share: number): number {
  return Math.floor(share * 1000 + 1e-6) / 10;
}
