import type { Client } from '../../api/client';
import { GoneError, mayHaveTakenEffect, NotFoundError } from '../../api/errors';
import { titledAction } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { confirmOverLimit } from '../../editor/confirmOverLimit';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { pricePerHour } from '../../editor/priceText';
import { whileReadingInstances, withCancellableProgress } from '../../editor/progress';
import { pickOne } from '../../editor/quickPick';
import { momentText } from '../../editor/timeText';
import { titleOf } from '../../editor/titles';
import { instanceName } from '../../model/instances/instanceLabel';
import type { PriceIncrease } from '../../model/instances/priceIncrease';
import { formatMoney, times, type Micros } from '../../model/money';
import { hourlyRate, stoppedRateOf } from '../../model/quote';
import type { Services } from '../../services';
import { clientFor } from '../../store/accounts/sameAccount';
import { overHourlyLimit } from '../../store/instances/limitPerHour';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';

export type PriceDeps = Pick<
  Services,
  'accounts' | 'fleet' | 'clock' | 'log' | 'rentals' | 'settings' | 'volumes'
>;
type Verb = 'accept' | 'reject';

async function pending(client: Client, id?: number, signal?: AbortSignal): Promise<readonly PriceIncrease[]> {
  const { items } = await client.priceIncreases.list({ signal });
  return id === undefined ? items : items.filter((one) => one.id === id);
}

/** Shows a price increase once, with the old and the new price as they are now. */
export async function warnPriceIncrease(deps: PriceDeps, id: number): Promise<void> {
  const client = clientFor(deps.accounts);
  let increases: readonly PriceIncrease[];
  try {
    increases = await pending(client(), id);
  } catch (error) {
    // The increase was listed a moment ago, and no window mentions it a second time.
    client();
    deps.log.warn(`A price increase could not be read: ${String(error)}`);
    message(
      'warning',
      t('A host asks for a higher price, which could not be read.'),
      titledAction('gpuRental.reviewPriceIncreases'),
    );
    return;
  }
  const [increase] = increases;
  if (!increase) {
    return;
  }
  message(
    'warning',
    sentence(deps, increase),
    increase.newPrice !== undefined && {
      label: t('Accept'),
      run: () => decide(deps, client, increase, 'accept'),
    },
    { label: t('Reject'), run: () => decide(deps, client, increase, 'reject') },
  );
}

/** Lists all pending price increases, for when their messages have been closed. */
export async function reviewPriceIncreases(deps: PriceDeps): Promise<void> {
  const client = clientFor(deps.accounts);
  const increases = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
    pending(client(), undefined, signal),
  );
  if (increases.length === 0) {
    message('info', t('No host asks for a higher price.'));
    return;
  }
  const rows = increases.flatMap((increase) => [
    ...(increase.newPrice === undefined ? [] : [rowOf(deps, increase, 'accept')]),
    rowOf(deps, increase, 'reject'),
  ]);
  const picked = await pickOne(rows, {
    title: titleOf('gpuRental.reviewPriceIncreases'),
    placeHolder: t('Accept or reject which?'),
  });
  if (picked) {
    await decide(deps, client, picked.increase, picked.verb);
  }
}

function rowOf(deps: PriceDeps, increase: PriceIncrease, verb: Verb) {
  const name = nameOf(deps, increase);
  return {
    icon: verb === 'accept' ? 'check' : 'close',
    label: verb === 'accept' ? t('Accept: {0}', name) : t('Reject: {0}', name),
    description: `${pricePerHour(increase.currentPrice)} → ${pricePerHour(increase.newPrice)}`,
    detail: deadlineText(deps, increase) ?? '',
    increase,
    verb,
  };
}

