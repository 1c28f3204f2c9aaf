import { formatMoney, toDollars } from '../../../model/money';
import { fieldValueText } from '../../../model/offers/comparison';
import { runningRateOfOffer } from '../../../model/offers/localFilter';
import type { MarketQuery } from '../../../model/offers/marketQuery';
import type { Offer } from '../../../model/offers/offer';
import { placeText } from '../../../model/offers/places';
import { fieldLabel, numberField, type NumberKey } from '../../../model/offers/searchFields';
import { perHour } from '../../../model/quote';
import { machineName } from '../../../model/rentals/rentFacts';
import { text } from '../../../util/text';
import type { ReportView } from '../../../webview/report/protocol';
import { moneyCell, printable, textCell, type Localize } from './cells';

type Section = ReportView['sections'][number];
type Cell = Section['table']['rows'][number]['cells'][number];
type PointsView = Extract<NonNullable<Section['chart']>, { kind: 'points' }>;
type Point = PointsView['series'][number]['points'][number];

/** More rows than this are no help, and slow the page down. */
const mostShown = 200;
const figures: readonly NumberKey[] = ['dlperf', 'value', 'reliability', 'ramGb', 'downMbit'];

/** Returns the title of figures that come from the offers shown, not from the whole market. */
export function titleOfShown(title: string, count: number, localize: Localize): string {
  return localize(text('{0}, {1} offers shown', title, count));
}

/** Returns the offers by price and speed. A row rents its offer; a button in it pins the offer to compare. */
export function offersSection(
  offers: readonly Offer[],
  query: Pick<MarketQuery, 'rentalType' | 'diskGb'>,
  isPinned: (offerId: number) => boolean,
  localize: Localize,
): Section {
  const shown = offers.slice(0, mostShown);
  const price = (offer: Offer) => {
    const rate = runningRateOfOffer(offer, query);
    return rate === undefined ? undefined : perHour(rate);
  };
  const points = shown.flatMap((offer): Point[] => {
    const [cost, speed] = [price(offer), offer.dlperf];
    if (cost === undefined || speed === undefined) {
      return [];
    }
    const place = offer.location === undefined ? '' : `, ${placeText(offer.location)}`;
    const label = printable(`${machineName(offer)}, ${formatMoney(cost)}/h${place}`);
    return [{ row: String(offer.id), x: speed, y: toDollars(cost), label }];
  });
  const isBest = (point: Point) =>
    !points.some(
      (other) => other.x >= point.x && other.y <= point.y && (other.x > point.x || other.y < point.y),
    );
  const series = [
    { name: localize(text('Nothing faster costs less')), points: points.filter(isBest) },
    { name: localize(text('Others')), points: points.filter((point) => !isBest(point)) },
  ];
  return {
    id: 'offers',
    title: titleOfShown(localize(text('Price and Speed')), shown.length, localize),
    folded: false,
    ...(points.length === 0
      ? {}
      : {
          chart: {
            kind: 'points' as const,
            unit: localize(text('dollars per hour')),
            xTitle: localize(fieldLabel('dlperf')),
            series,
          },
        }),
    table: {
      caption: localize(text('Offers; select one to rent it')),
      columns: [
        { label: localize(text('Offer')), numeric: false },
        { label: localize(text('Price per hour')), numeric: true },
        ...figures.map((key) => ({ label: localize(fieldLabel(key)), numeric: true })),
        { label: localize(text('Location')), numeric: false },
        { label: localize(text('Compare')), numeric: false },
      ],
      rows: shown.map((offer) => {
        const name = printable(machineName(offer));
        return {
          id: String(offer.id),
          action: localize(text('Rent {0}, offer {1}', name, offer.id)),
          cells: [
            textCell(name),
            moneyCell(price(offer)),
            ...figures.map((key) => figureCell(key, offer)),
            textCell(offer.location === undefined ? undefined : placeText(offer.location)),
            pinCell(offer.id, name, isPinned(offer.id), localize),
          ],
        };
      }),
    },
  };
}

function pinCell(id: number, name: string, isPinned: boolean, localize: Localize): Cell {
  return isPinned
    ? {
        text: localize(text('Unpin')),
        button: { id: `unpin:${id}`, name: localize(text('Unpin {0}, offer {1}', name, id)) },
      }
    : {
        text: localize(text('Pin')),
        button: { id: `pin:${id}`, name: localize(text('Pin {0}, offer {1}', name, id)) },
      };
}

function figureCell(key: NumberKey, offer: Offer): Cell {
  const value = numberField(key).of?.(offer);
  return { ...textCell(fieldValueText(key, offer)), ...(value === undefined ? {} : { sort: value }) };
}
