import type { Client } from '../../api/client';
import { GoneError, NotFoundError } from '../../api/errors';
import { runCommand } from '../../editor/commands';
import { localize, reasonOf, t } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';
import { zero } from '../../model/money';
import type { Offer } from '../../model/offers/offer';
import { perHour, type Rate } from '../../model/quote';
import { rentalQuery, requestOf } from '../../model/rentals/rentDraft';
import { machineName } from '../../model/rentals/rentFacts';
import type { RentFlow } from '../../model/rentals/rentFlow';
import { defaultBid } from '../../model/rentals/rentPlan';
import type { OrderedRentals } from '../../model/rentals/rentalOrder';
import { templateName } from '../../model/templates/templateName';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { accountStill } from '../../store/accounts/sameAccount';
import { OverBudgetError } from '../../store/budget/overBudget';
import { AgreementTooOldError, newMarker } from '../../store/rentals/beforeRental';
import { isOfferGone } from '../../store/rentals/rentalOutcome';
import type { RentOptions, RentResult, Rental } from '../../store/rentals/rentalStore';
import { findTemplate } from '../../store/templates/findTemplate';
import { isCancelled } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { findCopy, isListed, nextOffer, recheckOffer } from './recheck';
import { again, changedOffer, nothingRentable, type NotRented } from './resultText';
import { volumeChange } from './volumeChange';

export type RentingDeps = Pick<Services, 'accounts' | 'clock' | 'rentals' | 'report'> & {
  readonly account: Account;
};

/** The result of a confirmed rental. */
export type RentingEnd =
  | {
      readonly kind: 'rented';
      readonly results: readonly RentResult[];
      /** The number of requested machines. */
      readonly wanted: number;
      /** Why further machines were not asked for. */
      readonly whyNotAll?: string | undefined;
      /** The user saw that the answer was lost, so the outcome must be reported. */
      readonly answerWasLost: boolean;
    }
  | NotRented;

type Attempt = { readonly kind: 'sent'; readonly result: RentResult } | NotRented;

/** What the user confirmed. */
export interface ConfirmedRental {
  /** The price of one machine, without volumes. */
  readonly rate: Rate | undefined;
  /** True if the confirmation named the excess over the budget. */
  readonly acceptsOverrun: boolean;
}

/** Rents, after storing what must be on disk before the request leaves. */
type RentNoted = (
  rent: (noted: Pick<RentOptions, 'marker' | 'beforeSent'>) => Promise<RentResult>,
) => Promise<RentResult>;

/** What one confirmation covers. */
interface Order {
  /** The confirmed price of one machine. */
  readonly confirmed: Rate | undefined;
  readonly acceptsOverrun: boolean;
  /** The number of requested machines. */
  readonly wanted: number;
  /** Informs the next window that several were wanted, if this one closes early; jobs do that by themselves. */
  readonly several?: Rental['order'];
  readonly signal: AbortSignal;
  readonly report: (message: string) => void;
}

/** The steps from the confirmation to the machines: SSH key, offer, rental. */
export class Renting {
  private answerWasLost = false;
  /** When the user confirmed what is being rented (ms since 1970). */
  private agreedAt = 0;
  private diskGb: number;
  private readonly search: Client['offers']['search'];

  constructor(
    private readonly flow: RentFlow,
    private readonly deps: RentingDeps,
  ) {
    this.diskGb = flow.query.diskGb;
    const { offers } = deps.account.client;
    this.search = (wanted, options) => offers.search(wanted, options);
  }

  /** The disk size in GB that the price of the offer includes. */
  get searchedDiskGb(): number {
    return this.diskGb;
  }

  /** Rents what the user chose, for no more than the confirmed price per machine. */
  async rent({ rate: confirmed, acceptsOverrun }: ConfirmedRental): Promise<RentingEnd> {
    const { accounts, account, clock } = this.deps;
    this.agreedAt = clock.now();
    try {
      // The keys are those of the active account, before and after the question for one.
      accountStill(accounts, account.key);
      if (!(await ensureSshKey())) {
        return again(t('Could not verify that you will be able to log in.'));
      }
      accountStill(accounts, account.key);
    } catch (error) {
      this.deps.report.error(error);
      return again(reasonOf(error) ?? t('See the log for details.'));
    }
    return withCancellableProgress(t('Renting'), (signal, report) =>
      this.rentCopies({ confirmed, acceptsOverrun, wanted: this.flow.choices.count ?? 1, signal, report }),
    );
  }

