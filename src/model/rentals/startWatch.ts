import { isWithin } from '../../util/duration';
import * as z from 'zod';
import type { Instance } from '../instances/instance';
import { rentalEndOf } from '../instances/rentalEnd';
import {
  hasBeenReady,
  hasShell,
  instanceStates,
  intentOf,
  isFailedStatus,
  isLingering,
  plain,
  stateOf,
  type InstanceFacts,
  type OwnRequest,
} from '../instances/instanceState';
import { beginCheck, machineCheckShape } from './machineCheck';

/** One machine on its way to running; plain data, so that it survives a restart. */
export const startWatchShape = z
  .object({
    instanceId: z.number(),
    /** When it was rented, started or rebooted; milliseconds since 1970. */
    since: z.number(),
    cause: z.enum(['rent', 'start', 'reboot']),
    /** When the host's message changed last; the time-out counts from here. */
    messageAt: z.number(),
    message: z.string().exactOptional(),
    stage: z.enum(instanceStates),
    /** "Longer than usual" was said. */
    isLong: z.boolean(),
    /** When it was looked at last, in milliseconds since 1970; absent in what an older version wrote. */
    lookedAt: z.number().exactOptional(),
    /** It may have run while nobody looked. */
    hasGap: z.boolean().exactOptional(),
    /** It was in a list at least once. */
    wasSeen: z.boolean(),
    /** It runs, and is ready once a login worked. */
    check: machineCheckShape.exactOptional(),
  })
  .readonly();
export type StartWatch = z.infer<typeof startWatchShape>;

export const failureReasons = ['exited', 'unknown', 'offline', 'gaveUp', 'timedOut'] as const;
export type FailureReason = (typeof failureReasons)[number];

export type StartOutcome =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      /** It ran before: there is data on it, so nothing is replaced without a click that says so. */
      readonly hadData: boolean;
    }
  /** No failed start: the user stopped or destroyed it, here or elsewhere, or it ran and is in trouble now. */
  | { readonly kind: 'ended'; readonly why: 'stopped' | 'destroyed' | 'troubled' };

export interface StartStep {
  readonly watch: StartWatch;
  readonly outcome?: StartOutcome;
  /** True once, after five minutes. */
  readonly becameLong?: boolean;
}

/** A machine can be ready and exit again within this time without being seen. */
const longestGapMs = 2 * 60_000;

export interface StartLimits {
  /** Without a change of the host's message. */
  readonly timeoutMs: number;
  /** Whether a machine that runs is to prove that it can be used. */
  readonly checksLogin: boolean;
}

const longerThanUsualMs = 5 * 60_000;
/** Whatever the host says, nobody waits longer. */
const longestWaitMs = 60 * 60_000;
export function beginStartWatch(instanceId: number, cause: StartWatch['cause'], now: number): StartWatch {
  return {
    instanceId,
    since: now,
    cause,
    messageAt: now,
    lookedAt: now,
    stage: cause === 'rent' ? 'provisioning' : 'starting',
    isLong: false,
    wasSeen: false,
  };
}

/**
 * Takes one reading of a watched machine. `instance` is undefined when the list does not contain it, and
 * `ended` when it is proved to be gone. The intention decides before the status
 * (docs/service/instances.md#failed-statuses).
 */
