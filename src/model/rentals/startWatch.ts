import * as z from 'zod';
import { isWithin } from '../../util/duration';
import { plainLabel } from '../../util/plainLabel';
import type { Instance } from '../instances/instance';
import {
  hasBeenReady,
  hasShell,
  instanceStates,
  intentOf,
  isFailedStatus,
  isLingering,
  stateOf,
  wasOutbid,
  type InstanceFacts,
  type OwnRequest,
} from '../instances/instanceState';
import { rentalEndOf } from '../instances/rentalEnd';
import { beginCheck, machineCheckShape } from './machineCheck';

export const failureReasons = ['exited', 'unknown', 'offline', 'gaveUp', 'timedOut'] as const;
export type FailureReason = (typeof failureReasons)[number];

/** A starting machine; plain data, so that it survives a restart. */
export const startWatchShape = z
  .object({
    instanceId: z.number(),
    /** When it was rented, started or rebooted; milliseconds since 1970. */
    since: z.number(),
    cause: z.enum(['rent', 'start', 'reboot']),
    /** The longest wait counts from here: `since`, or an earlier time if the clock was set back. */
    countedFrom: z.number().exactOptional(),
    /** When the host's message last changed; the time-out counts from here. */
    messageAt: z.number(),
    message: z.string().exactOptional(),
    stage: z.enum(instanceStates),
    /** True after five minutes. */
    isLong: z.boolean(),
    /** When it was last observed, in milliseconds since 1970; absent if an older version wrote the file. */
    lookedAt: z.number().exactOptional(),
    /** True if it may have run while it was not observed. */
    hasGap: z.boolean().exactOptional(),
    /** True once a list contained it. */
    wasSeen: z.boolean(),
    /** Set once it runs; it is ready after a successful login. */
    check: machineCheckShape.exactOptional(),
    /** The failure that was reported. The watch continues, because the machine may run later and cost money. */
    failed: z.enum(failureReasons).exactOptional(),
  })
  .readonly();
export type StartWatch = z.infer<typeof startWatchShape>;

/** Returns whether the start is still waited for, or running and checked. */
export function isUnderWay({ failed, check }: StartWatch): boolean {
  return failed === undefined || check !== undefined;
}

export type StartOutcome =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      /** True if it ran before: it may hold data, so it is replaced only after a click that names the loss. */
      readonly hadData: boolean;
    }
  /** Not a failed start: it was stopped or destroyed, here or elsewhere, or it ran and now has a problem. */
  | { readonly kind: 'ended'; readonly why: 'stopped' | 'destroyed' | 'troubled' };

export interface StartStep {
  readonly watch: StartWatch;
  readonly outcome?: StartOutcome;
}

/** A machine can become ready and exit again within this time without being noticed (ms). */
const longestGapMs = 2 * 60_000;

export interface StartLimits {
  /** The time-out without a change of the host's message. */
  readonly timeoutMs: number;
  /** True if a running machine must prove that it can be used. */
  readonly checksLogin: boolean;
}

