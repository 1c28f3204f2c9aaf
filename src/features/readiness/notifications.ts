import { showInstances } from '../../editor/chooseInstance';
import { commandAction, titledAction } from '../../editor/commands';
import { confirm, isPerson } from '../../editor/confirm';
import { failureSentence, keptSentence, troubleSentence } from '../../editor/failureText';
import { t } from '../../editor/localize';
import { message, type Action } from '../../editor/message';
import { pricePerDay, pricePerHour } from '../../editor/priceText';
import type { Instance } from '../../model/instances/instance';
import { stoppedCostPerDay } from '../../model/instances/instanceCost';
import { instanceName, withoutMarker } from '../../model/instances/instanceLabel';
import { costPerHour, hasBeenReady, hasShell } from '../../model/instances/instanceState';
import { formatMoney } from '../../model/money';
import { perHour, runningRateOf } from '../../model/quote';
import { accountFor } from '../../store/accounts/sameAccount';
import type { BrokenOff, Rental } from '../../store/rentals/rentalStore';
import type { FailedStart, ReadyEvent, StartEvent } from '../../store/rentals/startEvent';
import { assertNever } from '../../util/errors';
import type { ReadinessDeps } from './deps';
import { CheckMessages, isCheckFine, withKeptCheck } from './machineCheck';
import {
  announcePause,
  askedReason,
  isReplaceSet,
  lossQuestion,
  nextBestQuestion,
  overrunReason,
  replaceAloneOf,
  replaceAndReport,
  unasked,
} from './replacing';

/** A replacement that is overdue by more than this was due while no editor was open, so the user is asked (ms). */
const latePauseMs = 10 * 60_000;

/** Shows messages about machines; each event reaches only one window. */
export class ReadinessNotifications {
  readonly checks: CheckMessages;

  constructor(
    private readonly deps: ReadinessDeps,
    /** The user waits for the machine in another place, or already uses it. */
    private readonly isFollowed: (instanceId: number) => boolean,
  ) {
    this.checks = new CheckMessages(deps, (id, name, unfit) => this.replacing(id, name, true, unfit));
  }

  async show(happened: StartEvent): Promise<void> {
    const event = happened.kind === 'ready' ? await withKeptCheck(this.deps, happened) : happened;
    const { instanceId } = event;
    const name = this.name(instanceId);
    const isReady = event.kind === 'ready';
    // A problem of a running machine is reported even if the user waits for it in another place.
    const isFine = !isReady || isCheckFine(this.deps, instanceId, event.check);
    const isFollowed = isReady && this.isFollowed(instanceId);
    // The replacement of a failed start, if configured, is carried out in any case.
    if (isFine && (isFollowed || (event.kind !== 'failed' && this.isShownInWindow(event)))) {
      return;
    }
    switch (event.kind) {
      case 'ready':
        return this.ready(event, name);
      case 'failed':
        return this.failed(event, name);
      case 'trouble':
        this.trouble(instanceId, name, event.trouble);
        return;
      case 'tooDear':
        this.tooDear(event, name);
        return;
      case 'destroyedAgain':
        message(
          'warning',
          t(
            'The service listed {0} again after you destroyed it, so it was destroyed again. You may be charged for the time between.',
            event.name,
          ),
        );
        return;
      case 'notDestroyed':
        message(
          'error',
          t('{0} was destroyed, but the service lists it again. It costs money.', name),
          titledAction('gpuRental.instance.destroy', { instanceId }),
        );
        return;
      default:
        return assertNever(event);
    }
  }

  /** Reports a rental whose window closed before it was settled. */
  settled({ phase }: Rental): void {
    if (phase.kind === 'notRented') {
      message(
        'info',
        t('Checked the rental that had no answer: no instance with its label exists, so nothing was rented.'),
        titledAction('gpuRental.searchOffers'),
      );
      return;
    }
    const id = 'instanceId' in phase ? phase.instanceId : undefined;
    message(
      'info',
      t('Found the rental that had no answer: instance #{0} exists and costs money.', id ?? '?'),
      showInstances(),
    );
  }

  private async ready({ instanceId, check, isLate }: ReadyEvent, name: string): Promise<void> {
    const instance = this.deps.fleet.find(instanceId);
    if (isLate) {
      await this.readyLate(instance, name, check);
    } else if (check) {
      await this.checks.show(instanceId, name, check);
    } else if (instance && !hasShell(instance)) {
      const sentence = t('{0} is running. It has no SSH, as its run type is args.', name);
      message('info', sentence, titledAction('gpuRental.instance.showLogs', { instanceId }));
    } else {
      message('info', t('{0} is ready.', name), titledAction('gpuRental.instance.connect', { instanceId }));
    }
  }

