import { text, type Text } from '../../util/text';
import { budgetState, type BudgetNow, type BudgetState } from '../budget/budget';
import { overrunText } from '../budget/budgetWords';
import { formatCents, formatMoney, type Micros } from '../money';
import type { Offer, RentalType } from '../offers/offer';
import { rentFacts, type Fact } from './rentFacts';
import {
  diskRate,
  spanOfHours,
  estimate,
  hoursOfCredit,
  noRate,
  perDay,
  perHour,
  perMonth,
  quoteOffer,
  sumRates,
  usualStay,
  type Quote,
  type Rate,
  type Usage,
} from '../quote';
import { plannedDiskGb, type RentChoices } from './rentPlan';
import { fitWarnings, machineWarnings, type RentWarning } from './rentWarnings';
import { rentalFit } from '../fit/rentalFit';
import type { UsualMachine } from '../fit/usualMachine';
import type { Filters } from '../offers/searchFields';

export { machineName } from './rentFacts';
export type { Fact, RentStep } from './rentFacts';

export interface ConfirmationInput {
  readonly offer: Offer;
  readonly choices: RentChoices;
  readonly rentalType: RentalType;
  /** The disk size in GB that the offer's price includes. */
  readonly searchedDiskGb: number;
  readonly credit?: Micros | undefined;
  /** The usage to estimate; by default an afternoon with a data set. */
  readonly stay?: Usage;
  /** The limit of a job is shown instead, so no usage is estimated. */
  readonly isForJob?: boolean;
  /** The price of all present instances, volumes included. */
  readonly running: Rate;
  /** True if some prices are unknown, so `running` is a lower bound. */
  readonly isRunningPartial?: boolean;
  /** True if only the volumes are missing, because they are not read yet. */
  readonly isRunningEarly?: boolean;
  /** The user's limit per hour for all instances together. */
  readonly limitPerHour?: Micros | undefined;
  /** What the machines of the user's last rentals had. */
  readonly usual?: UsualMachine | undefined;
  /** What is spent of the daily and monthly budget. */
  readonly budget?: BudgetNow | undefined;
}

export interface Confirmation {
  readonly quote: Quote;
  /** The price of all copies together; `undefined` if no price is stated. */
  readonly total: Rate | undefined;
  /** True if exceeding the limit needs a separate decision. */
  readonly overLimit: boolean;
  /** Exceeding the budget needs a separate decision as well. */
  readonly budget: BudgetState;
  readonly what: readonly Fact[];
  readonly cost: readonly Fact[];
  readonly warnings: readonly RentWarning[];
  /** Filters that find only machines that fit, if this one does not. */
  readonly fitFilters?: Filters | undefined;
}

/** The last step before money is spent, as data: what is rented, what it costs and the warnings. */
export function confirmation(input: ConfirmationInput): Confirmation {
  const { offer, choices, rentalType, searchedDiskGb } = input;
  const quote = quoteOffer(offer, {
    rentalType,
    searchedDiskGb,
    diskGb: plannedDiskGb(choices),
    bidPerHour: choices.bidPerHour,
  });
  const copies = choices.count ?? 1;
  const volume = volumeRate(choices);
  const forAll = (rate: Rate | undefined, withVolume = volume) =>
    rate === undefined || withVolume === undefined
      ? undefined
      : sumRates(...Array<Rate>(copies).fill(sumRates(rate, withVolume)));
  const total = forAll(quote.running);
  // What is not stated comes on top.
  const least = forAll(quote.running, volume ?? noRate);
  const all = least === undefined ? undefined : sumRates(least, input.running);
  const overLimit =
    input.limitPerHour !== undefined && all !== undefined && perHour(all) > input.limitPerHour;
  const fit = rentalFit(input);
  return {
    quote,
    total,
    overLimit,
    budget: budgetState(input.budget),
    what: rentFacts(input),
    cost: costFacts(input, { ...quote, running: total, stopped: forAll(quote.stopped) }),
    warnings: [
      ...priceWarnings(input, quote, total, overLimit ? all : undefined),
      ...fitWarnings(input, fit.misfits),
      ...machineWarnings(input),
    ],
    fitFilters: fit.filters,
  };
}

/** The price of a new volume, `undefined` where it is not stated; one that is there is billed already. */
function volumeRate({ volume, volumePerGbMonth }: RentChoices): Rate | undefined {
  if (volume?.sizeGb === undefined) {
    return noRate;
  }
  return volumePerGbMonth === undefined ? undefined : diskRate(volumePerGbMonth, volume.sizeGb);
}

/** `quote` covers all machines together. */
function costFacts(input: ConfirmationInput, quote: Quote): readonly Fact[] {
  const facts: Fact[] = [];
  const { stopped, running: total } = quote;
  if (total !== undefined) {
    facts.push({ id: 'running', label: text('Running'), value: runningText(total) });
  }
  facts.push({
    id: 'stopped',
    label: text('Stopped'),
    value: stopped === undefined ? text('not stated by the service') : stoppedText(stopped),
  });
  facts.push(input.isForJob === true ? trafficFact(quote) : stayFact(quote, input.stay ?? usualStay));
  if (input.credit !== undefined && total !== undefined) {
    facts.push({
      id: 'credit',
      label: text('Credit'),
      value: creditText(
        input.credit,
        total,
        input.running,
        input.isRunningPartial === true && input.isRunningEarly !== true,
      ),
    });
  }
  return facts;
}

