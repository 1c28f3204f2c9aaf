import { text, type Text } from '../../util/text';
import { formatCents, formatMoney } from '../money';
import { perDay, perHour, perMonth, quoteOffer, type Quote } from '../quote';
import { numberText } from './filterText';
import type { Offer, RentalType } from './offer';
import { placeText } from './places';
import { numberField, type NumberKey } from './searchFields';

/** An offer to compare, and the choices that its price depends on. */
export interface Compared {
  readonly offer: Offer;
  readonly rentalType: RentalType;
  /** GB of disk that the price includes and that a stopped machine still pays for. */
  readonly diskGb: number;
  /** When the offer was read, ms since 1970. */
  readonly readAt: number;
  /** True if the offer is no longer on the market. It is shown but never counts as the best. */
  readonly isGone?: boolean;
}

export interface ComparedCell {
  readonly text: Text | string;
  /** True for the best value of the row, or one equal to it. */
  readonly isBest: boolean;
}

export interface ComparedRow {
  readonly id: string;
  readonly label: Text;
  readonly cells: readonly ComparedCell[];
}

export interface ComparedGroup {
  readonly label: Text;
  readonly rows: readonly ComparedRow[];
}

/** Shown for a value that the service does not report. */
const unknown = '–';

interface Line {
  readonly id: string;
  readonly label: Text;
  readonly show: (one: Side) => Text | string | undefined;
  /** The value to compare and the better direction. Without them the row has no best value. */
  readonly value?: (one: Side) => number | undefined;
  readonly better?: 'less' | 'more';
}
interface Side extends Compared {
  readonly quote: Quote;
}

/** Returns all differing facts in groups. A row with equal values has no best one. */
export function compareOffers(compared: readonly Compared[]): readonly ComparedGroup[] {
  const sides = compared.map((one): Side => {
    const { offer, rentalType, diskGb } = one;
    return { ...one, quote: quoteOffer(offer, { rentalType, diskGb, searchedDiskGb: diskGb }) };
  });
  return groups.map(({ label, lines }) => ({
    label,
    rows: lines.map((line) => compareLine(line, sides)),
  }));
}

function compareLine(line: Line, sides: readonly Side[]): ComparedRow {
  const values = sides.map((side) => (side.isGone ? undefined : line.value?.(side)));
  const known = values.filter((value) => value !== undefined);
  const best = line.better === 'less' ? Math.min(...known) : Math.max(...known);
  const differ = known.length > 1 && known.some((value) => value !== known[0]);
  return {
    id: line.id,
    label: line.label,
    cells: sides.map((side, index) => ({
      text: line.show(side) ?? unknown,
      isBest: line.better !== undefined && differ && values[index] === best,
    })),
  };
}

/** Formats a value as the list of offers does. Reliability is rounded down, because rounding up would flatter it. */
function rounded(key: NumberKey, value: number): number {
  if (key === 'reliability') {
    return Math.floor(value * 100 + 1e-6) / 100;
  }
  const { isShownWhole } = numberField(key);
  return isShownWhole === true ? Math.floor(value) : Math.round(value);
}

/** Returns the value of an offer with its unit; undefined if the service does not report it. */
export function fieldValueText(key: NumberKey, offer: Offer): string | undefined {
  const { unit, of } = numberField(key);
  const number = of?.(offer);
  if (number === undefined) {
    return undefined;
  }
  const isVersion = key === 'cuda' || key === 'computeCapability';
  return isVersion ? number.toFixed(1) : numberText(unit === '$' ? number : rounded(key, number), unit);
}

/** Returns the row of a field that offers can be searched by. */
function field(key: NumberKey, better?: 'less' | 'more'): Line {
  const { label, of } = numberField(key);
  return {
    id: key,
    label,
    show: ({ offer }) => fieldValueText(key, offer),
    ...(better === undefined ? {} : { value: ({ offer }) => of?.(offer), better }),
  };
}

function plainRow(id: string, label: Text, of: (offer: Offer) => string | number | undefined): Line {
  return { id, label, show: ({ offer }) => of(offer)?.toString() };
}

function flagRow(id: string, label: Text, of: (offer: Offer) => boolean | undefined): Line {
  return {
    id,
    label,
    show: ({ offer }) => {
      const value = of(offer);
      return value === undefined ? undefined : value ? text('Yes') : text('No');
    },
  };
}