  /** Reports a machine that runs although its start was reported as failed, so the user may not expect its cost. */
  private async readyLate(
    instance: Instance | undefined,
    name: string,
    check: ReadyEvent['check'],
  ): Promise<void> {
    const rate = instance && runningRateOf(instance);
    const price = pricePerHour(rate && perHour(rate));
    message(
      'warning',
      t('{0} is running after all and costs {1}.', name, price),
      instance && titledAction('gpuRental.instance.connect', { instanceId: instance.id }),
      instance && titledAction('gpuRental.instance.destroy', { instanceId: instance.id }),
    );
    if (instance && check && !isCheckFine(this.deps, instance.id, check)) {
      await this.checks.show(instance.id, name, check);
    }
  }

  private async failed(event: FailedStart, name: string): Promise<void> {
    const { instanceId } = event;
    const sentence = failureSentence(name, event.reason, event.message);
    const alone = await replaceAloneOf(this.deps, event);
    const overrun = alone?.kind === 'after' ? await overrunReason(this.deps) : undefined;
    if (alone?.kind === 'after' && overrun === undefined) {
      if (alone.pauseMs > 0) {
        return announcePause(this.deps, event, name, alone.pauseMs, () => {
          this.askWhatNext(event, name, undefined);
        });
      }
      message(
        'warning',
        t('{0} As configured, it is destroyed and the next best offer is rented.', sentence),
      );
      return replaceAndReport(this.deps, instanceId, name, unasked);
    }
    if (this.isShownInWindow(event)) {
      return;
    }
    this.askWhatNext(event, name, overrun ?? askedReason(alone?.kind));
  }

  /** Replaces a machine whose pause is over; asks if no editor was open when it was due, or the setting has changed. */
  async afterPause({ phase, replaceAt = 0 }: Rental, markedSince: number): Promise<void> {
    if (phase.kind !== 'failed') {
      return;
    }
    const { instanceId, reason, hadData = true } = phase;
    const name = this.name(instanceId);
    const overrun = await overrunReason(this.deps);
    const { fleet, clock } = this.deps;
    if (fleet.facts(instanceId).lastRequest?.kind === 'destroy' || fleet.hasEnded(instanceId)) {
      // It was destroyed since, here or elsewhere, and none is wanted in its place. A start under a destroy does not fail.
      return;
    }
    if (isReplaceSet(this.deps) && clock.now() - replaceAt < latePauseMs && overrun === undefined) {
      return replaceAndReport(this.deps, instanceId, name, { ...unasked, markedSince });
    }
    const words = phase.message === undefined ? {} : { message: phase.message };
    this.askWhatNext({ kind: 'failed', instanceId, reason, hadData, ...words }, name, overrun);
  }

  /** Reports a replacement that its closing window left unfinished. */
  brokenOff({ rental, instanceId, isDestroyed }: BrokenOff): void {
    const name = this.deps.fleet.find(instanceId) ? this.name(instanceId) : nameOfRental(rental, instanceId);
    const asked = accountFor(this.deps.accounts);
    const goOn = async () => {
      asked();
      if (await isPerson(nextBestQuestion(name, rental.priceLimit))) {
        asked();
        await replaceAndReport(this.deps, instanceId, name, { dataLossAccepted: false });
      }
    };
    if (isDestroyed) {
      message(
        'warning',
        t('{0} is destroyed, but the window closed before a replacement was rented.', name),
        { label: t('Rent Next Best'), run: goOn },
        titledAction('gpuRental.searchOffers'),
      );
      return;
    }
    const hadData = rental.phase.kind !== 'failed' || (rental.phase.hadData ?? true);
    message(
      'warning',
      t('{0} was not replaced, because the window closed first. {1}', name, this.diskCost(instanceId)),
      this.replaceAction(instanceId, name, hadData),
      titledAction('gpuRental.instance.destroy', { instanceId }),
    );
  }

  private replaceAction(instanceId: number, name: string, hadData: boolean): Action {
    return { label: t('Destroy and Rent Next Best'), run: this.replacing(instanceId, name, hadData) };
  }

  private askWhatNext(event: FailedStart, name: string, reason: string | undefined): void {
    const { instanceId, hadData } = event;
    const sentence = failureSentence(name, event.reason, event.message);
    const canReplace = this.deps.rentals.find(instanceId)?.search !== undefined;
    const sentences = [sentence, reason, this.diskCost(instanceId)].filter((part) => part !== undefined);
    message(
      'error',
      sentences.join(' '),
      canReplace && this.replaceAction(instanceId, name, hadData),
      titledAction('gpuRental.instance.destroy', { instanceId }),
      titledAction('gpuRental.instance.showLogs', { instanceId }),
    );
  }

  private tooDear(event: Extract<StartEvent, { kind: 'tooDear' }>, name: string): void {
    const prices = [name, formatMoney(event.pricePerHour), formatMoney(event.mostPerHour)] as const;
    const destroy = titledAction('gpuRental.instance.destroy', { instanceId: event.instanceId });
    switch (event.verdict) {
      case 'destroyed':
        message(
          'warning',
          t('{0} cost {1}/h, and you confirmed at most {2}/h. It was destroyed.', ...prices),
          titledAction('gpuRental.searchOffers'),
        );
        return;
      case 'notConfirmed':
        message(
          'error',
          t(
            '{0} costs {1}/h, and you confirmed at most {2}/h. Could not confirm that it is destroyed, so you may still be charged.',
            ...prices,
          ),
          destroy,
        );
        return;
      case 'kept':
        message(
          'error',
          t(
            '{0} costs {1}/h, and you confirmed at most {2}/h. It may have run before the service stated its price, so it was not destroyed.',
            ...prices,
          ),
          destroy,
        );
        return;
    }
  }

