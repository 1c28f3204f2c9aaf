import { formatMoney, times, type Micros } from '../../model/money';
import type { OrderFact } from '../../model/rentals/rentalOrder';
import { bytesText } from '../../util/bytes';
import { durationText } from '../../util/duration';
import { text, type Text } from '../../util/text';
import type { ModelFacts } from './knownModels';
import { agentTokens, contextThatFits, leastGpus, neededGib, sharedGpus, type Gpus } from './memory';

/** Bytes of an image, which is pulled before the weights (vllm-project/vllm#27154). */
const imageBytes: Readonly<Record<ModelFacts['engine'], number>> = { vllm: 12e9, llamaCpp: 3e9 };

/** Returns text such as `16.4 GB · from 1× 24 GB · Apache-2.0`. */
export function modelSummary(model: ModelFacts): readonly Text[] {
  const { count, gib } = leastGpus(model);
  return [
    text('{0}', bytesText(model.weightBytes)),
    text('from {0}', `${count}× ${gib} GB`),
    ...(model.license === undefined ? [] : [text('{0}', model.license)]),
    ...(model.isGated ? [text('needs a token')] : []),
  ];
}

/** What is known of the machine of a model. */
interface Shown {
  readonly engine: Text;
  /** Who states the sizes. */
  readonly from: Text;
  readonly gpus: Gpus | undefined;
  readonly host: DownloadTerms;
}

/** How fast a machine downloads, and what that costs. */
export interface DownloadTerms {
  readonly inetDownMbit?: number | undefined;
  readonly inetDownPerGb?: Micros | undefined;
}

/** Returns the rows of a confirmation about a model on a machine. */
export function modelFactRows(model: ModelFacts, { engine, from, gpus, host }: Shown): readonly OrderFact[] {
  const about = [
    ...(model.parameters === undefined ? [] : [`${model.parameters}B`]),
    ...(model.format === undefined ? [] : [model.format]),
    model.license ?? '',
  ].filter((word) => word !== '');
  return [
    { id: 'model', label: text('Model'), value: [model.repository, ...about].join(' · ') },
    { id: 'engine', label: text('Inference server'), value: gpus ? engineText(engine, gpus) : engine },
    {
      id: 'memory',
      label: text('GPU memory'),
      value: text('{0} needed, by {1}', `${Math.ceil(neededGib(model))} GB`, from),
    },
    ...contextRow(model, gpus),
    { id: 'download', label: text('Download'), value: downloadText(model, host) },
  ];
}

function engineText(engine: Text, { count, gib }: Gpus): Text {
  return text('{0} on {1}', engine, `${sharedGpus(count)}× ${Math.round(gib)} GB`);
}

function contextRow(model: ModelFacts, gpus: Gpus | undefined): readonly OrderFact[] {
  const tokens = gpus && contextThatFits(model, gpus);
  if (tokens === undefined) {
    return [];
  }
  const rounded = tokensText(tokens);
  return [
    {
      id: 'context',
      label: text('Context'),
      value:
        tokens < agentTokens
          ? text('about {0} tokens, while agents need {1}', rounded, tokensText(agentTokens))
          : text('about {0} tokens', rounded),
    },
  ];
}

/** Returns text such as `32k`. */
export function tokensText(tokens: number): string {
  return tokens < 1024 ? String(tokens) : `${Math.floor(tokens / 1024)}k`;
}

/** The image is pulled by the host, and not paid. */
function downloadText(
  { weightBytes, engine }: ModelFacts,
  { inetDownMbit: mbit, inetDownPerGb: perGb }: DownloadTerms,
): Text {
  const bytes = bytesText(weightBytes);
  const ms =
    mbit === undefined || mbit <= 0 ? undefined : ((weightBytes + imageBytes[engine]) * 8) / mbit / 1000;
  const size =
    ms === undefined ? text('{0}', bytes) : text('{0}, about {1} with the image', bytes, durationText(ms));
  return perGb === undefined || perGb === 0
    ? size
    : text('{0}, {1}', size, text('traffic {0}', formatMoney(times(perGb, weightBytes / 1e9))));
}
