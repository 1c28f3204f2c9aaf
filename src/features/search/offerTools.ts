import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { copyLink } from '../../editor/copyLink';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import type { QuickInput } from '../../editor/quickInput';
import type { LevelButton, LevelRow } from '../../editor/quickLevels';
import { dayText } from '../../editor/timeText';
import { labelOf } from '../../editor/titles';
import { rentalFit } from '../../model/fit/rentalFit';
import type { Offer } from '../../model/offers/offer';
import type { RentDraft } from '../../model/rentals/rentDraft';
import { machineName } from '../../model/rentals/rentFacts';
import type { Services } from '../../services';
import { mostPins } from '../../store/offers/offerPins';
import type { FailedMachine } from '../../store/rentals/failedMachines';
import type { Event } from '../../util/emitter';
import { plainLabel } from '../../util/plainLabel';
import type { OfferSession } from './offerSession';

/** What the list can do with offers and searches besides choosing an offer. */
export interface ListTools {
  /** Fires when the rows change their look. */
  readonly onDidChange: Event<unknown>;
  /** Buttons at the end of an offer's row. */
  buttons(offer: Offer): readonly LevelButton[];
  /** Why a machine may not fit the chosen image or template. Undefined until one is chosen. */
  misfit(offer: Offer): string | undefined;
  /** The row "Compare 2 Pinned Offers" above the offers. */
  pinnedRow(picker: QuickInput): LevelRow | undefined;
  /** Opens the market page with the offers of the list. */
  showOnMarket(picker: QuickInput): void;
  /** Opens the watch for the current search. */
  watch(picker: QuickInput): void;
  manageWatches(picker: QuickInput): void;
  /** The number of watched searches. */
  readonly watched: number;
}

type Deps = Pick<Services, 'offerPins' | 'failedMachines' | 'searchWatches' | 'report'>;

export function listTools(deps: Deps, session: OfferSession, origin: RentDraft): ListTools {
  const { offerPins } = deps;
  const pin = (offer: Offer) =>
    offerPins.pin({ offer, origin: { ...origin, query: session.effectiveQuery } });
  const showOnMarket = (picker: QuickInput) => {
    const { rows: offers, readAt } = session.view;
    picker.close();
    void runCommand('gpuRental.showOnMarket', {
      draft: { ...origin, query: session.effectiveQuery },
      offers,
      readAt,
    });
  };
  return {
    onDidChange: offerPins.onDidChange,
    buttons: (offer) => {
      const failed = failureOf(session, offer);
      return [
        ...(failed ? [forgetButton(deps, session, failed)] : []),
        linkButton(offer),
        pinButton(deps, offer, pin),
      ];
    },
    misfit: (offer) => misfitOf(offer, origin.left?.choices ?? origin.choices),
    pinnedRow: (picker) => pinnedRow(deps, () => showOnMarket(picker)),
    showOnMarket,
    watch: (picker) => {
      picker.close();
      void runCommand('gpuRental.watchSearch', { query: session.effectiveQuery });
    },
    manageWatches: (picker) => {
      picker.close();
      void runCommand('gpuRental.manageWatches');
    },
    get watched() {
      return deps.searchWatches.rows.length;
    },
  };
}

function misfitOf(offer: Offer, choices: RentDraft['choices']): string | undefined {
  if (choices?.source === undefined) {
    return undefined;
  }
  const [misfit] = rentalFit({ offer, choices: { ...choices, source: choices.source } }).misfits;
  return misfit && plainLabel(localize(misfit.text));
}

/** Returns when and why the machine of an offer failed to get ready; undefined if it never did. */
export function failureOf(session: OfferSession, { machineId }: Offer): FailedMachine | undefined {
  return machineId === undefined ? undefined : session.failedMachines.get(machineId);
}

/** Returns, for example, "failed before on 12 Nov 2026: no space left on device". */
export function failedMachineText({ at, reason }: FailedMachine): string {
  const day = dayText(at) ?? t('an unknown day');
  const why = plainLabel(reason).slice(0, 80);
  return why === '' ? t('failed before on {0}', day) : t('failed before on {0}: {1}', day, why);
}

function forgetButton(
  { failedMachines, report }: Deps,
  session: OfferSession,
  { machineId }: FailedMachine,
): LevelButton {
  return {
    iconPath: new vscode.ThemeIcon('discard'),
    tooltip: t('Forget That This Machine Failed'),
    run: () => {
      failedMachines
        .forget(machineId)
        .then(() => failedMachines.list())
        .then(
          (machines) => {
            session.setFailedMachines(machines);
          },
          (error: unknown) => {
            report.error(error);
          },
        );
    },
  };
}

function linkButton({ id }: Offer): LevelButton {
  return {
    iconPath: new vscode.ThemeIcon('link'),
    tooltip: labelOf('gpuRental.instance.copyLink'),
    run: () => void copyLink({ kind: 'offer', id }),
  };
}

function pinButton({ offerPins }: Deps, offer: Offer, pin: (offer: Offer) => boolean): LevelButton {
  const isPinned = offerPins.find(offer.id) !== undefined;
  return {
    iconPath: new vscode.ThemeIcon(isPinned ? 'pinned' : 'pin'),
    tooltip: isPinned ? t('Unpin') : t('Pin to Compare'),
    run: () => {
      if (isPinned) {
        offerPins.unpin(offer.id);
      } else if (!pin(offer)) {
        message('info', t('You can pin at most {0} offers. Unpin one first.', mostPins));
      }
    },
  };
}

function pinnedRow({ offerPins }: Deps, run: () => void): LevelRow | undefined {
  const { length } = offerPins.pins;
  if (length === 0) {
    return undefined;
  }
  return {
    id: 'pinned',
    icon: 'pinned',
    label: length === 1 ? t('1 Pinned Offer') : t('Compare {0} Pinned Offers', length),
    description:
      length === 1
        ? t('pin another offer to compare')
        : offerPins.pins.map(({ offer }) => plainLabel(machineName(offer))).join(' · '),
    alwaysShow: true,
    run,
  };
}