export function observe(
  watch: StartWatch,
  instance: Instance | 'ended' | undefined,
  facts: InstanceFacts,
  now: number,
  limits: StartLimits,
): StartStep {
  const request = facts.lastRequest;
  const isDestroying = request?.kind === 'destroy';
  if (instance === 'ended' || (isDestroying && !isOpen(request, now))) {
    return { watch, outcome: { kind: 'ended', why: 'destroyed' } };
  }
  if (isDestroying) {
    // The service may still refuse it, and then the instance goes on starting.
    return { watch };
  }
  if (instance === undefined) {
    return tick(watch, false, now, limits);
  }
  const seen = withRecord(watch, instance, facts, now);
  // A list that was asked for before our start still says that it is to be stopped.
  const lingers = isLingering(instance, facts, now);
  if ((intentOf(instance, facts) === 'stopped' && !lingers) || facts.lastRequest?.kind === 'stop') {
    return { watch: seen, outcome: { kind: 'ended', why: 'stopped' } };
  }
  if (instance.actualStatus === 'running') {
    // A reboot that has not begun yet still shows `running`.
    const isBeforeReboot =
      watch.cause === 'reboot' &&
      facts.lastRequest?.tookEffect !== true &&
      isWithin(rebootGraceMs, watch.since, now);
    if (isBeforeReboot) {
      return { watch: seen };
    }
    return limits.checksLogin && hasShell(instance)
      ? { watch: { ...seen, check: seen.check ?? beginCheck(now) } }
      : { watch: seen, outcome: { kind: 'ready' } };
  }
  if (seen.check) {
    // It ran, so its start did not fail; whoever looks for trouble names what it is in.
    return isFailedStatus(instance.actualStatus)
      ? { watch: seen, outcome: { kind: 'ended', why: 'troubled' } }
      : { watch: seen };
  }
  // A start or reboot is of one that was there before; of a gap nobody knows what happened in it.
  const hadData = watch.cause !== 'rent' || seen.hasGap === true || hasBeenReady(instance, facts);
  if (lingers) {
    return tick(seen, facts.lastRequest?.queued === true, now, limits, hadData);
  }
  if (isFailedStatus(instance.actualStatus)) {
    return { watch: seen, outcome: { kind: 'failed', reason: instance.actualStatus, hadData } };
  }
  if (seen.stage === 'gaveUp' || seen.stage === 'exited') {
    return { watch: seen, outcome: { kind: 'failed', reason: seen.stage, hadData } };
  }
  return tick(seen, false, now, limits, hadData);
}

/** For this long after a destroy it is read back whether the instance is gone. */
const openDestroyMs = 2 * 60_000;

function isOpen({ tookEffect, at }: OwnRequest, now: number): boolean {
  return tookEffect !== true && isWithin(openDestroyMs, at, now);
}

/** How long a rebooting machine may go on showing `running` before that is taken for the end of it. */
const rebootGraceMs = 20_000;

function withRecord(watch: StartWatch, instance: Instance, facts: InstanceFacts, now: number): StartWatch {
  // What the host said before our start is about the end of the run before.
  const isOld =
    instance.statusMessage === undefined ||
    (isLingering(instance, facts, now) && facts.lastRequest?.queued !== true);
  const message = isOld ? undefined : plain(instance.statusMessage);
  const { message: before, ...rest } = watch;
  const hasChanged = message !== undefined && message !== '' && message !== before;
  const kept = hasChanged ? message : before;
  return {
    ...rest,
    ...(kept === undefined ? {} : { message: kept }),
    lookedAt: now,
    ...(hasGap(watch, now) ? { hasGap: true } : {}),
    // A clock that was set back counts anew.
    messageAt: hasChanged ? now : Math.min(watch.messageAt, now),
    stage: stateOf(instance, facts, now),
    wasSeen: true,
  };
}

function hasGap({ lookedAt }: StartWatch, now: number): boolean {
  return lookedAt === undefined || Math.abs(now - lookedAt) > longestGapMs;
}

/**
 * Applies the time limits. A start that waits for a free GPU is not timed, since nothing is being built, and the check of
 * one that runs has limits of its own.
 */
function tick(
  watch: StartWatch,
  isQueued: boolean,
  now: number,
  limits: StartLimits,
  hadData = false,
): StartStep {
  if (isQueued || watch.check) {
    return { watch };
  }
  const timeoutMs = Math.min(limits.timeoutMs, longestWaitMs);
  if (now - watch.messageAt >= timeoutMs || now - watch.since >= longestWaitMs) {
    return { watch, outcome: { kind: 'failed', reason: 'timedOut', hadData } };
  }
  if (!watch.isLong && now - watch.since >= longerThanUsualMs) {
    return { watch: { ...watch, isLong: true }, becameLong: true };
  }
  return { watch };
}

/** What goes wrong with a machine that ran; said once, and again only after it recovered. */
export const troubles = ['unknown', 'offline', 'outbid', 'exited'] as const;
export type Trouble = (typeof troubles)[number];

/** The trouble an instance that has been ready is in now, if any. */
export function troubleOf(instance: Instance, facts: InstanceFacts, now: number): Trouble | undefined {
  if (!hasBeenReady(instance, facts) || intentOf(instance, facts) === 'stopped') {
    return undefined;
  }
  const kind = stateOf(instance, facts, now);
  if (rentalEndOf(instance, kind, now)?.kind === 'expired') {
    // The end of its rental has words of its own.
    return undefined;
  }
  return kind === 'unknown' || kind === 'offline' || kind === 'outbid' || kind === 'exited'
    ? kind
    : undefined;
}
