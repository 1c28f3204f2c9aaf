import { commandLines } from '../../../editor/commandLines';
import type { Question } from '../../../editor/confirm';
import { localize, t } from '../../../editor/localize';
import { momentText } from '../../../editor/timeText';
import { titleOf } from '../../../editor/titles';
import { jobFacts, type DraftJob } from '../../../jobs/model/draftJob';
import type { Job } from '../../../jobs/model/job';
import { destroysMachine } from '../../../jobs/model/jobText';
import { formatMoney, fromDollars, type Micros } from '../../../model/money';
import { hourlyRate } from '../../../model/quote';
import { plainLabel } from '../../../util/plainLabel';
import { hourMs } from '../../model/gate';
import { accountLine, lines, reasonLine, rentalLines, who, type Asked } from './requestText';

/** A job of a request as its folder has it now. */
export interface AskedJob {
  readonly draft: DraftJob;
  readonly perHour: Micros;
}

/** Returns the question for a job with its machine; `undefined` if its dollars pay for no start. */
export function jobQuestion(asked: Asked, { draft, perHour }: AskedJob): Question | undefined {
  const { request } = asked;
  const { quote, commitment } = request;
  const { spec, ends } = draft.order;
  // The command stands below as a whole.
  const facts = jobFacts(draft, hourlyRate(perHour))?.filter(({ id }) => id !== 'setup' && id !== 'command');
  if (!facts) {
    return undefined;
  }
  const price = formatMoney(perHour);
  const machine = quote
    ? t('{0}× “{1}”', quote.offer.gpuCount ?? 1, quote.offer.gpuName ?? '')
    : t('“{0}”', asked.instance ?? '');
  return {
    message: quote
      ? t('Rent {0} and run “{1}” on it for {2}?', machine, spec.name, who(request))
      : t('Run “{0}” on {1} for {2}?', spec.name, machine, who(request)),
    detail: lines(
      ...(quote && commitment
        ? rentalLines(quote, momentText(commitment.until, asked.now))
        : [t('{0}/h', price)]),
      ...facts.map(({ label, value }) => t('{0}: {1}', label, plainLabel(localize(value)))),
      t('Folder: {0}', plainLabel(draft.order.workspace)),
      spec.setup === undefined ? t('Command:') : t('Set-up and command:'),
      ...commandLines([...(spec.setup === undefined ? [] : [spec.setup]), spec.run].join('\n')),
      accountLine(asked),
      reasonLine(request),
    ),
    button: quote
      ? t('Rent for {0}/h and Run', price)
      : destroysMachine(ends)
        ? t('Run and Destroy')
        : t('Run'),
  };
}

/** Returns the question before a job is stopped or extended; `undefined` if it is gone. */
export function jobChangeQuestion(
  asked: Asked,
  job: Job | undefined,
  scheduledAt: number | undefined,
): Question | undefined {
  const { request, now } = asked;
  const { endsAt, jobLimits } = request;
  if (!job) {
    return undefined;
  }
  const { name } = job.spec;
  if (request.tool === 'stop_job') {
    return {
      message: t('Stop “{0}” for {1}?', name, who(request)),
      detail: lines(
        t('Its command ends. Its log and outputs are still fetched.'),
        accountLine(asked),
        reasonLine(request),
      ),
      button: titleOf('gpuRental.job.stop'),
    };
  }
  if (endsAt === undefined || !jobLimits) {
    return undefined;
  }
  const machineEnd = endsAt + hourMs;
  return {
    message: t('Extend “{0}” for {1}?', name, who(request)),
    detail: lines(
      t('{0}: {1}', t('Ends at the latest'), momentText(endsAt, now)),
      t('It can then cost up to {0}, without traffic.', formatMoney(fromDollars(jobLimits.costDollars))),
      scheduledAt === undefined || scheduledAt >= machineEnd
        ? undefined
        : t(
            'The scheduled end of the machine moves from {0} to {1}.',
            momentText(scheduledAt, now),
            momentText(machineEnd, now),
          ),
      accountLine(asked),
      reasonLine(request),
    ),
    button: titleOf('gpuRental.job.extend'),
  };
}
