import { amountText } from '../../jobs/model/jobText';
import { formatMoney, roundUp, type Micros } from '../../model/money';
import { bytesText } from '../../util/bytes';
import { durationText } from '../../util/duration';
import { text, type Text } from '../../util/text';
import { tokensText } from './modelText';
import type { Serving, ServingCounters } from './servingLog';

/** Returns what a model does now, such as `downloading, 12.4 GB of 30.9 GB`. */
export function servingText(
  { stage, downloadedBytes, loadedPercent, counters }: Serving,
  downloadBytes: number | undefined,
): Text {
  switch (stage) {
    case 'preparing':
      return text('preparing');
    case 'downloading':
      return downloadedBytes === undefined
        ? text('downloading')
        : text(
            'downloading, {0}',
            downloadBytes === undefined
              ? bytesText(downloadedBytes)
              : amountText(Math.min(downloadedBytes, downloadBytes), downloadBytes),
          );
    case 'loading':
      return loadedPercent === undefined
        ? text('loading weights')
        : text('loading weights, {0}', `${loadedPercent} %`);
    case 'compiling':
      return text('compiling');
    case 'answering':
      return text('waiting for its first answer');
    case 'ready':
      return counters ? text('ready, {0}', useText(counters)) : text('ready');
    case 'ended':
      return text('ended');
  }
}

function useText({ running, tokensPerSecond, lastUseSecondsAgo }: ServingCounters): Text {
  if (running > 0 || tokensPerSecond > 0) {
    return text('{0} tokens/s', Math.round(tokensPerSecond));
  }
  return lastUseSecondsAgo < 60
    ? text('unused')
    : text('unused for {0}', durationText(lastUseSecondsAgo * 1000));
}

/** A label with its value. */
export interface ServingFact {
  readonly id: string;
  readonly label: Text;
  readonly value: Text;
}

/** Returns what the page of the instance says of a model that is ready. */
export function servingFacts(
  { contextTokens, hasTools, counters }: Serving,
  cost: Micros | undefined,
): readonly ServingFact[] {
  return [
    ...(contextTokens === undefined
      ? []
      : [
          {
            id: 'context',
            label: text('Context'),
            value:
              hasTools === false
                ? text('{0} tokens, no tool calls', tokensText(contextTokens))
                : text('{0} tokens', tokensText(contextTokens)),
          },
        ]),
    ...(counters ? [{ id: 'requests', label: text('Requests'), value: requestsText(counters) }] : []),
    ...(cost === undefined
      ? []
      : [{ id: 'cost', label: text('Cost so far'), value: costText(cost, counters) }]),
  ];
}

function requestsText(counters: ServingCounters): Text {
  const { requests, requestsPerSecond = 0, outputTokens, promptTokens, lastUseSecondsAgo } = counters;
  const tokens = text('{0} tokens read, {1} written', promptTokens, outputTokens);
  const last = text('last one {0} ago', durationText(lastUseSecondsAgo * 1000));
  return requests === undefined
    ? text('{0}, {1}', tokens, last)
    : text('{0}, {1}, {2}', text('{0} ({1}/s)', requests, requestsPerSecond.toFixed(1)), tokens, last);
}

function costText(cost: Micros, counters: ServingCounters | undefined): Text {
  const tokens = (counters?.promptTokens ?? 0) + (counters?.outputTokens ?? 0);
  const each = tokens === 0 ? undefined : (roundUp((cost / tokens) * 1e6) as Micros);
  return each === undefined
    ? text('{0}', formatMoney(cost))
    : text('{0}, {1} for a million tokens', formatMoney(cost), formatMoney(each));
}
