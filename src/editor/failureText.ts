import type { FailureReason, Trouble } from '../model/rentals/startWatch';
import { durationText } from '../util/duration';
import { plainLabel } from '../util/plainLabel';
import { localize, t } from './localize';
import { momentText } from './timeText';

/** Returns the sentence for a failed start, followed by the host's own message if there is one. */
export function failureSentence(name: string, reason: FailureReason, message: string | undefined): string {
  const sentences: Record<FailureReason, string> = {
    exited: t('{0} will not get ready: its container ended.', name),
    unknown: t('{0} will not get ready: its host sends no heartbeat.', name),
    offline: t('{0} will not get ready: its host is disconnected.', name),
    gaveUp: t('{0} will not get ready: its host gave up starting it.', name),
    timedOut: t('{0} did not get ready in time. It may still become ready.', name),
  };
  return [sentences[reason], ...hostSentences(message)].join(' ');
}

/** Returns what the host says and, if it is known, what that means. */
export function hostSentences(message: string | undefined): readonly string[] {
  const sentence = message === undefined ? '' : plainLabel(message).slice(0, 300);
  if (sentence === '') {
    return [];
  }
  const meaning = failureMeaning(sentence);
  const quoted = t('The host says: {0}', /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`);
  return meaning === undefined ? [quoted] : [quoted, meaning];
}

/** Explains known messages of hosts in plain words. */
function failureMeaning(message: string): string | undefined {
  const meanings: readonly (readonly [RegExp, () => string])[] = [
    [
      /^(?:(?!manifest).)*manifest.*(?:unknown|not found)|repository does not exist|no such image|pull access denied/i,
      () => t('The image does not exist or needs a login: check its name and tag.'),
    ],
    [
      /unauthorized|authentication required|incorrect username or password/i,
      () => t('The image registry refused the login.'),
    ],
    [
      /toomanyrequests|rate limit/i,
      () => t('The image registry does not allow this host more downloads for now. Another host may work.'),
    ],
    [
      /no space left|disk quota/i,
      () => t('The disk is too small for the image: rent again with a bigger one.'),
    ],
    [
      /nvidia|cuda|could not select device driver|oci runtime/i,
      () => t('The host has a problem with its GPU driver or containers. Another host may work.'),
    ],
  ];
  return meanings.find(([pattern]) => pattern.test(message))?.[1]();
}

/** Says how long the data of an outbid machine is kept, if the host says when the rental ends. */
export function keptSentence(endsAtMs: number, now: number): string {
  return t(
    'Its data is kept until the rental ends in {0}, at {1}, and may be deleted 48 h later.',
    localize(durationText(endsAtMs - now)),
    momentText(endsAtMs, now),
  );
}

/** Describes a start that waits; `price` is what it costs per day until then. */
export function noGpuSentence(name: string, price: string): string {
  return t(
    '{0} is waiting for its GPU, which another user has. It starts when the GPU is free and costs {1} until then.',
    name,
    price,
  );
}

/** Describes trouble of a machine that ran; `price` is what it still costs per day. */
export function troubleSentence(name: string, trouble: Trouble, price: string): string {
  const sentences: Record<Trouble, string> = {
    unknown: t(
      'The host of {0} sends no heartbeat. Its data may come back with it; storage still costs {1}.',
      name,
      price,
    ),
    offline: t(
      'The host of {0} is disconnected. Its data may come back with it; storage still costs {1}.',
      name,
      price,
    ),
    outbid: t(
      '{0} was outbid and is paused. It runs again when your bid is the highest; storage still costs {1}.',
      name,
      price,
    ),
    exited: t('{0} has exited. Its data is kept; storage still costs {1}.', name, price),
  };
  return sentences[trouble];
}