  /** Replaces a machine that has run before. */
  async replaceFailed(instanceId: number): Promise<void> {
    await this.replacing(instanceId, this.name(instanceId), true)();
  }

  private isShownInWindow(event: StartEvent): boolean {
    const { accounts, connectedWindows, ssh } = this.deps;
    return (
      isShownByWindow(event) &&
      accounts.active !== undefined &&
      connectedWindows.isOpen(ssh.aliasOf(accounts.active, event.instanceId))
    );
  }

  /**
   * Returns the action of a button, for the account that is active when the button is shown. It asks first if the machine
   * may hold data; otherwise the click was the consent.
   */
  private replacing(instanceId: number, name: string, hadData: boolean, unfit?: string): () => Promise<void> {
    const { accounts, fleet, rentals } = this.deps;
    const asked = accountFor(accounts);
    return async () => {
      asked();
      const priceLimit = rentals.find(instanceId)?.priceLimit;
      const instance = fleet.find(instanceId);
      const isKnown = instance !== undefined && hasBeenReady(instance, fleet.facts(instanceId));
      // An instance that was not rented here is refused below, before any question or loss.
      const isAgreed =
        priceLimit === undefined ||
        (hadData
          ? await confirm(lossQuestion(name, priceLimit, isKnown))
          : await isPerson(nextBestQuestion(name, priceLimit)));
      if (!isAgreed) {
        return;
      }
      asked();
      const why = unfit === undefined ? {} : { unfit };
      await replaceAndReport(this.deps, instanceId, name, { dataLossAccepted: hadData, ...why });
    };
  }

  private trouble(instanceId: number, name: string, trouble: Parameters<typeof troubleSentence>[1]): void {
    const endsAtMs = (this.deps.fleet.find(instanceId)?.endsAt ?? 0) * 1000;
    const now = this.deps.clock.now();
    const full = this.fullPrice(instanceId);
    const sentence =
      full === undefined
        ? troubleSentence(name, trouble, this.diskPrice(instanceId))
        : t('{0} reports a problem, but its contract is running and still costs {1}.', name, full);
    const canReplace = this.deps.rentals.find(instanceId)?.search !== undefined;
    message(
      'warning',
      trouble === 'outbid' && endsAtMs > now ? `${sentence} ${keptSentence(endsAtMs, now)}` : sentence,
      trouble === 'outbid' && titledAction('gpuRental.instance.changeBid', { instanceId }),
      trouble === 'outbid' && titledAction('gpuRental.instance.move', { instanceId }),
      trouble === 'outbid' && titledAction('gpuRental.instance.download', { instanceId }),
      trouble === 'outbid' && commandAction(t('Stop Waiting'), 'gpuRental.instance.stop', { instanceId }),
      canReplace &&
        trouble !== 'outbid' && { label: t('Replace'), run: this.replacing(instanceId, name, true) },
      titledAction('gpuRental.instance.destroy', { instanceId }),
    );
  }

  private diskPrice(instanceId: number): string {
    const instance = this.deps.fleet.find(instanceId);
    return pricePerDay(instance && stoppedCostPerDay(instance));
  }

  /**
   * Returns the price of a machine whose contract runs, for any report of the machine; `undefined` for all others.
   */
  private fullPrice(instanceId: number): string | undefined {
    const instance = this.deps.fleet.find(instanceId);
    const cost = instance?.currentState === 'running' ? costPerHour(instance, 'running') : undefined;
    return cost === undefined ? undefined : pricePerHour(cost);
  }

  private diskCost(instanceId: number): string {
    const full = this.fullPrice(instanceId);
    if (full !== undefined) {
      return t('Until it is destroyed, it costs {0}.', full);
    }
    return t('Until it is destroyed, storage costs {0}.', this.diskPrice(instanceId));
  }

  private name(instanceId: number): string {
    const instance = this.deps.fleet.find(instanceId);
    return instance ? instanceName(instance) : `#${instanceId}`;
  }
}

/** Returns the name of a rental whose instance no list contains any more. */
function nameOfRental({ config }: Rental, instanceId: number): string {
  const label = withoutMarker(config.label ?? '');
  return label === '' ? `#${instanceId}` : label;
}

/**
 * Returns whether a window that is connected to the machine reports the event itself, so that no other window does. It
 * can't detect a start that takes too long.
 */
export function isShownByWindow(event: StartEvent): boolean {
  switch (event.kind) {
    case 'ready':
    case 'trouble':
      return true;
    case 'failed':
      return event.reason !== 'timedOut';
    case 'tooDear':
    case 'destroyedAgain':
    case 'notDestroyed':
      return false;
  }
}
