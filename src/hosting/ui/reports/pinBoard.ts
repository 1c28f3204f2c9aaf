import type { Client } from '../../../api/client';
import { localize, t } from '../../../editor/localize';
import type { OfferSearch } from '../../../model/offers/filters';
import { runningRateOfOffer } from '../../../model/offers/localFilter';
import { toOfferSearch } from '../../../model/offers/marketQuery';
import type { Offer } from '../../../model/offers/offer';
import { perHour } from '../../../model/quote';
import type { Services } from '../../../services';
import type { OfferPin } from '../../../store/offers/offerPins';
import { durationText } from '../../../util/duration';
import type { ComparisonView } from '../../../webview/report/protocol';
import { comparisonView, type PinStatus } from './comparisonView';

/** Facts about a pinned offer besides its figures. */
interface Known {
  readonly status: PinStatus;
  readonly readAt: number;
}

type SearchOffers = Client['offers']['search'];

/** The pinned offers side by side, and what became of them on the market. */
export class PinBoard {
  private readonly known = new Map<number, Known>();
  private failures: ReadonlyMap<number, string> = new Map();

  constructor(private readonly deps: Pick<Services, 'offerPins' | 'failedMachines' | 'clock'>) {}

  /** The columns; undefined if no offer is pinned. */
  get comparison(): ComparisonView | undefined {
    const { pins } = this.deps.offerPins;
    this.forgetAllBut(pins);
    const views = pins.map((pin) => ({
      pin,
      failure: this.failures.get(pin.offer.machineId ?? -1),
      ...(this.known.get(pin.offer.id) ?? {
        status: { kind: 'asPinned' as const },
        readAt: this.deps.clock.now(),
      }),
    }));
    return views.length === 0 ? undefined : comparisonView(views, localize);
  }

  /** Reads the pinned offers again. */
  async recheck(search: SearchOffers, signal: AbortSignal): Promise<void> {
    const { offerPins, clock } = this.deps;
    const { pins } = offerPins;
    if (pins.length === 0) {
      return;
    }
    const failures = await this.readFailures();
    const now = await recheckPins(search, pins, signal);
    signal.throwIfAborted();
    this.failures = failures;
    for (const pin of pins) {
      const { id } = pin.offer;
      const status = statusOf(pin, now.get(id));
      const before = status.kind === 'unread' ? this.known.get(id) : undefined;
      this.known.set(id, { status, readAt: before?.readAt ?? clock.now() });
    }
    offerPins.update([...now.values()].filter((one) => one !== 'unread'));
  }

  /** An offer that is pinned again is as it is listed then. */
  private forgetAllBut(pins: readonly OfferPin[]): void {
    const ids = new Set(pins.map(({ offer }) => offer.id));
    for (const id of this.known.keys()) {
      if (!ids.has(id)) {
        this.known.delete(id);
      }
    }
  }

  private async readFailures(): Promise<ReadonlyMap<number, string>> {
    const machines = await this.deps.failedMachines.list().catch(() => []);
    return new Map(
      machines.map(({ machineId, at, reason }) => {
        const ago = localize(durationText(this.deps.clock.now() - at));
        return [
          machineId,
          reason === ''
            ? t('This machine failed {0} ago.', ago)
            : t('This machine failed {0} ago: {1}', ago, reason),
        ];
      }),
    );
  }
}

function statusOf({ first, origin }: OfferPin, now: Offer | 'unread' | undefined): PinStatus {
  if (!now || now === 'unread') {
    return { kind: now ?? 'gone' };
  }
  const before = runningRateOfOffer(first, origin.query);
  const after = runningRateOfOffer(now, origin.query);
  if (before === undefined || after === undefined || perHour(before) === perHour(after)) {
    return { kind: 'asPinned' };
  }
  return {
    kind: after > before ? 'dearer' : 'cheaper',
    before: perHour(before),
    after: perHour(after),
  };
}

/**
 * Returns the current state of pinned offers by id; missing ones are gone, and `unread` ones may be a record that could
 * not be read. Offers with the same terms share one search. The filter by id is not documented, so an offer that it does
 * not find is searched by its machine before it counts as gone.
 */
export async function recheckPins(
  search: Client['offers']['search'],
  pins: readonly OfferPin[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, Offer | 'unread'>> {
  const found = new Map<number, Offer | 'unread'>();
  const seen = new Set<number>();
  const searchAgain = async (pin: OfferPin, filters: OfferSearch['filters']) => {
    const { items, skipped } = await search({ ...toOfferSearch(pin.origin.query), filters }, { signal });
    for (const offer of items) {
      seen.add(offer.id);
      if (offer.rentable !== false) {
        found.set(offer.id, offer);
      }
    }
    return skipped;
  };
  for (const group of sameTerms(pins)) {
    let skipped = await searchAgain(group[0], { id: { in: group.map(({ offer }) => offer.id) } });
    const machines = group
      .filter(({ offer }) => !found.has(offer.id))
      .map(({ offer }) => offer.machineId)
      .filter((id) => id !== undefined);
    if (machines.length > 0) {
      skipped += await searchAgain(group[0], { machine_id: { in: [...new Set(machines)] } });
    }
    if (skipped > 0) {
      group.filter(({ offer }) => !seen.has(offer.id)).forEach(({ offer }) => found.set(offer.id, 'unread'));
    }
  }
  return found;
}

/** Groups pins whose prices are comparable: prices depend on the rental type and the requested disk. */
function sameTerms(pins: readonly OfferPin[]): readonly (readonly [OfferPin, ...OfferPin[]])[] {
  const groups = new Map<string, [OfferPin, ...OfferPin[]]>();
  for (const pin of pins) {
    const key = `${pin.origin.query.rentalType} ${pin.origin.query.diskGb}`;
    const group = groups.get(key);
    if (group) {
      group.push(pin);
    } else {
      groups.set(key, [pin]);
    }
  }
  return [...groups.values()];
}