  private async rentCopies(order: Order): Promise<RentingEnd> {
    const change = await this.templateChange(order);
    if (change) {
      return change;
    }
    const { wanted } = order;
    const { draft, offer } = this.flow;
    const perMachine = order.confirmed && perHour(order.confirmed);
    const ordered = draft.order?.begin(
      { name: machineName(offer), perHour: perMachine, gpuCount: offer.gpuCount },
      wanted,
    );
    const several = wanted > 1 && !ordered ? { id: newMarker(), wanted } : undefined;
    try {
      return await this.rentEach({ ...order, ...(several && { several }) }, ordered);
    } finally {
      await ordered?.settle();
      if (several) {
        await this.deps.rentals.orders.end(several.id);
      }
    }
  }

  private async rentEach(order: Order, ordered: OrderedRentals | undefined): Promise<RentingEnd> {
    const { wanted } = order;
    const results: RentResult[] = [];
    const used = new Set<number>();
    let whyNotAll: string | undefined;
    for (let copy = 1; copy <= wanted; copy += 1) {
      const whyNot = await ordered?.whyNotWanted(copy - 1);
      if (whyNot !== undefined) {
        whyNotAll = whyNot;
        continue;
      }
      if (wanted > 1) {
        order.report(t('machine {0} of {1}', copy, wanted));
      }
      const attempt =
        (copy > 1 ? await this.nextCopy(order, used) : undefined) ??
        (await this.rentOne(order, (rent) => rentAsOrdered(ordered, copy - 1, rent)));
      if (attempt.kind === 'sent') {
        results.push(attempt.result);
        used.add(this.flow.offer.id);
        continue;
      }
      if (results.length === 0) {
        return attempt;
      }
      const { aborted } = order.signal;
      // The order may have been given up while the offer was checked.
      const stopped = aborted ? undefined : await ordered?.whyNotWanted(copy - 1);
      whyNotAll = aborted
        ? t('You canceled before the others were rented.')
        : (stopped ?? attempt.notice.reason);
      if (stopped === undefined) {
        break;
      }
    }
    return { kind: 'rented', results, wanted, whyNotAll, answerWasLost: this.answerWasLost };
  }

  /** Returns a notice if the template is not the one that was confirmed: it is shown again or must be chosen again. */
  private async templateChange({ signal, report }: Order): Promise<NotRented | undefined> {
    const { source } = this.flow.choices;
    if (source.kind !== 'template') {
      return undefined;
    }
    const { id, hashId } = source.template;
    const name = templateName(source.template);
    report(t('checking the template…'));
    try {
      const template = await findTemplate(this.deps.account.client, { templateId: id }, { signal });
      if (!template) {
        return again(
          t('The template {0} was deleted or made private by its owner.', name),
          t('Go back and choose another one.'),
        );
      }
      if (template.hashId === hashId) {
        return undefined;
      }
      this.flow.set({ source: { kind: 'template', template } });
      return again(
        t('The template {0} was edited after it was chosen.', name),
        t('Press Enter to rent from its current version, shown below.'),
      );
    } catch (error) {
      if (!(error instanceof GoneError || error instanceof NotFoundError)) {
        return this.failed(error, signal);
      }
      // The failure is about the template, not about the offer.
      return again(t('Could not check the template {0}.', name), localize(error.text));
    }
  }

  /** Finds another offer of the same GPU at no more than the confirmed price; returns why there is none. */
  private async nextCopy(
    { confirmed, signal }: Order,
    used: ReadonlySet<number>,
  ): Promise<NotRented | undefined> {
    try {
      signal.throwIfAborted();
      const next = await findCopy(this.search, { ...this.flow.draft, confirmed }, used, signal);
      if (!next) {
        return nothingRentable(t('There is no further offer of this GPU at this price.'));
      }
      this.flow.replaceOffer(next);
      return undefined;
    } catch (error) {
      if (!isCancelled(error)) {
        this.deps.report.error(error);
      }
      return again(t('Could not search for another offer.'));
    }
  }

