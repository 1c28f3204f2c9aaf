import { showInstances } from '../../editor/chooseInstance';
import { commandAction, titledAction } from '../../editor/commands';
import type { Question } from '../../editor/confirm';
import { confirmOverBudget } from '../../editor/confirmOverBudget';
import { failureSentence } from '../../editor/failureText';
import { localize, reasonOf, t } from '../../editor/localize';
import { message, suggest } from '../../editor/message';
import { withCancellableProgress } from '../../editor/progress';
import { stepAction } from '../../editor/report';
import { overrunText } from '../../model/budget/budgetText';
import { notConfirmedText } from '../../model/instances/destroyVerdict';
import { formatMoney, type Micros } from '../../model/money';
import { failureKind, replaceAlone, type ReplaceAlone } from '../../model/rentals/replaceAlone';
import type { Template } from '../../model/templates/template';
import { templateName } from '../../model/templates/templateName';
import { accountFor } from '../../store/accounts/sameAccount';
import { roomBeside } from '../../store/instances/burn';
import {
  replaceInstance,
  type ReplaceOptions,
  type ReplaceResult,
  type ReplaceStage,
} from '../../store/rentals/replacement';
import type { FailedStart, StartEvent } from '../../store/rentals/startEvent';
import { durationText } from '../../util/duration';
import { assertNever, isCancelled } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import type { ReadinessDeps } from './deps';

/** Replaces a failed machine with the next best offer and reports the result. */
export async function replaceAndReport(
  deps: ReadinessDeps,
  instanceId: number,
  name: string,
  {
    markedSince,
    ...accepted
  }: Pick<
    ReplaceOptions,
    'dataLossAccepted' | 'onlyIfThere' | 'acceptedTemplateHash' | 'acceptsOverrun' | 'unfit' | 'markedSince'
  >,
): Promise<void> {
  const asked = accountFor(deps.accounts);
  const result = await withCancellableProgress(t('Replacing {0}', name), (signal, report) =>
    replaceInstance(deps, instanceId, {
      signal,
      agreedAt: deps.clock.now(),
      markedSince,
      ...accepted,
      ...roomBeside(deps, deps.settings.get('gpuRental.rent.limitPerHour'), instanceId),
      onStage: (stage) => {
        report(stageText(stage));
      },
    }),
  );
  if (result.kind === 'destroyedOnly' && result.error !== undefined && !isCancelled(result.error)) {
    deps.log.error(`Nothing was rented in place of ${instanceId}`, result.error);
  }
  if (result.kind === 'templateChanged') {
    await reportTemplateChanged(result.template, instanceId, name, (acceptedTemplateHash) =>
      replaceAndReport(deps, instanceId, name, { ...accepted, acceptedTemplateHash }),
    );
  } else if (result.kind === 'overBudget') {
    const question = { message: t('Continue outside your budget?'), button: t('Continue Anyway') };
    asked();
    if (await confirmOverBudget(deps.budget, question)) {
      asked();
      await replaceAndReport(deps, instanceId, name, { ...accepted, acceptsOverrun: true });
    }
  } else {
    reportReplacement(result, instanceId, name);
  }
}

function stageText(stage: ReplaceStage): string {
  const texts: Record<ReplaceStage, string> = {
    searching: t('looking for the next best offer…'),
    savingLog: t('saving its log…'),
    destroying: t('destroying it and verifying…'),
    renting: t('renting the next one…'),
  };
  return texts[stage];
}

/** For a machine without data: it never ran, or is gone. */
export function nextBestQuestion(name: string, priceLimit: Micros): Question {
  return {
    message: t('Rent the next best machine in place of “{0}”?', name),
    detail: t('It matches the same search and costs at most {0}/h.', formatMoney(priceLimit)),
    button: t('Rent Next Best'),
  };
}

/** For a machine that holds data, or may hold some. */
export function lossQuestion(name: string, priceLimit: Micros, isKnown: boolean): Question {
  const price = formatMoney(priceLimit);
  const button = t('Destroy and Rent Next Best');
  return isKnown
    ? {
        message: t('Replace “{0}”, and lose the data on it?', name),
        detail: t(
          'It has run before, and all data on its disk is lost for good. Then the next best offer of the same search is rented for at most {0}/h.',
          price,
        ),
        button,
      }
    : {
        message: t('Replace “{0}”, and lose any data on it?', name),
        detail: t(
          'It may have run while no editor was open, and any data on its disk is lost for good. Then the next best offer of the same search is rented for at most {0}/h.',
          price,
        ),
        button,
      };
}

/** Announces a replacement, which the user can decline until it is due; `ask` then asks what to do instead. */
export async function announcePause(
  { rentals, clock }: Pick<ReadinessDeps, 'rentals' | 'clock'>,
  { instanceId, reason, message: ofHost }: FailedStart,
  name: string,
  pauseMs: number,
  ask: () => void,
): Promise<void> {
  const found = rentals.find(instanceId);
  // The journal stores the due time, so it outlives this window.
  const noted = found && rentals.update(found.marker, { replaceAt: clock.now() + pauseMs });
  const decline = async () => {
    // A time that is written after it was taken back would count.
    await noted;
    const rental = rentals.find(instanceId);
    if (rental?.replaceAt === undefined) {
      message('info', t('{0} has already changed. The list shows its current state.', name));
      return;
    }
    await rentals.update(rental.marker, { replaceAt: undefined });
    ask();
  };
  message(
    'warning',
    t(
      '{0} As configured, it is destroyed and the next best offer is rented in {1}.',
      failureSentence(name, reason, ofHost),
      localize(durationText(pauseMs)),
    ),
    { label: t('Do Not Replace'), run: decline },
  );
  await noted;
}