/** `clientOf` throws unless the increase belongs to the active account. */
async function decide(
  deps: PriceDeps,
  clientOf: () => Client,
  increase: PriceIncrease,
  verb: Verb,
): Promise<void> {
  clientOf();
  if (
    !(await confirmAnswer(deps, increase, verb)) ||
    (verb === 'accept' && !(await confirmPriceOverLimit(deps, increase)))
  ) {
    return;
  }
  const client = clientOf();
  const [current] = await pending(client, increase.id);
  if (!current) {
    throw new NotPendingError();
  }
  if (current.newPrice !== increase.newPrice) {
    // The price has changed since the user confirmed it, so ask again.
    await decide(deps, clientOf, current, verb);
    return;
  }
  try {
    await (verb === 'accept'
      ? client.priceIncreases.accept(increase.id)
      : client.priceIncreases.reject(increase.id));
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof GoneError) {
      throw new NotPendingError();
    }
    if (!mayHaveTakenEffect(error) || (await isStillPending(deps, client, increase, error))) {
      throw error;
    }
    deps.log.warn(
      `The answer to a price increase was lost, and it is not pending any more: ${String(error)}`,
    );
  }
  void deps.fleet.refresh().catch(() => undefined);
  const name = nameOf(deps, increase);
  message(
    'info',
    verb === 'accept'
      ? t('The price of {0} rises to {1}.', name, pricePerHour(increase.newPrice))
      : t('The higher price of {0} is rejected.', name),
  );
}

/**
 * Reads, after a lost answer, whether the increase is still pending. Throws if that is unknown: the price may have
 * risen.
 */
async function isStillPending(
  deps: PriceDeps,
  client: Client,
  increase: PriceIncrease,
  lost: unknown,
): Promise<boolean> {
  const list = await client.priceIncreases.list().catch(() => undefined);
  const isThere = list?.items.some(({ id }) => id === increase.id) === true;
  if (!isThere && list?.skipped !== 0) {
    throw new UserError(
      text(
        'The service did not confirm your answer about the price of {0}. Check its price before you answer again.',
        nameOf(deps, increase),
      ),
      { cause: lost },
    );
  }
  return isThere;
}

async function confirmAnswer(deps: PriceDeps, increase: PriceIncrease, verb: Verb): Promise<boolean> {
  const name = nameOf(deps, increase);
  const { currentPrice, newPrice } = increase;
  const perDay =
    currentPrice === undefined || newPrice === undefined
      ? []
      : [
          t(
            'That adds {0}/day while the instance runs.',
            formatMoney(times((newPrice - currentPrice) as Micros, 24)), // whole micro-dollars minus whole micro-dollars
          ),
        ];
  return confirm({
    message:
      verb === 'accept' ? t('Pay more for “{0}”?', name) : t('Reject the higher price of “{0}”?', name),
    detail: [
      t('GPU price: {0} now, {1} if you accept.', pricePerHour(currentPrice), pricePerHour(newPrice)),
      ...(verb === 'accept'
        ? perDay
        : [t('The service does not say what the host does next. Save what you need.')]),
    ].join('\n\n'),
    button: verb === 'accept' ? t('Accept') : t('Reject'),
  });
}

/** Returns true if the user's price limit for all instances allows the price, or if the user confirms the excess. */
async function confirmPriceOverLimit(
  deps: PriceDeps,
  { instanceId, newPrice }: PriceIncrease,
): Promise<boolean> {
  const rates = () => {
    const instance = instanceId === undefined ? undefined : deps.fleet.find(instanceId);
    return [newPrice === undefined ? undefined : hourlyRate(newPrice), instance && stoppedRateOf(instance)];
  };
  const ids = instanceId === undefined ? [] : [instanceId];
  return confirmOverLimit(await overHourlyLimit(deps, ids, rates, whileReadingInstances), {
    sentence: (total, limit) =>
      t('All your instances would then cost up to {0}/h. Your limit is {1}/h.', total, limit),
    message: t('Continue over your price limit?'),
    button: t('Continue Anyway'),
  });
}

function sentence(deps: PriceDeps, increase: PriceIncrease): string {
  const asked = t(
    'The host of {0} asks for a higher price: {1} now, {2} if you accept.',
    nameOf(deps, increase),
    pricePerHour(increase.currentPrice),
    pricePerHour(increase.newPrice),
  );
  return [asked, deadlineText(deps, increase)].filter((part) => part !== undefined).join(' ');
}

function deadlineText({ clock }: PriceDeps, { deadline }: PriceIncrease): string | undefined {
  return deadline === undefined
    ? undefined
    : t('Answer before {0}.', momentText(deadline * 1000, clock.now()));
}

function nameOf({ fleet }: PriceDeps, { instanceId }: PriceIncrease): string {
  const instance = instanceId === undefined ? undefined : fleet.find(instanceId);
  return instance ? plainLabel(instanceName(instance)) : `#${instanceId ?? '?'}`;
}

class NotPendingError extends UserError {
  constructor() {
    super(text('This price increase is no longer pending. Check the price of the instance.'));
  }
}