/** Returns the row of a price per GB, in dollars. */
function priceRow(id: string, label: Text, of: (side: Side) => number | undefined): Line {
  return {
    id,
    label,
    show: (side) => {
      const amount = of(side);
      return amount === undefined ? undefined : formatMoney(amount as Parameters<typeof formatMoney>[0]);
    },
    value: of,
    better: 'less',
  };
}

const priceLines: readonly Line[] = [
  {
    id: 'running',
    label: text('Running, per hour'),
    show: ({ quote }) =>
      quote.running === undefined ? undefined : text('{0}/h', formatMoney(perHour(quote.running))),
    value: ({ quote }) => quote.running,
    better: 'less',
  },
  {
    id: 'day',
    label: text('Running, per day'),
    show: ({ quote }) => (quote.running === undefined ? undefined : formatMoney(perDay(quote.running))),
    value: ({ quote }) => quote.running,
    better: 'less',
  },
  {
    id: 'stopped',
    label: text('Stopped, for 30 days'),
    show: ({ quote }) => (quote.stopped === undefined ? undefined : formatCents(perMonth(quote.stopped))),
    value: ({ quote }) => quote.stopped,
    better: 'less',
  },
  {
    id: 'disk',
    label: text('Disk included in these prices'),
    show: ({ diskGb }) => `${diskGb} GB`,
  },
  {
    id: 'rentalType',
    label: text('Rental type'),
    show: ({ rentalType }) =>
      rentalType === 'interruptible' ? text('Interruptible, at the minimum bid') : text('On demand'),
  },
  priceRow('downPerGb', text('Download price per GB'), ({ quote }) => quote.downPerGb),
  priceRow('upPerGb', text('Upload price per GB'), ({ quote }) => quote.upPerGb),
];

const groups: readonly { readonly label: Text; readonly lines: readonly Line[] }[] = [
  { label: text('Price'), lines: priceLines },
  {
    label: text('GPU'),
    lines: [
      plainRow('gpu', text('Model'), ({ gpuName }) => gpuName),
      field('gpuCount', 'more'),
      field('computeCapability'),
      field('cuda', 'more'),
      plainRow('driver', text('Driver'), ({ driverVersion }) => driverVersion),
      field('teraflops', 'more'),
      field('dlperf', 'more'),
      field('value', 'more'),
    ],
  },
  { label: text('GPU Memory'), lines: [field('gpuRamGb', 'more'), field('gpuTotalRamGb', 'more')] },
  {
    label: text('CPU and RAM'),
    lines: [
      plainRow('cpu', text('Processor'), ({ cpuName }) => cpuName),
      field('cpuCores', 'more'),
      field('ramGb', 'more'),
    ],
  },
  {
    label: text('Disk'),
    lines: [
      field('diskGb', 'more'),
      field('diskSpeed', 'more'),
      priceRow('storage', text('Storage price per GB and month'), ({ offer }) => offer.storagePerGbMonth),
    ],
  },
  {
    label: text('Network'),
    lines: [
      field('downMbit', 'more'),
      field('upMbit', 'more'),
      field('ports', 'more'),
      flagRow('staticIp', text('Fixed IP address'), ({ staticIp }) => staticIp),
    ],
  },
  {
    label: text('Host'),
    lines: [
      field('reliability', 'more'),
      flagRow('verified', text('Verified by the service'), ({ verified }) => verified),
      flagRow('datacenter', text('In a data center'), ({ datacenter }) => datacenter),
      plainRow('location', text('Location'), ({ location }) =>
        location === undefined ? undefined : placeText(location),
      ),
      {
        id: 'end',
        label: text('Available until'),
        show: ({ offer, readAt }) =>
          offer.durationSeconds === undefined ? undefined : endText(offer.durationSeconds, readAt),
        value: ({ offer, readAt }) =>
          offer.durationSeconds === undefined
            ? undefined
            : Math.floor((readAt + offer.durationSeconds * 1000) / dayMs),
        better: 'more',
      },
    ],
  },
];

const dayMs = 86_400_000;

function daysText(days: number): Text {
  return days === 1 ? text('1 day') : text('{0} days', days);
}

/** Returns, for example, "2027-03-01, 100 days", with days rounded down. */
function endText(seconds: number, readAt: number): Text | string {
  const days = Math.floor(seconds / 86_400);
  const end = new Date(readAt + seconds * 1000);
  // A duration that a host made up may lie beyond the last valid date.
  return Number.isNaN(end.getTime())
    ? daysText(days)
    : text('{0}, {1}', end.toISOString().slice(0, 10), daysText(days));
}
