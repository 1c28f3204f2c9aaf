import { formatMoney, fromDollars, type Micros } from '../../model/money';
import type { Offer } from '../../model/offers/offer';
import { perHour, type Rate } from '../../model/quote';
import type { OrderFact, OrderedMachine } from '../../model/rentals/rentalOrder';
import type { OpenRecipe } from '../../model/workspace/workspaceFile';
import { bytesText } from '../../util/bytes';
import { durationText } from '../../util/duration';
import { firstLineText } from '../../util/scriptLines';
import { text, type Text } from '../../util/text';
import type { Job } from './job';
import { hardLimit } from './jobLimits';
import { endsByOccasion, idleText, machineEndText, retriesText, secretFilesText } from './jobText';

/** The parts of a job that differ between combinations of a matrix. */
export type OneOfDraft = Pick<Job, 'spec' | 'outputsTo'>;

/** A job whose machine is not rented yet. */
export interface DraftJob {
  /** The first of `each`, under its name in the file. */
  readonly order: Omit<Job, 'id' | 'orderedAt' | 'decidedAt' | 'machine' | 'rental'>;
  /** The jobs of a matrix, otherwise one job. */
  readonly each: readonly OneOfDraft[];
  /** The most machines that share them. */
  readonly machines: number;
  /** The names of the files to send. */
  readonly names: readonly string[];
  readonly bytes: number;
  /** Those of the names that look like secrets. */
  readonly secretFiles: readonly string[];
  readonly leftOut: readonly string[];
}

/** A job that needs a machine, and the machine that its file describes. */
export interface WantedForJob {
  readonly job: DraftJob;
  readonly recipe?: OpenRecipe | undefined;
  readonly tailored?: TailoredJob | undefined;
}

/** A job of another wing, which depends on the offer. */
export interface TailoredJob {
  readonly heading: Text;
  /** Returns the name of the row that rents for it. */
  readonly rentLabel: (rent: string) => Text;
  /** What it does on an offer, in place of its files and its command. */
  readonly facts: (offer: Offer) => readonly OrderFact[];
  /** Returns the job as it is ordered for the confirmed machine. */
  readonly on: (machine: OrderedMachine) => DraftJob;
}

/** The most names to show of the files that are left out. */
const mostNames = 5;

/** Returns the facts of a rental's confirmation about its job; `undefined` if the cost limit is too low. */
export function jobFacts(
  { order, each, machines, names, bytes, secretFiles, leftOut }: DraftJob,
  rate: Rate | undefined,
  /** The most that another machine may cost per hour; the price of this one if the search has no limit. */
  limitPerHour?: Micros,
): readonly OrderFact[] | undefined {
  const { spec, ends, outputsTo } = order;
  const dollars = rate && perHour(rate);
  const limit = hardLimit(spec, dollars);
  if (!limit) {
    return undefined;
  }
  const retries = retriesText(spec, limitPerHour ?? dollars);
  const idle = idleText(spec);
  const time = durationText((limit.setupSeconds + limit.runSeconds) * 1000);
  const all = each.reduce((sum, one) => sum + one.spec.costDollars, 0);
  return [
    ...(each.length === 1
      ? []
      : [
          {
            id: 'jobs',
            label: text('Jobs'),
            value: text(
              '{0} on {1}, {2} at most for all of them, without traffic',
              each.length,
              machines === 1 ? text('1 machine') : text('{0} machines', machines),
              formatMoney(fromDollars(all)),
            ),
          },
        ]),
    {
      id: 'limit',
      label: text('Ends at the latest'),
      value:
        limit.most === undefined
          ? text('after {0}; the service states no price', time)
          : limit.isByCost
            ? text('after {0}, at its limit of {1}', time, formatMoney(fromDollars(spec.costDollars)))
            : text('after {0}, which costs {1} at most, without traffic', time, formatMoney(limit.most)),
    },
    ...(idle === undefined ? [] : [{ id: 'idle', label: text('When idle'), value: idle }]),
    ...(retries === undefined ? [] : [{ id: 'retries', label: text('Runs again after'), value: retries }]),
    ...endsByOccasion(ends).map(({ when, end }) => ({
      id: `machineEnd-${end}`,
      label: when === undefined ? text('Machine afterwards') : text('Machine {0}', when),
      value: machineEndText(end),
    })),
    { id: 'sent', label: text('Sent'), value: sentText(order, names.length, bytes) },
    ...(secretFiles.length === 0
      ? []
      : [{ id: 'secretFiles', label: text('May be secrets'), value: secretFilesText(secretFiles) }]),
    ...(spec.secrets.length === 0
      ? []
      : [{ id: 'secrets', label: text('Secrets'), value: spec.secrets.join(', ') }]),
    ...(leftOut.length === 0
      ? []
      : [{ id: 'leftOut', label: text('Left out'), value: leftOutText(leftOut) }]),
    {
      id: 'outputs',
      label: text('Outputs'),
      value:
        spec.outputs.length === 0
          ? text('none are fetched')
          : text('{0}, to {1}', spec.outputs.join(', '), outputsTo),
    },
    ...(spec.setup === undefined
      ? []
      : [{ id: 'setup', label: text('Set-up'), value: firstLineText(spec.setup) }]),
    { id: 'command', label: text('Command'), value: firstLineText(spec.run) },
  ];
}

function sentText({ spec }: DraftJob['order'], files: number, bytes: number): Text {
  return !spec.sync
    ? text('nothing')
    : text('{0}, {1}', files === 1 ? text('1 file') : text('{0} files', files), bytesText(bytes));
}

function leftOutText(names: readonly string[]): Text | string {
  const shown = names.slice(0, mostNames).join(', ');
  return names.length > mostNames ? text('{0} and {1} more', shown, names.length - mostNames) : shown;
}
