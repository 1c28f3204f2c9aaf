import * as z from 'zod';
import { isWithin } from '../../util/duration';
import { plainLabel } from '../../util/plainLabel';
import { text, type Text } from '../../util/text';
import type { Micros } from '../money';
import { noRate, perHour, runningRateOf, stoppedRateOf, sumRates, type Rate } from '../quote';
import { isPastEnd, type Instance } from './instance';

/** The last request that any window sent for an instance. */
export const ownRequest = z
  .object({
    /** `recycle` creates the container again, with the same image or another. All data in it is lost. */
    kind: z.enum(['start', 'stop', 'reboot', 'recycle', 'destroy']),
    /** Milliseconds since 1970. */
    at: z.number(),
    /** True if the service answered that the start waits for resources (docs/service/instances.md#start). */
    queued: z.boolean().exactOptional(),
    /** True once the service accepted the request; sessions on the machine end within moments. */
    isAccepted: z.literal(true).exactOptional(),
    /** True once the effect was seen: a started instance left `exited`, or a destroyed one left the list. */
    tookEffect: z.boolean().exactOptional(),
    /** When the destroyed contract began (Unix seconds). The user's request applies only to that contract. */
    createdAt: z.number().exactOptional(),
  })
  .readonly();
export type OwnRequest = z.infer<typeof ownRequest>;

/** What we know about an instance in addition to its record. */
export const instanceFacts = z
  .object({
    lastRequest: ownRequest.exactOptional(),
    /** When the instance was first seen running (ms since 1970). Any failure after that may lose data. */
    readyAt: z.number().exactOptional(),
    /** When the current run was first seen (ms since 1970); absent while the instance does not run. */
    runningAt: z.number().exactOptional(),
    /**
     * When the instance was stopped, by our own request, or when it was first seen
     * stopped (ms since 1970); absent while it runs. The record does not state it.
     */
    stoppedAt: z.number().exactOptional(),
    /** Since when each list has shown it stopped, without a pause in which it could have run (ms since 1970). */
    stillSince: z.number().exactOptional(),
  })
  .readonly();
export type InstanceFacts = z.infer<typeof instanceFacts>;
export const noFacts: InstanceFacts = {};

/** Returns which kind of start our request causes. A recycled container starts as after a reboot. */
export function startCauseOf(request: OwnRequest | undefined): 'start' | 'reboot' | undefined {
  if (request?.kind === 'recycle') {
    return 'reboot';
  }
  return request?.kind === 'start' || request?.kind === 'reboot' ? request.kind : undefined;
}

export const instanceStates = [
  'provisioning',
  'loading',
  'starting',
  'queued',
  'running',
  'stopping',
  'stopped',
  'exited',
  'outbid',
  'unknown',
  'offline',
  'gaveUp',
  'frozen',
  'destroying',
  'other',
] as const;
export type InstanceStateKind = (typeof instanceStates)[number];

/** How long `exited` may remain after a start before it counts as a failure (ms). */
export const lingerGraceMs = 120_000;

/** How long a start of ours may be scheduled before its GPU counts as rented to another user (ms). */
export const schedulingGraceMs = 30_000;

/** How long a destroyed instance may stay in the list before it is shown as existing again (ms). */
export const destroyGraceMs = 10 * 60_000;

/** Statuses in which a machine that never ran will not get ready (docs/service/instances.md#failed-statuses). */
export type FailedStatus = 'exited' | 'unknown' | 'offline';
const failedStatuses: readonly string[] = ['exited', 'unknown', 'offline'] satisfies FailedStatus[];

export function isFailedStatus(status: string | null | undefined): status is FailedStatus {
  return typeof status === 'string' && failedStatuses.includes(status);
}

/**
 * Returns whether an interruptible instance that ran was stopped by the service: it then records the intention to stop as
 * if it were the user's (docs/service/instances.md#loss-of-the-bid). A stop of ours is known.
 */
export function wasOutbid(instance: Instance, facts: InstanceFacts): boolean {
  const isStill = instance.actualStatus === 'exited' || instance.actualStatus === 'stopped';
  return (
    isStill &&
    instance.isInterruptible === true &&
    instance.intendedStatus === 'stopped' &&
    facts.lastRequest?.kind !== 'stop' &&
    hasBeenReady(instance, facts)
  );
}

