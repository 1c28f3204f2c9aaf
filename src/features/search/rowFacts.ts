import { localize, t } from '../../editor/localize';
import { formatMoney } from '../../model/money';
import { fieldValueText } from '../../model/offers/comparison';
import { runningRateOfOffer } from '../../model/offers/localFilter';
import type { MarketQuery } from '../../model/offers/marketQuery';
import type { Offer } from '../../model/offers/offer';
import { placeText } from '../../model/offers/places';
import { fieldLabel, numberKeys, type FieldKey, type NumberKey } from '../../model/offers/searchFields';
import { perDay, perHour } from '../../model/quote';
import { machineName } from '../../model/rentals/rentFacts';
import { plainLabel } from '../../util/plainLabel';

/** The texts of an offer's row beside and below its name. */
export interface OfferTexts {
  readonly offer: Offer;
  readonly description: string;
  readonly detail: readonly string[];
}

export interface RowFacts {
  /** What is the same for all offers, so that no row repeats it. */
  readonly common: readonly string[];
  readonly rows: readonly OfferTexts[];
}

interface Fact {
  /** The field by which users filter and sort. */
  readonly key?: FieldKey | undefined;
  /** Undefined if the service does not report it. */
  readonly value: (offer: Offer) => string | undefined;
  readonly text: (value: string) => string;
  /** True for a word, which is absent where it does not apply. */
  readonly isWord?: true;
}

/** The first line of a row has room for these where the list is 600 pixels wide. */
const mostCharacters = 60;
/** As wide as a digit. */
const space = '\u2007';

/**
 * Returns the texts of rows in steady columns: beside the name the price per hour and what the user sorts and filters by,
 * below it what else differs between the rows. A single row has everything.
 */
export function rowFacts(offers: readonly Offer[], query: MarketQuery): RowFacts {
  const sortKey = query.sort === 'memory' ? 'gpuTotalRamGb' : query.sort;
  const rank = ({ key }: Pick<Fact, 'key'>) =>
    key === undefined ? 2 : key === sortKey ? 0 : key in query.filters ? 1 : 2;
  const facts = factsOf(offers, query)
    .map((fact) => ({ ...fact, texts: textsOf(fact, offers) }))
    .filter(({ texts }) => texts.some((one) => one !== ''));
  const isCommon = ({ texts }: (typeof facts)[number]) =>
    texts.length > 1 && texts.every((one) => one === texts[0]);
  const columns = facts.filter((fact) => !isCommon(fact)).sort((a, b) => rank(a) - rank(b));
  const prices = offers.map((offer) => priceText(offer, query));
  let used = widest(offers.map((offer, at) => `${machineName(offer)} ${prices[at] ?? ''}`));
  const first = columns.filter((column) => {
    const width = widest(column.texts) + 3;
    const fits = rank(column) < 2 && used + width <= mostCharacters;
    used += fits ? width : 0;
    return fits;
  });
  const below = columns
    .filter((column) => !first.includes(column))
    // Spaces at the beginning of a line are not drawn.
    .map(({ texts }, at) => ({
      texts: at === 0 ? texts.map((one) => one.trimStart().padEnd(one.length, space)) : texts,
    }));
  const cells = (shown: readonly Pick<(typeof facts)[number], 'texts'>[], at: number) =>
    shown.map(({ texts }) => texts[at] ?? '').filter((cell) => cell !== '');
  return {
    common: facts.filter(isCommon).map(({ texts }) => texts[0] ?? ''),
    rows: offers.map((offer, at) => ({
      offer,
      description: [prices[at], ...cells(first, at)].join(' · '),
      detail: cells(below, at),
    })),
  };
}

/** Returns the texts of a column, numbers as wide as the widest of them; all are empty if no offer has the value. */
function textsOf({ value, text, isWord }: Fact, offers: readonly Offer[]): readonly string[] {
  const values = offers.map(value);
  if (isWord || values.every((one) => one === undefined)) {
    return values.map((one = '') => plainLabel(one));
  }
  const numbers = values.map((one = '?') => one);
  const texts = numbers.map((one) => text(one.padStart(widest(numbers), space)));
  // A sentence that begins with its number loses the spaces before it.
  return texts.map((one) => one.padStart(widest(texts), space));
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length));
}

function priceText(offer: Offer, query: MarketQuery): string {
  const rate = runningRateOfOffer(offer, query);
  return rate === undefined ? t('price not stated') : t('{0}/h', formatMoney(perHour(rate)));
}

/** Returns the facts in the order of their columns. */
function factsOf(offers: readonly Offer[], query: MarketQuery): readonly Fact[] {
  const facts: Fact[] = [
    {
      value: (offer) => {
        const rate = runningRateOfOffer(offer, query);
        return rate === undefined ? undefined : formatMoney(perDay(rate));
      },
      text: (price) => t('{0}/day', price),
    },
    // The memory of a single GPU is part of the name.
    ...(offers.some(({ gpuCount = 1 }) => gpuCount > 1)
      ? [number('gpuTotalRamGb', (value) => t('{0} total', value))]
      : []),
    {
      key: 'reliability',
      value: ({ reliability }) => (reliability === undefined ? undefined : percent(reliability)),
      text: (value) => t('{0} % reliable', value),
    },
    number('ramGb'),
    word(undefined, ({ verified }) => (verified === false ? t('Not verified') : undefined)),
    word('country', ({ location }) => (location === undefined ? undefined : placeText(location))),
    number('downMbit'),
    number('cpuCores'),
    number('value'),
    number('cuda'),
    number('ports'),
    word('datacenter', ({ datacenter }) => (datacenter === true ? t('data center') : undefined)),
  ];
  const known = ['gpuCount', 'gpuRamGb', 'pricePerHour', ...facts.map(({ key }) => key)];
  const others = numberKeys.filter((key) => key in query.filters && !known.includes(key));
  return [...facts, ...others.map((key) => number(key))];
}

function number(key: NumberKey, text = (value: string) => `${localize(fieldLabel(key))}: ${value}`): Fact {
  return { key, value: (offer) => fieldValueText(key, offer), text };
}

function word(key: FieldKey | undefined, value: Fact['value']): Fact {
  return { key, value, text: String, isWord: true };
}

/** Rounds down: 99.99 % must not become 100 %. */
function percent(share: number): string {
  return (Math.floor(share * 10_000 + 1e-6) / 100).toFixed(2);
}
