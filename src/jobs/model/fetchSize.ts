import { formatMoney, fromDollars, type Micros } from '../../model/money';
import { bytesText } from '../../util/bytes';
import { text, type Text } from '../../util/text';
import type { Job, JobRow } from './job';

/** What is fetched without a question: this many bytes, for this much traffic or the whole limit of a smaller job. */
const unaskedBytes = 10e9;
const unaskedDollars = 1;

/** What a fetch brings, by the list of the machine and so as its host states it. */
export interface FetchSize {
  /** All that is not on this computer yet. */
  readonly bytes: number;
  /** What the host charges for sending that; zero if the service states no price. */
  readonly traffic: Micros;
  /** The room on the disk of this computer; `undefined` if it can't be read. */
  readonly freeBytes: number | undefined;
}

/**
 * Returns what the user decides about before a fetch begins; `undefined` if it may begin. A decision counts for as many
 * bytes as it was made for: the host may list more the next time.
 */
export function questionAbout(
  { fetchBytes = 0, spec }: Pick<Job, 'fetchBytes' | 'spec'>,
  { bytes, traffic, freeBytes }: FetchSize,
): Text | undefined {
  if (bytes <= fetchBytes) {
    return undefined;
  }
  const reasons = [
    ...(bytes > unaskedBytes
      ? [text('That is more than the {0} that are fetched without a question.', bytesText(unaskedBytes))]
      : []),
    ...(traffic > fromDollars(Math.min(unaskedDollars, spec.costDollars))
      ? [text('The host charges about {0} for the traffic.', formatMoney(traffic))]
      : []),
    ...(freeBytes !== undefined && bytes > freeBytes
      ? [text('The disk of this computer has {0} free.', bytesText(freeBytes))]
      : []),
  ];
  const size = text('{0} would be fetched.', bytesText(bytes));
  return reasons.length === 0 ? undefined : reasons.reduce((all, one) => text('{0} {1}', all, one), size);
}

/** Returns how many bytes of outputs, or of a checkpoint, wait for the user's decision, and why. */
export function askedFetch({
  state,
}: Pick<JobRow, 'state'>): { readonly bytes: number; readonly why: Text } | undefined {
  const { trouble, checkpointProblem, phase } = state;
  const asked =
    trouble?.kind === 'largeOutputs' ? trouble : phase === 'running' ? checkpointProblem : undefined;
  return asked?.bytes === undefined || asked.why === undefined
    ? undefined
    : { bytes: asked.bytes, why: asked.why };
}