const longerThanUsualMs = 5 * 60_000;
/** The longest wait for a start, regardless of the host's messages (ms). */
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
 * Applies one observation of a watched machine. `instance` is undefined if the list does not contain it, and `ended` if
 * it is proved to be gone. The intended state takes precedence over the status
 * (docs/service/instances.md#failed-statuses).
 */
export function observe(
  before: StartWatch,
  instance: Instance | 'ended' | undefined,
  facts: InstanceFacts,
  now: number,
  limits: StartLimits,
): StartStep {
  const watch = notAhead(before, now);
  const request = facts.lastRequest;
  const isDestroying = request?.kind === 'destroy';
  if (instance === 'ended' || (isDestroying && !isOpen(request, now))) {
    return { watch, outcome: { kind: 'ended', why: 'destroyed' } };
  }
  if (isDestroying) {
    // The service may still refuse to destroy it, and then the instance keeps starting.
    return { watch };
  }
  if (instance === undefined) {
    return tick(watch, false, now, limits);
  }
  const seen = withRecord(watch, instance, facts, now);
  // A list that was requested before our start still shows the intent to stop.
  const lingers = isLingering(instance, facts, now);
  if ((intentOf(instance, facts) === 'stopped' && !lingers) || facts.lastRequest?.kind === 'stop') {
    return { watch: seen, outcome: { kind: 'ended', why: 'stopped' } };
  }
  if (wasOutbid(instance, facts)) {
    // It ran, so this is no failed start; the loss of the bid is reported separately.
    return { watch: seen, outcome: { kind: 'ended', why: 'troubled' } };
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
    // Its start succeeded, because it ran; the trouble is reported separately.
    return isFailedStatus(instance.actualStatus)
      ? { watch: seen, outcome: { kind: 'ended', why: 'troubled' } }
      : { watch: seen };
  }
  const hadData = mayHaveRunUnseen(watch, now) || hasBeenReady(instance, facts);
  if (lingers) {
    return tick(seen, seen.stage === 'queued', now, limits, hadData);
  }
  if (isFailedStatus(instance.actualStatus)) {
    return failedStep(seen, instance.actualStatus, hadData);
  }
  if (seen.stage === 'gaveUp' || seen.stage === 'exited') {
    return failedStep(seen, seen.stage, hadData);
  }
  return tick(seen, seen.stage === 'queued', now, limits, hadData);
}

/** Reports a failure once. One that did not get ready in time may still fail finally. */
function failedStep(watch: StartWatch, reason: FailureReason, hadData: boolean): StartStep {
  if (watch.failed !== undefined && (watch.failed !== 'timedOut' || reason === 'timedOut')) {
    return { watch };
  }
  return { watch: { ...watch, failed: reason }, outcome: { kind: 'failed', reason, hadData } };
}

/** How long after a destroy request it is verified that the instance is gone (ms). */
const openDestroyMs = 2 * 60_000;

function isOpen({ tookEffect, at }: OwnRequest, now: number): boolean {
  return tookEffect !== true && isWithin(openDestroyMs, at, now);
}

/** How long a rebooting machine may show `running` before the reboot counts as complete (ms). */
const rebootGraceMs = 20_000;

function withRecord(watch: StartWatch, instance: Instance, facts: InstanceFacts, now: number): StartWatch {
  // A message from before our start is about the end of the previous run.
  const isOld =
    instance.statusMessage === undefined ||
    (isLingering(instance, facts, now) && facts.lastRequest?.queued !== true);
  const message = isOld ? undefined : plainLabel(instance.statusMessage);
  const { message: before, ...rest } = watch;
  const hasChanged = message !== undefined && message !== '' && message !== before;
  const kept = hasChanged ? message : before;
  return {
    ...rest,
    ...(kept === undefined ? {} : { message: kept }),
    lookedAt: now,
    ...(hasGap(watch, now) ? { hasGap: true } : {}),
    messageAt: hasChanged ? now : watch.messageAt,
    stage: stateOf(instance, facts, now),
    wasSeen: true,
  };
}

/** Keeps a clock that was set back from extending the time limits. `since` stays, because it names the start. */
function notAhead(watch: StartWatch, now: number): StartWatch {
  const { since, countedFrom = since, messageAt } = watch;
  return {
    ...watch,
    messageAt: Math.min(messageAt, now),
    ...(countedFrom > now ? { countedFrom: now } : {}),
  };
}

/**
 * Returns whether the machine may have run without being observed. A start or reboot affects an existing machine, and
 * during a gap anything may have happened.
 */
export function mayHaveRunUnseen(watch: StartWatch, now: number): boolean {
  return watch.cause !== 'rent' || watch.hasGap === true || hasGap(watch, now);
}

function hasGap({ lookedAt }: StartWatch, now: number): boolean {
  return lookedAt === undefined || Math.abs(now - lookedAt) > longestGapMs;
}

/**
 * Applies the time limits. A start that waits for a free GPU has none, because nothing is being built. The check of a
 * running machine has its own.
 */
function tick(
  watch: StartWatch,
  isQueued: boolean,
  now: number,
  limits: StartLimits,
  hadData = false,
): StartStep {
  if (isQueued || watch.check || watch.failed !== undefined) {
    return { watch };
  }
  const timeoutMs = Math.min(limits.timeoutMs, longestWaitMs);
  const waitedMs = now - (watch.countedFrom ?? watch.since);
  if (now - watch.messageAt >= timeoutMs || waitedMs >= longestWaitMs) {
    return failedStep(watch, 'timedOut', hadData);
  }
  return { watch: { ...watch, isLong: watch.isLong || waitedMs >= longerThanUsualMs } };
}

/** Problems of a machine that has run; each is reported once, and again only after a recovery. */
export const troubles = ['unknown', 'offline', 'outbid', 'exited'] as const;
export type Trouble = (typeof troubles)[number];

/** Returns the present trouble of an instance that has been ready, if any. */
export function troubleOf(instance: Instance, facts: InstanceFacts, now: number): Trouble | undefined {
  if (!hasBeenReady(instance, facts) || intentOf(instance, facts) === 'stopped') {
    return undefined;
  }
  const kind = stateOf(instance, facts, now);
  if (rentalEndOf(instance, kind, now)?.kind === 'expired') {
    // The end of a rental has its own message.
    return undefined;
  }
  return kind === 'unknown' || kind === 'offline' || kind === 'outbid' || kind === 'exited'
    ? kind
    : undefined;
}
