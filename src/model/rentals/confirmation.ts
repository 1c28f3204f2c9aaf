import { text } from '../../util/text';
import { budgetState, type BudgetNow, type BudgetState } from '../budget/budget';
import { overrunText } from '../budget/budgetText';
import { rentalFit } from '../fit/rentalFit';
import type { UsualMachine } from '../fit/usualMachine';
import { formatMoney, type Micros } from '../money';
import type { Offer, RentalType } from '../offers/offer';
import type { Filters } from '../offers/searchFields';
import {
  diskRate,
  hoursOfCredit,
  noRate,
  perHour,
  quoteOffer,
  spanOfHours,
  sumRates,
  type Quote,
  type Rate,
  type Usage,
} from '../quote';
import { costFacts } from './costFacts';
import { rentFacts, type Fact } from './rentFacts';
import { plannedDiskGb, type RentChoices } from './rentPlan';
import { fitWarnings, machineWarnings, type RentWarning } from './rentWarnings';

export interface ConfirmationInput {
  readonly offer: Offer;
  readonly choices: RentChoices;
  readonly rentalType: RentalType;
  /** The disk size in GB that the offer's price includes. */
  readonly searchedDiskGb: number;
  readonly credit?: Micros | undefined;
  /** The usage to estimate; by default an afternoon with a data set. */
  readonly stay?: Usage;
  /** The limit of its order is shown instead, so no usage is estimated. */
  readonly isOrdered?: boolean;
  /** The price of all present instances, volumes included. */
  readonly running: Rate;
  /** True if some prices are unknown, so `running` is a lower bound. */
  readonly isRunningPartial?: boolean;
  /** True if only the volumes are missing, because they are not read yet. */
  readonly isRunningEarly?: boolean;
  /** The price limit of the search, up to which a machine is rented in place of one that failed. */
  readonly replaceLimit?: Micros | undefined;
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
  // Unstated prices are added to it.
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
    cost: costFacts(input, { ...quote, running: total, stopped: forAll(quote.stopped) }, quote.running),
    warnings: [
      ...priceWarnings(input, quote, total, overLimit ? all : undefined),
      ...fitWarnings(input, fit.misfits),
      ...machineWarnings(input),
    ],
    fitFilters: fit.filters,
  };
}

/** The price of a new volume, `undefined` if it is not stated; an existing one is charged already. */
function volumeRate({ volume, volumePerGbMonth }: RentChoices): Rate | undefined {
  if (volume?.sizeGb === undefined) {
    return noRate;
  }
  return volumePerGbMonth === undefined ? undefined : diskRate(volumePerGbMonth, volume.sizeGb);
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
        'All your instances would then cost up to {0}/h. Your limit is {1}/h.',
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
        'The service does not state the price of storage, which costs money even while the instance is stopped.',
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