/**
 * Returns whether the instance should run: as the record states, else as we last requested, else as the contract's
 * own states suggest (docs/service/instances.md#intended-state).
 */
export function intentOf(instance: Instance, facts: InstanceFacts = noFacts): 'running' | 'stopped' {
  const recorded = instance.intendedStatus;
  if (wasOutbid(instance, facts)) {
    return 'running';
  }
  if (recorded !== undefined) {
    return recorded === 'stopped' ? 'stopped' : 'running';
  }
  if (facts.lastRequest !== undefined) {
    return facts.lastRequest.kind === 'stop' ? 'stopped' : 'running';
  }
  if (instance.nextState !== undefined) {
    return instance.nextState === 'stopped' ? 'stopped' : 'running';
  }
  // `stopped` is no failure; `exited` may be one.
  return instance.actualStatus === 'stopped' ||
    (instance.actualStatus === 'exited' && instance.currentState === 'stopped')
    ? 'stopped'
    : 'running';
}

/** Returns true while our own stop has been sent and the record may not show it yet. */
function stopIsUnderWay(facts: InstanceFacts, now: number): boolean {
  return facts.lastRequest?.kind === 'stop' && isWithin(lingerGraceMs, facts.lastRequest.at, now);
}

/** Returns whether the record says so of a start whose answer was lost; its words may date from an earlier start. */
function isSaidToWait(instance: Instance, request: OwnRequest | undefined, now: number): boolean {
  return (
    request?.kind === 'start' &&
    instance.intendedStatus === 'running' &&
    now - request.at >= schedulingGraceMs &&
    takenGpuWords(instance) !== undefined
  );
}

/** Returns true if `exited` dates from before a start or reboot and has had no time to change. */
export function isLingering(instance: Instance, facts: InstanceFacts, now: number): boolean {
  const request = facts.lastRequest;
  if (request === undefined || startCauseOf(request) === undefined) {
    return false;
  }
  const isStill = instance.actualStatus === 'exited' || instance.actualStatus === 'stopped';
  // A queued start waits as long as the service intends it to run; it may be canceled elsewhere.
  const isQueued = request.queued === true || isSaidToWait(instance, request, now);
  const waits = isQueued && instance.intendedStatus !== 'stopped';
  return isStill && request.tookEffect !== true && (waits || isWithin(lingerGraceMs, request.at, now));
}

/** The service's words for a GPU that another user has. */
const gpuIsTaken = /\bresources are (?:currently )?unavailable\b/i;

/** Returns what the service says of a GPU that another user has, if the record states it. */
export function takenGpuWords({ statusMessage }: Instance): string | undefined {
  return statusMessage !== undefined && gpuIsTaken.test(statusMessage)
    ? plainLabel(statusMessage)
    : undefined;
}

/**
 * Returns whether a start waits in the service's queue, because another user has the GPU. Of one that was asked for
 * elsewhere, the record must say so.
 */
function isInQueue(instance: Instance, facts: InstanceFacts, now: number): boolean {
  const { lastRequest } = facts;
  if (instance.actualStatus !== 'scheduling' || instance.intendedStatus === 'stopped') {
    return false;
  }
  return lastRequest?.kind === 'start'
    ? lastRequest.queued === true || now - lastRequest.at >= schedulingGraceMs
    : !stopIsUnderWay(facts, now) && hasBeenReady(instance, facts) && takenGpuWords(instance) !== undefined;
}

/** Returns a state for every possible record. An undocumented status is `other`. */
export function stateOf(instance: Instance, facts: InstanceFacts, now: number): InstanceStateKind {
  const status = instance.actualStatus ?? null;
  const request = facts.lastRequest;
  // An instance that returned to the list, or never left it, is shown in its actual state.
  if (
    request?.kind === 'destroy' &&
    request.tookEffect !== true &&
    isWithin(destroyGraceMs, request.at, now)
  ) {
    return 'destroying';
  }
  if (isLingering(instance, facts, now)) {
    return request?.queued === true || isSaidToWait(instance, request, now) ? 'queued' : 'starting';
  }
  if (isInQueue(instance, facts, now)) {
    return 'queued';
  }
  const isStill = status === 'exited' || status === 'stopped';
  if (wasOutbid(instance, facts)) {
    return 'outbid';
  }
  if (intentOf(instance, facts) === 'stopped') {
    if (isStill) {
      return 'stopped';
    }
    return status === 'unknown' || status === 'offline' ? status : 'stopping';
  }
  if (stopIsUnderWay(facts, now)) {
    return isStill ? 'stopped' : 'stopping';
  }
  return stateWhileMeantToRun(instance, facts, status);
}