  private async rentOne(order: Order, rent: RentNoted): Promise<Attempt> {
    const { flow } = this;
    const { confirmed, signal, report } = order;
    try {
      report(t('checking the offer…'));
      const check = await recheckOffer(this.search, { ...this.flow.draft, confirmed }, signal);
      this.diskGb = rentalQuery(flow.draft).diskGb;
      if (check.kind === 'gone') {
        return this.goOn(check.next);
      }
      flow.replaceOffer(check.offer);
      if (check.kind !== 'asConfirmed') {
        return changedOffer(check);
      }
      const notice = await volumeChange(flow, this.deps.account.client, signal);
      if (notice) {
        return { kind: 'again', notice };
      }
      report(t('sending the rental…'));
      return { kind: 'sent', result: await this.send(order, rent) };
    } catch (error) {
      return this.failed(error, signal);
    }
  }

  private send(
    { confirmed, acceptsOverrun, several, signal, report }: Order,
    rent: RentNoted,
  ): Promise<RentResult> {
    return rent((noted) =>
      this.deps.rentals.rent(requestOf(this.flow.draft, confirmed), {
        ...noted,
        order: several,
        signal,
        acceptsOverrun,
        agreedAt: this.agreedAt,
        onWait: (waitMs) => {
          report(t('the service asks to wait {0} s…', Math.ceil(waitMs / 1000)));
        },
        onNotKnown: () => {
          this.answerWasLost = true;
          report(t('no answer; checking whether the machine was rented…'));
        },
      }),
    );
  }

  /** Handles a refusal: tries the next offer if this one is taken, otherwise shows the confirmation with the reason. */
  private async failed(error: unknown, signal: AbortSignal): Promise<NotRented> {
    if (isCancelled(error) || signal.aborted) {
      return again(t('You canceled before it was sent.'));
    }
    const input = { ...this.flow.draft, confirmed: undefined };
    if (await isOfferGone(error, () => isListed(this.search, input))) {
      return this.searchOn();
    }
    if (error instanceof OverBudgetError) {
      return again(localize(error.text));
    }
    if (error instanceof AgreementTooOldError) {
      return again(localize(error.text), t('Press Enter to rent at the price below.'));
    }
    this.deps.report.error(error);
    return again(reasonOf(error) ?? t('See the log for details.'));
  }

  /** Searches again. A failed search does not mean that no offer exists, so the confirmation stays. */
  private async searchOn(): Promise<NotRented> {
    try {
      return this.goOn(await nextOffer(this.search, this.flow.draft));
    } catch (error) {
      this.deps.report.error(error);
      return again(
        t('{0} is no longer available.', plainLabel(machineName(this.flow.offer))),
        t('Could not search for another offer. Press Enter to search again.'),
      );
    }
  }

  /** Shows the next best offer with its price for a new confirmation, because the confirmed one is gone. */
  private goOn(next: Offer | undefined): NotRented {
    const gone = plainLabel(machineName(this.flow.offer));
    if (!next) {
      return nothingRentable(t('{0} is gone, and no other offer matches your search.', gone));
    }
    const { volume, bidPerHour } = this.flow.choices;
    this.flow.replaceOffer(next);
    const limit = this.flow.draft.workspace?.maxBid;
    const bid = bidPerHour === undefined ? undefined : defaultBid(next, limit);
    if (bid !== undefined && bidPerHour !== undefined && bidPerHour < (next.minBidPerHour ?? zero)) {
      this.flow.set({ bidPerHour: bid });
    }
    return again(
      t('{0} is no longer available.', gone),
      volume !== undefined && this.flow.choices.volume === undefined
        ? t('This is the next best offer of your search, without the volume of the first one.')
        : t('This is the next best offer of your search.'),
    );
  }
}

/** Rents one of the machines, counted from 0, under the marker of its order. */
async function rentAsOrdered(
  ordered: OrderedRentals | undefined,
  copy: number,
  rent: Parameters<RentNoted>[0],
): Promise<RentResult> {
  if (!ordered) {
    return rent({});
  }
  const result = await rent({
    marker: ordered.markerOf(copy),
    beforeSent: ({ windowId }) => ordered.beforeSent(copy, windowId),
  });
  await ordered.sent(copy, result.kind);
  return result;
}

/** Returns true if the user will be able to log in, or wants to rent anyway. */
async function ensureSshKey(): Promise<boolean> {
  // A refusal or an error, which is reported there, is no consent to spend money.
  return (await runCommand('gpuRental.ensureSshKey')) === true;
}
