import { commandLines } from '../../../editor/commandLines';
import type { Question } from '../../../editor/confirm';
import { localize, t } from '../../../editor/localize';
import { needsEditor } from '../../../editor/scheduleText';
import { momentText } from '../../../editor/timeText';
import { titleOf } from '../../../editor/titles';
import { formatCents, formatMoney, fromDollars, zero } from '../../../model/money';
import { placeText } from '../../../model/offers/places';
import { trafficText } from '../../../model/rentals/costFacts';
import { durationText } from '../../../util/duration';
import { plainLabel } from '../../../util/plainLabel';
import type { AgentLimits } from '../../model/limits';
import type { AgentRequest, RentalQuote } from '../../model/request';
import { agentName } from '../agentName';

/** The known facts of a request, for its question. */
export interface Asked {
  readonly request: AgentRequest;
  /** Name of the account. */
  readonly account: string;
  /** Name of the instance, if the request has one. */
  readonly instance: string | undefined;
  /** The known loss if the instance is destroyed. */
  readonly loss?: string;
  readonly now: number;
}

export function who({ caller }: AgentRequest): string {
  return agentName(caller);
}

export function lines(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join('\n');
}

export function reasonLine({ reason }: AgentRequest): string | undefined {
  return reason === undefined ? undefined : t('The agent says: “{0}”', reason);
}

/** Returns the question: our own words and numbers first, then quoted untrusted text, the model's reason last. */
export function requestQuestion(asked: Asked): Question | undefined {
  const { request } = asked;
  switch (request.tool) {
    case 'request_rental':
      return rentQuestion(asked);
    case 'change_state':
      return powerQuestion(asked);
    case 'set_schedule':
      return scheduleQuestion(asked);
    case 'destroy_instance':
      return {
        message: t('Destroy “{0}” for {1}?', asked.instance ?? '', who(request)),
        detail: lines(lossText(asked), accountLine(asked), reasonLine(request)),
        button: titleOf('gpuRental.instance.destroy'),
      };
    case 'run_command':
      return {
        message: t('Let {0} run commands on “{1}”?', who(request), asked.instance ?? ''),
        detail: lines(
          request.minutes === undefined
            ? undefined
            : t(
                'It may run for {0}, also without the agent.',
                localize(durationText(request.minutes * 60_000)),
              ),
          t('First command:'),
          ...commandLines(request.command ?? ''),
          request.caller.door === 'mcp'
            ? t(
                'On an instance that an agent rented, this holds until the instance is gone or this client ends.',
              )
            : t(
                'On an instance that an agent rented, this holds until the instance is gone or this window closes.',
              ),
          accountLine(asked),
        ),
        button: t('Run'),
      };
    case 'run_job':
    case 'stop_job':
    case 'extend_job':
      return undefined;
  }
}

function lossText({ loss }: Asked): string {
  return loss === undefined
    ? t('All data on it is lost.')
    : loss
        .split('\n')
        .map((line) => plainLabel(line))
        .join('\n');
}

export function accountLine({ account }: Asked): string {
  return t('Account: {0}', account);
}

function rentQuestion(asked: Asked): Question | undefined {
  const { request } = asked;
  const { quote, commitment } = request;
  if (!quote || !commitment) {
    return undefined;
  }
  const price = formatMoney(quote.perHour);
  const end = momentText(commitment.until, asked.now);
  return {
    message: t(
      'Rent {0}× “{1}” for {2}?',
      quote.offer.gpuCount ?? 1,
      quote.offer.gpuName ?? '',
      who(request),
    ),
    detail: lines(...rentalLines(quote, end), accountLine(asked), reasonLine(request)),
    button: t('Rent for {0}/h', price),
  };
}

/** Returns what a rental costs, when it ends and what it is. */
export function rentalLines(quote: RentalQuote, end: string): readonly string[] {
  return [
    t(
      '{0}/h, {1} for {2} h, without traffic',
      formatMoney(quote.perHour),
      formatCents(quote.total),
      quote.hours,
    ),
    t(
      'Traffic: {0}',
      localize(trafficText({ downPerGb: quote.offer.inetDownPerGb, upPerGb: quote.offer.inetUpPerGb })),
    ),
    quote.then === 'destroy'
      ? t('Destroyed automatically at {0}', end)
      : quote.isDiskUnpriced === true
        ? t(
            'Stopped automatically at {0}; storage then still costs money, but the service does not state the price',
            end,
          )
        : t('Stopped automatically at {0}; storage then costs {1}/h', end, formatMoney(quote.stoppedPerHour)),
    endNeeds(),
    t('Disk: {0} GB, in the price', quote.diskGb),
    ...installsLines(quote),
    ...(quote.offer.location === undefined ? [] : [t('Location: “{0}”', placeText(quote.offer.location))]),
  ];
}