function stateWhileMeantToRun(
  instance: Instance,
  facts: InstanceFacts,
  status: string | null,
): InstanceStateKind {
  switch (status) {
    case null:
      return 'provisioning';
    case 'loading':
    case 'running':
    case 'unknown':
    case 'offline':
      return status;
    case 'exited':
      return instance.isInterruptible === true && hasBeenReady(instance, facts) ? 'outbid' : 'exited';
    case 'stopped':
      return 'exited';
    case 'created':
      // If the contract stops during the boot, the service has given up the start
      // (docs/service/instances.md#intended-state).
      return instance.currentState === 'stopped' ? 'gaveUp' : 'provisioning';
    case 'scheduling':
    case 'rebooting':
    case 'recycling':
      return 'starting';
    case 'frozen':
      return status;
    default:
      return 'other';
  }
}

/** Returns whether the instance ever ran and so may have data to lose. */
export function hasBeenReady(instance: Instance, facts: InstanceFacts): boolean {
  return facts.readyAt !== undefined || (instance.uptimeMinutes ?? 0) > 0;
}

const startingKinds: readonly InstanceStateKind[] = ['provisioning', 'loading', 'starting'];
const failedKinds: readonly InstanceStateKind[] = ['exited', 'outbid', 'unknown', 'offline', 'gaveUp'];

/** Returns true while the instance is about to run; so that the list should be read often. */
export function isStarting(kind: InstanceStateKind): boolean {
  return startingKinds.includes(kind);
}

/** Returns true while the instance changes state in either direction, so that the list should be read often. */
export function isChanging(kind: InstanceStateKind): boolean {
  return isStarting(kind) || kind === 'stopping' || kind === 'destroying';
}

export function isReady(kind: InstanceStateKind): boolean {
  return kind === 'running';
}

/** Returns true if the instance should run but will not, according to all we know. */
export function isFailed(kind: InstanceStateKind, intent: 'running' | 'stopped'): boolean {
  return intent === 'running' && failedKinds.includes(kind);
}

/**
 * A failed machine costs only its disk (docs/service/instances.md#failed-statuses). Any state that may compute counts
 * in full, and so does a frozen one, whose GPU is kept.
 */
export type Billing = 'running' | 'disk';

const billing: Record<InstanceStateKind, Billing> = {
  provisioning: 'running',
  loading: 'running',
  starting: 'running',
  queued: 'disk',
  running: 'running',
  stopping: 'running',
  stopped: 'disk',
  exited: 'disk',
  outbid: 'disk',
  unknown: 'disk',
  offline: 'disk',
  gaveUp: 'disk',
  frozen: 'running',
  destroying: 'running',
  other: 'running',
};

/**
 * Returns what an instance in this state is charged for. A running contract is charged in full, for any report
 * of its container: some report `exited` for as long as they work (docs/service/instances.md#failed-statuses).
 */
export function billingOf(instance: Pick<Instance, 'currentState'>, kind: InstanceStateKind): Billing {
  return instance.currentState === 'running' ? 'running' : billing[kind];
}

/**
 * Returns the cost in this state: everything, or only the disk. If the price of the disk is unknown, returns the full
 * price, so that the cost is never shown too low.
 */
export function rateOf(instance: Instance, kind: InstanceStateKind): Rate | undefined {
  const running = runningRateOf(instance);
  return billingOf(instance, kind) === 'disk' ? (stoppedRateOf(instance) ?? running) : running;
}

/** Returns whether `rateOf` is only an upper bound, because the record does not state the price of the disk. */
export function isRateAtMost(instance: Instance, kind: InstanceStateKind): boolean {
  return billingOf(instance, kind) === 'disk' && stoppedRateOf(instance) === undefined;
}

export function costPerHour(instance: Instance, kind: InstanceStateKind): Micros | undefined {
  const rate = rateOf(instance, kind);
  return rate === undefined ? undefined : perHour(rate);
}

/**
 * Returns the cost of all instances per hour; `isPartial` if a price is missing, `isAtMost` if one is an upper bound.
 */
