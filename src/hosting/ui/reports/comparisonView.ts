import { formatMoney, type Micros } from '../../../model/money';
import { compareOffers } from '../../../model/offers/comparison';
import { machineName } from '../../../model/rentals/rentFacts';
import type { OfferPin } from '../../../store/offers/offerPins';
import { plainLabel } from '../../../util/plainLabel';
import { text, type Text } from '../../../util/text';
import type { ComparisonView } from '../../../webview/report/protocol';

/** The result of checking a pinned offer on the market. */
export type PinStatus =
  | { readonly kind: 'asPinned' }
  | { readonly kind: 'dearer' | 'cheaper'; readonly before: Micros; readonly after: Micros }
  | { readonly kind: 'gone' | 'unread' };

export interface PinView {
  readonly pin: OfferPin;
  readonly status: PinStatus;
  readonly readAt: number;
  /** "failed before on …" */
  readonly failure?: string | undefined;
}

/** Translates a `Text`; a parameter, so that the view is built without an editor. */
export type LocalizeText = (value: Text | string) => string;

type Column = ComparisonView['columns'][number];
type Note = Column['notes'][number];

/** Cleans an untrusted name: control characters and direction marks are removed, and the length is limited. */
function printable(value: string): string {
  const clean = plainLabel(value);
  return clean.length > 200 ? `${clean.slice(0, 199)}…` : clean;
}

export function comparisonView(pins: readonly PinView[], localize: LocalizeText): ComparisonView {
  const groups = compareOffers(
    pins.map(({ pin: { offer, origin }, status, readAt }) => ({
      offer,
      readAt,
      isGone: status.kind === 'gone',
      rentalType: origin.query.rentalType,
      diskGb: origin.query.diskGb,
    })),
  );
  return {
    caption: localize(text('Pinned offers, one per column; the best value in a row is marked "best"')),
    corner: localize(text('Offer')),
    best: localize(text('best')),
    columns: pins.map((one) => columnOf(one, localize)),
    groups: groups.map(({ label, rows }) => ({
      label: localize(label),
      rows: rows.map((row) => ({
        label: localize(row.label),
        cells: row.cells.map((cell) => ({ text: printable(localize(cell.text)), best: cell.isBest })),
      })),
    })),
  };
}

function columnOf({ pin: { offer }, status, failure }: PinView, localize: LocalizeText): Column {
  const label = printable(machineName(offer));
  const rent = {
    id: `rent:${offer.id}`,
    label: localize(text('Rent')),
    name: localize(text('Rent {0}, offer {1}', label, offer.id)),
    primary: true,
  };
  const unpin = {
    id: `unpin:${offer.id}`,
    label: localize(text('Unpin')),
    name: localize(text('Unpin {0}, offer {1}', label, offer.id)),
    primary: false,
  };
  return {
    id: String(offer.id),
    label,
    notes: [
      ...statusNotes(status, localize),
      ...(failure === undefined ? [] : [{ severity: 'warning' as const, text: printable(failure) }]),
    ],
    buttons: status.kind === 'gone' ? [unpin] : [rent, unpin],
  };
}

function statusNotes(status: PinStatus, localize: LocalizeText): Note[] {
  switch (status.kind) {
    case 'asPinned':
      return [];
    case 'gone':
      return [{ severity: 'error', text: localize(text('Gone: it is no longer on the market.')) }];
    case 'unread':
      return [
        {
          severity: 'warning',
          text: localize(
            text('Could not read this offer again, so it may be gone. Its earlier figures are shown.'),
          ),
        },
      ];
    case 'dearer':
    case 'cheaper': {
      const change = text('{0}/h before, {1}/h now', formatMoney(status.before), formatMoney(status.after));
      return [
        status.kind === 'dearer'
          ? { severity: 'warning', text: localize(text('More expensive: {0}', change)) }
          : { severity: 'info', text: localize(text('Cheaper: {0}', change)) },
      ];
    }
  }
}