/** Returns the price per GB and the cost of the whole stay. */
function stayFact(quote: Quote, stay: Usage): Fact {
  const sum = estimate(quote, stay);
  const traffic = trafficText(quote);
  const value =
    sum === undefined
      ? text('{0}; the sum is unknown', traffic)
      : text('{0} for {1} ({2})', formatCents(sum), stayText(stay), traffic);
  return { id: 'stay', label: text('Estimate'), value, step: 'stay' };
}

function trafficFact(quote: Quote): Fact {
  return { id: 'traffic', label: text('Traffic'), value: trafficText(quote) };
}

/** Returns text such as "download $0.011/GB, upload free". */
export function trafficText({ downPerGb, upPerGb }: Pick<Quote, 'downPerGb' | 'upPerGb'>): Text {
  return text('{0}, {1}', bandwidthText(downPerGb, text('download')), bandwidthText(upPerGb, text('upload')));
}

/** Returns text such as "download $0.011/GB". */
function bandwidthText(perGb: Micros | undefined, name: Text): Text {
  return perGb === undefined
    ? text('{0} at an unknown price', name)
    : perGb === 0
      ? text('{0} free', name)
      : text('{0} {1}/GB', name, formatMoney(perGb));
}

/** Returns text such as "8 h, 50 GB down"; amounts of zero are left out. */
function stayText({ hours, downGb, upGb }: Usage): Text {
  const down = downGb === 0 ? text('{0} h', hours) : text('{0} h, {1} GB down', hours, downGb);
  return upGb === 0 ? down : text('{0}, {1} GB up', down, upGb);
}

/** Returns text such as "$0.423/h, $10.14/day". */
function runningText(rate: Rate): Text {
  return text('{0}/h, {1}/day', formatMoney(perHour(rate)), formatMoney(perDay(rate)));
}

/** Returns text such as "$0.0042/h, $0.100/day, $3.00/month of 720 h". */
export function stoppedText(rate: Rate): Text {
  return text(
    '{0}/h, {1}/day, {2}/month of 720 h',
    formatMoney(perHour(rate)),
    formatMoney(perDay(rate)),
    formatCents(perMonth(rate)),
  );
}

function creditText(credit: Micros, rate: Rate, running: Rate, isPartial = false): Text {
  const alone = hoursOfCredit(credit, rate);
  const together = hoursOfCredit(credit, sumRates(rate, running));
  if (alone === undefined || together === undefined) {
    return text('{0}', formatCents(credit));
  }
  const values = [formatCents(credit), spanOfHours(alone), spanOfHours(together)] as const;
  if (isPartial) {
    return text('{0} lasts {1}, or at most {2} with the instances that already run', ...values);
  }
  return running === 0
    ? text('{0} lasts {1}', formatCents(credit), spanOfHours(alone))
    : text('{0} lasts {1}, or {2} with the instances that already run', ...values);
}

/** Credit for less than this gets a warning before renting (hours). */
const littleCreditHours = 2;

function priceWarnings(
  input: ConfirmationInput,
  quote: Quote,
  total: Rate | undefined,
  over: Rate | undefined,
): readonly RentWarning[] {
  const found: RentWarning[] = [];
  if (over !== undefined && input.limitPerHour !== undefined) {
    found.push({
      id: 'limit',
      text: text(
        'With this one, all your instances cost {0}/h. Your limit is {1}/h.',
        formatMoney(perHour(over)),
        formatMoney(input.limitPerHour),
      ),
    });
  }
  const overrun = overrunText(input.budget);
  if (overrun !== undefined) {
    found.push({ id: 'budget', text: overrun });
  }
  const isUnpriced = input.isRunningPartial === true || total === undefined;
  if (over === undefined && input.limitPerHour !== undefined && isUnpriced) {
    found.push({
      id: 'limitUnknown',
      text: text(
        'The price of some running instances is unknown, so you may exceed your limit of {0}/h.',
        formatMoney(input.limitPerHour),
      ),
    });
  }
  if (volumeRate(input.choices) === undefined) {
    found.push({
      id: 'volumeUnknown',
      text: text(
        'The service does not state the price of the new volume, which costs money until you delete it.',
      ),
    });
  }
  if (quote.running === undefined) {
    found.push({ id: 'priceUnknown', text: text('The service does not say what this machine costs.') });
  }
  if (quote.stopped === undefined) {
    found.push({
      id: 'stoppedUnknown',
      text: text(
        'The service does not state the price of the disk, which costs money even while the instance is stopped.',
      ),
    });
  }
  const hours =
    input.credit === undefined || total === undefined
      ? undefined
      : hoursOfCredit(input.credit, sumRates(total, input.running));
  if (hours !== undefined && hours < littleCreditHours) {
    found.push({
      id: 'credit',
      text:
        hours === 0
          ? text('You have no credit left, and at zero the service stops everything. Add credit first.')
          : text('Your credit lasts only {0}. At zero, the service stops everything.', spanOfHours(hours)),
    });
  }
  return found;
}