/**
 * How the setting replaces an instance. A failed one stays listed until it is destroyed, so one that is gone was
 * destroyed elsewhere (docs/service/instances.md#failed-statuses).
 */
export const unasked = { dataLossAccepted: false, onlyIfThere: true } as const;

/** Returns whether the setting asks for replacements without a question. */
export function isReplaceSet({ settings }: Pick<ReadinessDeps, 'settings'>): boolean {
  return settings.get('gpuRental.ready.onFailure') === 'replace';
}

/** Decides whether the setting allows a replacement without a question; stores the failure for the next decision. */
export async function replaceAloneOf(
  { rentals, settings }: Pick<ReadinessDeps, 'rentals' | 'settings'>,
  { instanceId, reason, message, hadData }: Extract<StartEvent, { kind: 'failed' }>,
): Promise<ReplaceAlone | undefined> {
  const rental = rentals.find(instanceId);
  if (!rental) {
    return undefined;
  }
  const failure = failureKind(reason, message);
  await rentals.update(rental.marker, { failure });
  const isWanted = rental.search !== undefined && !hadData && isReplaceSet({ settings });
  const find = (marker: string) => rentals.rentals.find((one) => one.marker === marker);
  return isWanted ? replaceAlone(rental, failure, find) : undefined;
}

/** Returns why the setting does not apply: without a question, money is spent only within the budget. */
export async function overrunReason({ budget }: Pick<ReadinessDeps, 'budget'>): Promise<string | undefined> {
  const overrun = overrunText(await budget.current());
  return overrun && t('{0} So it is not replaced without asking.', localize(overrun));
}

/** Returns why the setting does not apply. */
export function askedReason(kind: ReplaceAlone['kind'] | undefined): string | undefined {
  switch (kind) {
    case undefined:
    case 'after':
      return undefined;
    case 'sameFailure':
      return t('Another host failed the same way, so it is not replaced without asking.');
    case 'tooMany':
      return t('It was replaced 3 times, so it is not replaced again without asking.');
  }
}

/** Reports that the template has changed since the machine was rented. */
export async function reportTemplateChanged(
  template: Template | undefined,
  instanceId: number,
  name: string,
  replace: (acceptedHash: string) => Promise<void>,
): Promise<void> {
  await suggest<unknown>(
    'warning',
    template
      ? t(
          'The template {0} was edited after {1} was rented, so nothing was replaced. Storage still costs money.',
          templateName(template),
          name,
        )
      : t(
          'The template of {0} was changed or deleted, so nothing was replaced. Storage still costs money.',
          name,
        ),
    template
      ? { label: t('Replace, with the Current Version'), run: () => replace(template.hashId) }
      : titledAction('gpuRental.searchOffers'),
    titledAction('gpuRental.instance.destroy', { instanceId }),
  );
}

/** Reports how a replacement ended. */
export function reportReplacement(
  result: Exclude<ReplaceResult, { kind: 'templateChanged' | 'overBudget' }>,
  instanceId: number,
  name: string,
): void {
  switch (result.kind) {
    case 'replaced':
      reportReplaced(result, name);
      return;
    case 'notNeeded':
      message(
        'info',
        result.isRunning
          ? t('{0} is now running, so it was not replaced.', name)
          : t('The state of {0} has changed, so it was not replaced.', name),
      );
      return;
    case 'noOffer':
      message(
        'warning',
        t(
          'No other offer matches the same search within the price limit. {0} was not replaced and still costs money.',
          name,
        ),
        titledAction('gpuRental.searchOffers'),
        titledAction('gpuRental.instance.destroy', { instanceId }),
      );
      return;
    case 'notDestroyed':
      message('warning', localize(notConfirmedText(name)), showInstances());
      message('warning', t('No replacement for {0} was rented, so you do not pay for two instances.', name));
      return;
    case 'destroyedOnly':
      message(
        'warning',
        destroyedOnlyText(result.error, name),
        stepAction(result.error),
        titledAction('gpuRental.searchOffers'),
      );
      return;
    case 'elsewhere':
      message('info', t('{0} is already being replaced.', name));
      return;
    case 'replacedBefore':
      message('info', t('{0} has already been replaced, so nothing was rented.', name));
      return;
    default:
      return assertNever(result);
  }
}

/** Explains that nothing was rented instead, and why. */
function destroyedOnlyText(error: unknown, name: string): string {
  const reason =
    error === undefined
      ? t('The offers that matched are no longer available.')
      : isCancelled(error)
        ? t('You stopped it before that.')
        : (reasonOf(error) ?? t('See the log for details.'));
  return t('{0} is destroyed, and nothing was rented in its place. {1}', name, reason);
}

function reportReplaced(result: Extract<ReplaceResult, { kind: 'replaced' }>, name: string): void {
  const { log: content = '', misfits } = result;
  message(
    misfits.length === 0 ? 'info' : 'warning',
    replacedText(result, name),
    content !== '' &&
      commandAction(t('Show Its Last Log'), 'gpuRental.showText', { title: `${name}.log`, content }),
  );
}

function replacedText(
  { rent, pricePerHour, misfits: [misfit] }: Extract<ReplaceResult, { kind: 'replaced' }>,
  name: string,
): string {
  const price = pricePerHour === undefined ? '?' : formatMoney(pricePerHour);
  if (rent.kind !== 'rented') {
    return t(
      '{0} is destroyed. The service did not answer, so another instance may have been rented. Checking your instances…',
      name,
    );
  }
  return misfit === undefined
    ? t('{0} is destroyed, and another machine is rented instead for {1}/h.', name, price)
    : t(
        '{0} is destroyed, and another machine is rented instead for {1}/h. {2}',
        name,
        price,
        plainLabel(localize(misfit)),
      );
}
