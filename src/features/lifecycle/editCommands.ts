import * as vscode from 'vscode';
import type { Client } from '../../api/client';
import { explainingIfLost } from '../../api/errors';
import type { InstanceTarget } from '../../commandSpecs';
import { titledAction } from '../../editor/commands';
import { isPerson, type Question } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileSending, withCancellableProgress } from '../../editor/progress';
import { askLine } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { displayLabel, instanceName, maxLabelLength, renamed } from '../../model/instances/instanceLabel';
import { formatMoney, fromDollars, toDollars, type Micros } from '../../model/money';
import { highestBid, lowestBid } from '../../model/quote';
import { clientFor } from '../../store/accounts/sameAccount';
import { readAfter } from '../../store/readAfter';
import { orCancelled } from '../../util/cancellation';
import { text } from '../../util/text';
import type { LifecycleDeps } from './deps';
import { confirmBidOverLimit } from './priceLimit';
import { chooseOneInstance } from './targets';

/** Leaves room for our marker at the end of the label. */
const longestName = maxLabelLength - ' [gr-xxxxxxxx]'.length;

export async function rename(deps: LifecycleDeps, target: InstanceTarget | undefined): Promise<void> {
  const client = clientFor(deps.accounts);
  const instance = await chooseOneInstance(deps, target, undefined, 'gpuRental.instance.rename');
  if (!instance) {
    return;
  }
  const before = displayLabel(instance) ?? '';
  const name = await askLine({
    title: t('Rename {0}', instanceName(instance)),
    prompt: t('The service stores the name, so all your computers show it.'),
    value: before,
    ignoreFocusOut: true,
    problem: (value) =>
      value.trim().length > longestName
        ? t('A name has at most {0} characters. This one has {1}.', longestName, value.trim().length)
        : undefined,
  });
  if (name === undefined || name.trim() === before) {
    return;
  }
  const sent = whileSending(client().instances.label(instance.id, renamed(instance, name.trim())));
  await readAfter(sent, () => deps.fleet.refresh());
}

export async function changeBid(deps: LifecycleDeps, target: InstanceTarget | undefined): Promise<void> {
  const still = clientFor(deps.accounts);
  const instance = await chooseOneInstance(deps, target, 'canChangeBid', 'gpuRental.instance.changeBid');
  if (!instance) {
    return;
  }
  const client = still();
  const minimum = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
    orCancelled(minimumBid(deps, client, instance), signal),
  );
  const typed = await askLine({
    title: t('{0}: {1}', titleOf('gpuRental.instance.changeBid'), instanceName(instance)),
    prompt:
      minimum === undefined
        ? t('Dollars per hour for the GPU. The current minimum is unknown; the highest bid runs.')
        : t(
            'Dollars per hour for the GPU. It runs while your bid is the highest; the current minimum is {0}.',
            formatMoney(minimum),
          ),
    value: String(toDollars(proposedBid(instance, minimum))),
    ignoreFocusOut: true,
    problem: (value) => bidProblem(value, instance) ?? bidWarning(value, minimum),
  });
  const bid = typed === undefined ? undefined : parseBid(typed);
  if (
    bid === undefined ||
    !(await isPerson(bidQuestion(instance, bid))) ||
    !(await confirmBidOverLimit(deps, instance, bid))
  ) {
    return;
  }
  const own = still();
  const sent = whileSending(
    explainingIfLost(
      text(
        'The service did not answer, so the bid of {0} may have changed to {1}/h. Refresh and check its price before you change it again.',
        instanceName(instance),
        formatMoney(bid),
      ),
      () => own.instances.changeBid(instance.id, bid),
    ),
  );
  await readAfter(sent, () => deps.fleet.refresh());
  reportBid(deps, instance, bid);
}

/** Reports the bid that a list shows after the change, as it reads: the service may round what it was sent. */
function reportBid({ fleet }: LifecycleDeps, instance: Instance, bid: Micros): void {
  const [name, price] = [instanceName(instance), formatMoney(bid)];
  const listed = fleet.find(instance.id)?.bidPerHour;
  if (listed !== undefined && formatMoney(listed) === price) {
    message('info', t('The bid of {0} is now {1}/h.', name, price));
  } else {
    message(
      'warning',
      t('The service accepted a bid of {0}/h for {1}, but the list does not show it yet.', price, name),
      titledAction('gpuRental.refresh'),
    );
  }
}

/** Returns the present bid, or the current minimum of the machine: an Enter must not lower the bid. */
function proposedBid({ bidPerHour = lowestBid }: Instance, minimum = lowestBid): Micros {
  return minimum > bidPerHour ? minimum : bidPerHour;
}

function bidQuestion(instance: Instance, bid: Micros): Question {
  const price = formatMoney(bid);
  return {
    message: t('Change the bid of “{0}”?', instanceName(instance)),
    detail: t('It runs for up to {0}/h.', price),
    button: t('Bid {0}/h', price),
  };
}

/** Parses dollars as typed by the user; a comma counts as the decimal point. */
function parseBid(value: string): Micros | undefined {
  const clean = value.trim().replace(/^\$/, '').replace(',', '.');
  const dollars = /^\d+(\.\d+)?$|^\.\d+$/.test(clean) ? Number(clean) : Number.NaN;
  return Number.isFinite(dollars) ? fromDollars(dollars) : undefined;
}

function bidProblem(value: string, instance: Instance): string | undefined {
  const bid = parseBid(value);
  const highest = highestBid(instance.gpuCount);
  if (bid === undefined) {
    return t('Enter a price per hour in dollars, such as 0.25.');
  }
  return bid < lowestBid || bid > highest
    ? t('Enter a bid from {0}/h to {1}/h.', formatMoney(lowestBid), formatMoney(highest))
    : undefined;
}

/** Returns a warning beside which the bid can be sent: the service accepts it and pauses the instance. */
function bidWarning(value: string, minimum: Micros | undefined) {
  const bid = parseBid(value);
  return bid === undefined || minimum === undefined || bid >= minimum
    ? undefined
    : {
        message: t(
          'Below the current minimum of {0}/h, so the instance may be paused.',
          formatMoney(minimum),
        ),
        severity: vscode.InputBoxValidationSeverity.Warning,
      };
}

/** Returns the machine's current minimum bid; `undefined` if the service states none. */
async function minimumBid(
  deps: LifecycleDeps,
  client: Client,
  instance: Instance,
): Promise<Micros | undefined> {
  if (instance.machineId === undefined) {
    return undefined;
  }
  try {
    deps.searchBudget.note();
    const { items } = await client.offers.search({
      filters: { machine_id: { eq: instance.machineId } },
      rentalType: 'interruptible',
      order: [],
    });
    const alike = items.filter(({ gpuCount }) => gpuCount === instance.gpuCount);
    return alike[0]?.minBidPerHour;
  } catch (error) {
    deps.log.warn(`The minimum bid could not be looked up: ${String(error)}`);
    return undefined;
  }
}
