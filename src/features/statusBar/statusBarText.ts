import { localize, t } from '../../editor/localize';
import type { StatusPart } from '../../editor/statusItem';
import { usedUp, type BudgetNow } from '../../model/budget/budget';
import { budgetNote, partText } from '../../model/budget/budgetText';
import { instanceName } from '../../model/instances/instanceLabel';
import {
  billingOf,
  isReady,
  stateLabel,
  stateOf,
  type InstanceFacts,
} from '../../model/instances/instanceState';
import { formatMoney, type Micros } from '../../model/money';
import { spanOfHours, hoursOfCredit } from '../../model/quote';
import { checkTexts } from '../../model/rentals/machineCheckText';
import type { StartWatch } from '../../model/rentals/startWatch';
import type { Loaded } from '../../shared/reading';
import { signsOf, type Burn } from '../../store/instances/burn';
import type { FleetSnapshot } from '../../store/instances/fleetStore';
import { isComplete, isCurrent } from '../../store/instances/listed';
import { durationText, redrawAt } from '../../util/duration';

export interface StatusBarInput {
  readonly state: Loaded<FleetSnapshot>;
  readonly facts: (instanceId: number) => InstanceFacts;
  readonly burn: Burn;
  readonly watches: readonly StartWatch[];
  /** The number of rentals that the service has not confirmed. */
  readonly notKnown: number;
  readonly credit: Micros | undefined;
  /** The spent part of the budget, if one is set. */
  readonly budget?: BudgetNow | undefined;
  readonly now: number;
}

export interface StatusBarTexts extends Omit<StatusPart, 'command'> {
  /** True if the text changes with time. */
  readonly isMoving: boolean;
}

/** Credit for fewer hours gets a warning color. */
const lowCreditHours = 2;

/** Returns the text of the status bar, or undefined if nothing exists or is pending. */
export function statusBarText(input: StatusBarInput): StatusBarTexts | undefined {
  const { state, burn, watches, notKnown, now } = input;
  if (state.kind === 'failed') {
    const sentence = t('GPU Rental: could not load your instances');
    return { text: '$(warning) GPU', tooltip: sentence, spoken: sentence, isMoving: false, isWarning: true };
  }
  const instances = state.kind === 'ready' ? state.value.instances : [];
  const isWhole = state.kind !== 'ready' || isComplete(state.value);
  // A volume costs money without any instance.
  if (instances.length === 0 && isWhole && notKnown === 0 && burn.perHour === 0) {
    return undefined;
  }
  const kinds = instances.map(
    (instance) => [instance, stateOf(instance, input.facts(instance.id), now)] as const,
  );
  const running = kinds.filter(([, kind]) => isReady(kind)).length;
  const stopped = kinds.filter(([instance, kind]) => billingOf(instance, kind) === 'disk').length;
  const hours = input.credit === undefined ? undefined : hoursOfCredit(input.credit, burn.rate);
  const stage = stageText(input, kinds, true);
  const still = stageText(input, kinds, false);
  const isStale = state.kind === 'ready' && (state.error !== undefined || !isCurrent(state, now));
  const signs = signsOf(burn);
  const price = t('{0}/h', `${signs.rate}${formatMoney(burn.perHour)}`);
  const lasts = hours === undefined ? undefined : `${signs.credit}${localize(spanOfHours(hours))}`;
  const credit = lasts === undefined ? undefined : t('credit for {0}', lasts);
  const isLow = hours !== undefined && hours < lowCreditHours;
  const parts = input.budget?.parts ?? [];
  const spent = parts.map((part) => localize(partText(part)));
  const [used] = input.budget ? usedUp(input.budget) : [];
  const budget = used ? localize(partText(used)) : spent[0];
  const open = notKnown === 0 ? undefined : t('rental not confirmed yet');
  const isBusy = stage !== undefined || open !== undefined;
  const icon = isBusy ? '$(sync~spin)' : '$(server)';
  // A stage needs the room, so only warnings are beside it; the tooltip has the rest.
  const shown = [
    open,
    stage,
    t('{0} running', running),
    price,
    isBusy && !isLow ? undefined : credit,
    isBusy && !used ? undefined : budget,
  ].filter((part) => part !== undefined);
  const lines = [
    t(
      '{0} running, {1} stopped or failed, of {2}',
      running,
      stopped,
      isWhole ? instances.length : `≥ ${instances.length}`,
    ),
    t('Total: {0}', price),
    burn.volumesPerHour === 0 ? undefined : t('Of which volumes: {0}/h', formatMoney(burn.volumesPerHour)),
    lasts === undefined ? undefined : t('Credit lasts {0}', lasts),
    ...(input.budget && spent.length > 0
      ? [t('Budget: {0}', spent.join(', ')), localize(budgetNote(input.budget))]
      : []),
    stage,
    open,
    isStale ? t('Shown as of {0} ago.', localize(durationText(now - state.fetchedAt))) : undefined,
  ].filter((line) => line !== undefined);
  return {
    text: `${isStale ? '$(warning) ' : ''}${icon} ${shown.join(' · ')}`,
    tooltip: lines.join('\n'),
    // Screen readers would repeat a text that changes every few seconds, so the elapsed time is left out.
    spoken: [t('GPU Rental'), ...lines.map((line) => (line === stage ? still : line))].join(', '),
    isMoving: watches.length > 0 || notKnown > 0,
    isWarning: isLow || used !== undefined,
  };
}

/** Returns, for example, `Loading image 3 min`, for the instance that has been starting longest. */
function stageText(
  { watches, ...input }: StatusBarInput,
  kinds: readonly (readonly [Parameters<typeof stateLabel>[0], Parameters<typeof stateLabel>[1]])[],
  isTimed: boolean,
): string | undefined {
  const [watch] = watches;
  if (!watch) {
    return undefined;
  }
  const { now } = redrawAt(input.now);
  const elapsed = isTimed ? localize(durationText(now - watch.since)) : '';
  const found = kinds.find(([instance]) => instance.id === watch.instanceId);
  if (!found) {
    return t('Preparing {0}', elapsed).trim();
  }
  const [instance, kind] = found;
  const label = watch.check
    ? checkTexts(watch.check, now, isTimed).map(localize).join(' ')
    : `${localize(stateLabel(instance, kind))} ${elapsed}`.trim();
  return watches.length === 1
    ? label
    : t('{0}: {1}, {2} more', instanceName(instance), label, watches.length - 1);
}