export function fleetCostPerHour(instances: readonly (readonly [Instance, InstanceStateKind])[]): {
  readonly perHour: Micros;
  readonly rate: Rate;
  readonly isPartial: boolean;
  readonly isAtMost: boolean;
} {
  const rates = instances.map(([instance, kind]) => rateOf(instance, kind));
  const rate = sumRates(...rates.map((one) => one ?? noRate));
  return {
    perHour: perHour(rate),
    rate,
    isPartial: rates.includes(undefined),
    isAtMost: instances.some(
      ([instance, kind], at) => rates[at] !== undefined && isRateAtMost(instance, kind),
    ),
  };
}

/** What the user may do with an instance. All menus and commands use these flags. */
export interface InstanceActions {
  readonly canStart: boolean;
  readonly canStop: boolean;
  readonly canReboot: boolean;
  readonly canDestroy: boolean;
  readonly canConnect: boolean;
  /** By a login, or from a stopped instance through its host. */
  readonly canDownload: boolean;
  readonly canReplace: boolean;
  readonly canChangeBid: boolean;
  readonly canRunCommand: boolean;
}

/**
 * Returns whether the instance has a shell. Run type `args` has neither SSH nor Jupyter
 * (docs/service/renting.md#run-types).
 */
export function hasShell(instance: Instance): boolean {
  const runtype = instance.runtype?.trim();
  return runtype === undefined || runtype === '' || !/^args\b/.test(runtype);
}

/** States in which the host gives the files of an instance away (docs/service/commands.md#copy-to-this-computer). */
const servedByHost: readonly InstanceStateKind[] = ['stopped', 'queued', 'outbid'];

export function actionsFor(instance: Instance, facts: InstanceFacts, now: number): InstanceActions {
  const kind = stateOf(instance, facts, now);
  const intent = intentOf(instance, facts);
  const isGoing = kind === 'destroying';
  // A container that reports its end beside a contract that runs may still let the user in.
  const canConnect =
    (kind === 'running' || (kind === 'exited' && instance.currentState === 'running')) && hasShell(instance);
  return {
    // The service stopped it, so it may be started again once its bid is high enough.
    canStart:
      (kind === 'stopped' || (kind === 'outbid' && instance.intendedStatus === 'stopped')) &&
      !isPastEnd(instance, now),
    // Stop is available in every state except for an instance that has stopped or is stopping.
    canStop: !isGoing && kind !== 'stopped' && kind !== 'stopping',
    canReboot: kind === 'running',
    canDestroy: true,
    canConnect,
    canDownload: canConnect || (servedByHost.includes(kind) && hasShell(instance)),
    canReplace: isFailed(kind, intent),
    canChangeBid: !isGoing && instance.isInterruptible === true,
    canRunCommand: kind === 'running' || kind === 'stopped',
  };
}

const labels: Record<Exclude<InstanceStateKind, 'other'>, Text> = {
  provisioning: text('Preparing'),
  loading: text('Loading image'),
  starting: text('Starting'),
  queued: text('Another user has the GPU'),
  running: text('Running'),
  stopping: text('Stopping'),
  stopped: text('Stopped'),
  exited: text('Exited'),
  outbid: text('Outbid'),
  unknown: text('No heartbeat from the host'),
  offline: text('Host disconnected'),
  gaveUp: text('Gave up starting'),
  frozen: text('Frozen, charged in full'),
  destroying: text('Destroying'),
};

export function stateLabel(instance: Instance, kind: InstanceStateKind): Text {
  return kind === 'other' ? text('State "{0}"', plainLabel(instance.actualStatus ?? '')) : labels[kind];
}

export type StateIcon = 'running' | 'starting' | 'stopped' | 'failed' | 'warning' | 'other';

/**
 * Warning icons are only for machines that ran before: they hold data, and nothing resolves their state
 * automatically.
 */
export function stateIcon(instance: Instance, facts: InstanceFacts, kind: InstanceStateKind): StateIcon {
  if (isStarting(kind) || kind === 'stopping' || kind === 'destroying' || kind === 'queued') {
    return 'starting';
  }
  if (kind === 'running' || kind === 'stopped' || kind === 'other') {
    return kind;
  }
  if (kind === 'frozen') {
    return 'warning';
  }
  return hasBeenReady(instance, facts) || intentOf(instance, facts) === 'stopped' ? 'warning' : 'failed';
}
