import * as vscode from 'vscode';
import type { Client } from '../../api/client';
import { runCommand } from '../../editor/commands';
import { localize, reasonOf, t } from '../../editor/localize';
import { stepLabel } from '../../editor/report';
import { ReportPanel } from '../../editor/reportPanel';
import type { OfferSearch } from '../../model/offers/filters';
import { runningRateOfOffer } from '../../model/offers/localFilter';
import { toOfferSearch } from '../../model/offers/marketQuery';
import type { Offer } from '../../model/offers/offer';
import { perHour } from '../../model/quote';
import type { Services } from '../../services';
import type { OfferPin } from '../../store/offers/offerPins';
import { durationText } from '../../util/duration';
import { isCancelled } from '../../util/errors';
import type { FromPage, ReportView } from '../../webview/report/protocol';
import { comparisonView, type PinStatus, type PinView } from './comparisonView';

export type CompareDeps = Pick<
  Services,
  'extensionUri' | 'log' | 'accounts' | 'offerPins' | 'failedMachines' | 'searchBudget' | 'clock'
>;

/** Facts about a pinned offer besides its figures. */
interface Known {
  readonly status: PinStatus;
  readonly readAt: number;
}

/** The panel that compares pinned offers side by side; it does not rent. */
export class ComparePanel implements vscode.Disposable {
  private panel: ReportPanel | undefined;
  private readonly known = new Map<number, Known>();
  private failures: ReadonlyMap<number, string> = new Map();
  private error: unknown;
  private reading: AbortController | undefined;
  private isWaiting = false;
  private readonly listening: vscode.Disposable;

  constructor(private readonly deps: CompareDeps) {
    this.listening = vscode.Disposable.from(
      deps.offerPins.onDidChange((pins) => {
        this.forgetAllBut(pins);
        this.draw();
      }),
    );
  }

  /** Opens or shows the panel; reads the offers again if they are not fresh. */
  open(): void {
    if (this.panel) {
      this.panel.reveal();
    } else {
      this.panel = new ReportPanel(
        {
          id: 'compare',
          title: t('Compare Offers'),
          extensionUri: this.deps.extensionUri,
          log: this.deps.log,
          onMessage: (message) => {
            this.receive(message);
          },
        },
        () => {
          this.panel = undefined;
          this.reading?.abort();
        },
      );
    }
    void this.refresh();
  }

  /** Closes the panel, because another account must not see it. */
  close(): void {
    this.panel?.dispose();
    this.known.clear();
    this.error = undefined;
  }

  dispose(): void {
    this.listening.dispose();
    this.panel?.dispose();
  }

  private receive(message: Exclude<FromPage, { type: 'ready' }>): void {
    const [, action, id] = /^(rent|unpin):(\d+)$/.exec(message.type === 'button' ? message.id : '') ?? [];
    if (action === 'rent') {
      const pin = this.deps.offerPins.find(Number(id));
      if (pin) {
        void runCommand('gpuRental.searchFor', { ...pin.origin, offer: pin.offer });
      }
    } else if (action === 'unpin') {
      this.deps.offerPins.unpin(Number(id));
    } else if (message.type === 'button' && message.id === 'refresh') {
      void this.refresh();
    } else if (message.type === 'button' && message.id === 'search') {
      void runCommand('gpuRental.searchOffers');
    }
  }

  /** Reads the offers. Never rejects: an error is part of the page, beside the earlier figures. */
  private async refresh(): Promise<void> {
    const { offerPins, accounts, clock } = this.deps;
    const account = accounts.active;
    const { pins } = offerPins;
    this.reading?.abort();
    if (!account || pins.length === 0) {
      this.reading = undefined;
      this.draw();
      return;
    }
    const own = new AbortController();
    this.reading = own;
    this.error = undefined;
    this.isWaiting = false;
    this.draw();
    try {
      await this.readFailures(own);
      const now = await recheckPins(
        async (search, options) => {
          await this.turn(own);
          return account.client.offers.search(search, options);
        },
        pins,
        own.signal,
      );
      if (this.reading === own) {
        this.apply(pins, now, clock.now());
      }
    } catch (error) {
      if (this.reading === own && !isCancelled(error)) {
        this.error = error;
        this.deps.log.warn(`The pinned offers could not be read again: ${String(error)}`);
      }
    }
    if (this.reading === own) {
      this.reading = undefined;
      this.draw();
    }
  }

  /** Waits until the limit allows a search, and shows that on the page. */
  private async turn({ signal }: AbortController): Promise<void> {
    const wait = (isWaiting: boolean) => {
      this.isWaiting = isWaiting;
      this.draw();
    };
    await this.deps.searchBudget.turn(signal, () => wait(true));
    if (this.isWaiting) {
      wait(false);
    }
  }

  private apply(
    pins: readonly OfferPin[],
    now: Awaited<ReturnType<typeof recheckPins>>,
    readAt: number,
  ): void {
    for (const pin of pins) {
      const { id } = pin.offer;
      const status = statusOf(pin, now.get(id));
      const before = status.kind === 'unread' ? this.known.get(id) : undefined;
      this.known.set(id, { status, readAt: before?.readAt ?? readAt });
    }
    this.deps.offerPins.update([...now.values()].filter((one) => one !== 'unread'));
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

  private async readFailures(own: AbortController): Promise<void> {
    const machines = await this.deps.failedMachines.list().catch(() => []);
    if (this.reading !== own) {
      return;
    }
    this.failures = new Map(
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

  private draw(): void {
    const { pins } = this.deps.offerPins;
    const views = pins.map((pin): PinView => {
      const { status, readAt } = this.known.get(pin.offer.id) ?? {
        status: { kind: 'asPinned' },
        readAt: this.deps.clock.now(),
      };
      const failure = this.failures.get(pin.offer.machineId ?? -1);
      return { pin, status, readAt, failure };
    });
    this.panel?.show({
      title: t('Compare Offers'),
      subtitle: t('“Rent…” opens the steps of a rental. Nothing is rented until you confirm it there.'),
      busy: this.reading !== undefined,
      notices: [...this.errorNotice(), ...fewNotice(pins.length)],
      filters: [],
      buttons: [
        { id: 'refresh', label: t('Refresh') },
        { id: 'search', label: t('Search Offers…') },
      ],
      tiles: [],
      sections: [],
      ...(pins.length === 0 ? {} : { comparison: comparisonView(views, localize) }),
      words: {
        loading: this.isWaiting
          ? t('The service allows only a few searches per minute. Waiting…')
          : t('Checking whether the offers are still available…'),
        showTable: '',
        savePicture: '',
        median: '',
        sortHint: '',
      },
    });
  }

  private errorNotice(): ReportView['notices'] {
    if (this.error === undefined) {
      return [];
    }
    const why = reasonOf(this.error) ?? t('Something unexpected happened. See the log for details.');
    return [
      {
        severity: 'error',
        text: t('{0} Could not check whether the offers are still available.', why),
        buttons: [{ id: 'refresh', label: stepLabel('retry') ?? '' }],
      },
    ];
  }
}

function fewNotice(pinned: number): ReportView['notices'] {
  const message =
    pinned === 0
      ? t('No offer is pinned. Pin two to four in the list of offers to compare them here.')
      : pinned === 1
        ? t('Pin another offer in the list of offers to compare it with this one.')
        : undefined;
  return message === undefined
    ? []
    : [
        {
          severity: 'info',
          text: message,
          buttons: [{ id: 'search', label: t('Search Offers…') }],
        },
      ];
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