/** The name of a template is its author's choice, so its image and its owner are named as well. */
function installsLines({ what, template }: RentalQuote): readonly string[] {
  if (!template) {
    return [t('Installs: “{0}”', what)];
  }
  const { image, isOfStranger, hasStartScript } = template;
  return [
    t('Template: “{0}”, image “{1}”', what, image),
    ...(isOfStranger ? [t('The template is from another user.')] : []),
    ...(isOfStranger && hasStartScript ? [t('Its on-start script runs on the instance.')] : []),
  ];
}

function powerQuestion(asked: Asked): Question {
  const { request } = asked;
  const name = asked.instance ?? '';
  if (request.to === 'stopped') {
    return {
      message: t('Stop “{0}” for {1}?', name, who(request)),
      detail: lines(t('Running processes stop. Storage is kept and still costs money.'), accountLine(asked)),
      button: titleOf('gpuRental.instance.stop'),
    };
  }
  const price = formatMoney(request.commitment?.perHour ?? zero);
  return {
    message: t('Start “{0}” for {1}?', name, who(request)),
    detail: lines(
      t('{0}/h', price),
      ...(request.endsAt === undefined ? [] : [endLine(asked, request.endsAt), endNeeds()]),
      accountLine(asked),
      reasonLine(request),
    ),
    button: t('Start for {0}/h', price),
  };
}

/** Returns what the schedule needs in order to run; otherwise the machine keeps costing money after its end. */
function endNeeds(): string {
  return t('The schedule needs {0}.', needsEditor());
}

function endLine({ request, now }: Asked, at: number): string {
  return request.then === 'destroy'
    ? t('Destroyed automatically at {0}. All data on it is lost.', momentText(at, now))
    : t('Stopped automatically at {0}', momentText(at, now));
}

function scheduleQuestion(asked: Asked): Question {
  const { request } = asked;
  const price = request.commitment?.perHour;
  return {
    message: t('Change the schedule of “{0}” for {1}?', asked.instance ?? '', who(request)),
    detail: lines(
      endLine(asked, request.endsAt ?? request.at),
      endNeeds(),
      price === undefined ? undefined : t('{0}/h until then', formatMoney(price)),
      accountLine(asked),
      reasonLine(request),
    ),
    button: t('Change Schedule'),
  };
}

/** Returns the message for the user if an approved request failed; `undefined` otherwise. */
export function failureText(request: AgentRequest, instance: string): string | undefined {
  const { tool, state } = request;
  if (state === 'overLimit') {
    return t('Nothing was done for {0}, because you have allowed agents less since.', who(request));
  }
  if (state !== 'failed' && state !== 'notRented') {
    return undefined;
  }
  switch (tool) {
    case 'request_rental':
      return t('Nothing was rented for {0}. The log says why.', who(request));
    case 'destroy_instance':
    case 'change_state':
      return t('Could not confirm this for “{0}”. You may still be charged.', instance);
    case 'set_schedule':
      return t('Could not change the schedule of “{0}”. Check when it ends.', instance);
    case 'run_job':
    case 'stop_job':
    case 'extend_job':
      return t('Could not do what you agreed to for a job of {0}. The log says why.', who(request));
    case 'run_command':
      return undefined;
  }
}

/** Returns the question before agents may do more than was confirmed. */
export function limitsQuestion(limits: AgentLimits): Question {
  return limits.access === 'read'
    ? {
        message: t('Let AI agents see your instances and offers?'),
        detail: t("They can't spend money or change anything."),
        button: t('Allow'),
      }
    : {
        message: t('Let AI agents ask to rent and use instances?'),
        detail: lines(
          t('You confirm each rental, start and destruction in a dialog like this one.'),
          t(
            'At most {0} a day and {1}/h, without traffic',
            formatMoney(fromDollars(limits.perDay)),
            formatMoney(fromDollars(limits.perHour)),
          ),
          t('Instances at once: {0}', limits.instances),
          t('Hours until an instance ends, at most: {0}', limits.hours),
          t('Questions an hour: {0}', limits.questionsPerHour),
        ),
        button: t('Allow'),
      };
}

/** Returns the limits in force when nothing needs a confirmation. */
export function limitsText({ access, perDay, perHour, instances, hours }: AgentLimits): string {
  return access === 'ask'
    ? t(
        'Agents can ask. Limits: {0}/day and {1}/h without traffic, instances: {2}, hours of a rental: {3}.',
        formatMoney(fromDollars(perDay)),
        formatMoney(fromDollars(perHour)),
        instances,
        hours,
      )
    : t("Agents can see your instances and offers. They can't spend money or change anything.");
}

/** Returns the question after the file of requests broke: until the user agrees, agents can't spend anything. */
export function reopenQuestion(): Question {
  return {
    message: t('Let agents spend again?'),
    detail: t(
      'Could not read their earlier rentals, so these do not count toward the limits. Check the list of instances first.',
    ),
    button: t('Allow'),
  };
}
