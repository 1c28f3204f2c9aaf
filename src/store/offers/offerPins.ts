import type { Offer } from '../../model/offers/offer';
import type { RentDraft } from '../../model/rentals/rentDraft';
import { Emitter } from '../../util/emitter';

export interface OfferPin {
  readonly offer: Offer;
  /** The offer when it was pinned. */
  readonly first: Offer;
  /** The search that found it; renting it later continues from there. */
  readonly origin: RentDraft;
}

export const mostPins = 4;

/** Offers pinned for comparison, as long as the window is open. */
export class OfferPins {
  private list: readonly OfferPin[] = [];
  private readonly changed = new Emitter<readonly OfferPin[]>();
  readonly onDidChange = this.changed.event;

  get pins(): readonly OfferPin[] {
    return this.list;
  }

  find(offerId: number): OfferPin | undefined {
    return this.list.find(({ offer }) => offer.id === offerId);
  }

  /** Pins an offer; returns false if there is no room. */
  pin(pin: Omit<OfferPin, 'first'>): boolean {
    if (this.find(pin.offer.id)) {
      return true;
    }
    if (this.list.length >= mostPins) {
      return false;
    }
    this.set([...this.list, { ...pin, first: pin.offer }]);
    return true;
  }

  unpin(offerId: number): void {
    this.set(this.list.filter(({ offer }) => offer.id !== offerId));
  }

  /** Updates offers that were read again; others stay unchanged. */
  update(offers: readonly Offer[]): void {
    const fresh = new Map(offers.map((offer) => [offer.id, offer]));
    this.set(this.list.map((pin) => ({ ...pin, offer: fresh.get(pin.offer.id) ?? pin.offer })));
  }

  clear(): void {
    if (this.list.length > 0) {
      this.set([]);
    }
  }

  private set(list: readonly OfferPin[]): void {
    this.list = list;
    this.changed.fire(list);
  }
}
