import { formatText, text, type Text } from '../../util/text';
import { formatCents, formatMoney, type Micros } from '../money';
import {
  estimate,
  hoursOfCredit,
  perDay,
  perHour,
  perMonth,
  spanOfHours,
  sumRates,
  usualStay,
  type Quote,
  type Rate,
  type Usage,
} from '../quote';
import { agreedEndText, type AgreedEnd } from './agreedEnd';
import type { ConfirmationInput } from './confirmation';
import type { Fact } from './rentFacts';
import { effectiveRuntype, lacksShell, wishOfTemplate, type RentChoices } from './rentPlan';

/**
 * Returns what a rental costs; `quote` covers all machines together, and `one` is the price of one of them.
 */
export function costFacts(input: ConfirmationInput, quote: Quote, one: Rate | undefined): readonly Fact[] {
  const { end } = input.choices;
  const facts: Fact[] =
    end === undefined
      ? []
      : [{ id: 'end', label: text('End'), value: endValue(end, input.choices), step: 'end' }];
  const { stopped, running: total } = quote;
  if (total !== undefined) {
    facts.push({ id: 'running', label: text('Running'), value: runningText(total) });
  }
  facts.push({
    id: 'stopped',
    label: text('Stopped'),
    value: stopped === undefined ? text('not stated by the service') : stoppedText(stopped),
  });
  facts.push(input.isOrdered === true ? trafficFact(quote) : stayFact(quote, input.stay ?? usualStay));
  const { replaceLimit } = input;
  if (replaceLimit !== undefined && one !== undefined && replaceLimit > perHour(one)) {
    facts.push({
      id: 'replacement',
      label: text('Replacement'),
      value: text('up to {0}/h, the price limit of this search', formatMoney(replaceLimit)),
    });
  }
  if (input.credit !== undefined && total !== undefined) {
    facts.push({
      id: 'credit',
      label: text('Credit'),
      value: creditText(
        input.credit,
        total,
        input.running,
        input.isRunningPartial === true && input.isRunningEarly !== true,
      ),
    });
  }
  return facts;
}

/** A machine without a shell has no timer of its own. */
function endValue(end: AgreedEnd, choices: RentChoices): Text {
  const value =
    end.idleMinutes > 0 && lacksShell(effectiveRuntype(choices))
      ? text('{0}, only while an editor is open', agreedEndText(end))
      : agreedEndText(end);
  const wish = wishOfTemplate(choices);
  return wish.idleMinutes === end.idleMinutes || wish.destroyAfterDays === end.destroyAfterDays
    ? text('{0} (shortened by the template)', value)
    : value;
}

/** Returns the price per GB and the cost of the whole stay. */
function stayFact(quote: Quote, stay: Usage): Fact {
  const sum = estimate(quote, stay);
  const traffic = trafficText(quote);
  const value =
    sum === undefined
      ? text('{0}; the sum is unknown', traffic)
      : text('{0} for {1} ({2})', formatCents(sum), stayText(stay), traffic);
  return { id: 'stay', label: text('Estimate'), value, step: 'stay' };
}

function trafficFact(quote: Quote): Fact {
  return { id: 'traffic', label: text('Traffic'), value: trafficText(quote) };
}

/** Returns text such as "download $0.011/GB, upload free". */
export function trafficText({ downPerGb, upPerGb }: Pick<Quote, 'downPerGb' | 'upPerGb'>): Text {
  return text('{0}, {1}', bandwidthText(downPerGb, text('download')), bandwidthText(upPerGb, text('upload')));
}

/** Returns text such as "download $0.011/GB". */
function bandwidthText(perGb: Micros | undefined, name: Text): Text {
  return perGb === undefined
    ? text('{0} at an unknown price', name)
    : perGb === 0
      ? text('{0} free', name)
      : text('{0} {1}/GB', name, formatMoney(perGb));
}

/** Returns text such as "8 h, 50 GB down"; amounts of zero are left out. */
function stayText({ hours, downGb, upGb }: Usage): Text {
  const down = downGb === 0 ? text('{0} h', hours) : text('{0} h, {1} GB down', hours, downGb);
  return upGb === 0 ? down : text('{0}, {1} GB up', down, upGb);
}

/** Returns text such as "$0.423/h, $10.14/day". */
function runningText(rate: Rate): Text {
  return text('{0}/h, {1}/day', formatMoney(perHour(rate)), formatMoney(perDay(rate)));
}

/** Returns text such as "$0.0042/h, $0.100/day, $3.00 for 30 days". */
export function stoppedText(rate: Rate): Text {
  return text(
    '{0}/h, {1}/day, {2} for 30 days',
    formatMoney(perHour(rate)),
    formatMoney(perDay(rate)),
    formatCents(perMonth(rate)),
  );
}

function creditText(credit: Micros, rate: Rate, running: Rate, isPartial = false): Text {
  const alone = hoursOfCredit(credit, rate);
  const together = hoursOfCredit(credit, sumRates(rate, running));
  if (alone === undefined || together === undefined) {
    return text('{0}', formatCents(credit));
  }
  const values = [formatCents(credit), spanOfHours(alone), spanOfHours(together)] as const;
  if (isPartial) {
    return text('{0} lasts {1}, or at most {2} with your other instances and volumes', ...values);
  }
  return formatText(values[1]) === formatText(values[2])
    ? text('{0} lasts {1}', formatCents(credit), spanOfHours(alone))
    : text('{0} lasts {1}, or {2} with your other instances and volumes', ...values);
}
