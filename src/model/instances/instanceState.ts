import * as z from 'zod';
import { plainLabel as plain } from '../../util/plainLabel';
import { text, type Text } from '../../util/text';
import type { Instance } from './instance';
import type { Micros } from '../money';
import { noRate, perHour, runningRateOf, stoppedRateOf, sumRates, type Rate } from '../quote';

/** What we asked of an instance last, from any window. */
export const ownRequest = z
  .object({
    /** `recycle`: its container is created again, with the same image or another; the data on it is lost. */
    kind: z.enum(['start', 'stop', 'reboot', 'recycle', 'destroy']),
    /** Milliseconds since 1970. */
    at: z.number(),
    /** The service answered that the start waits for resources (docs/service/instances.md#start). */
    queued: z.boolean().exactOptional(),
    /** The service took it: sessions on the machine end in a moment. */
    isAccepted: z.literal(true).exactOptional(),
    /** What was asked for was seen to begin: a start left `exited`, a destroyed one left the list. */
    tookEffect: z.boolean().exactOptional(),
    /** When the contract began that was to be destroyed, in Unix seconds: the word of the user is for that one. */
    createdAt: z.number().exactOptional(),
  })
  .readonly();
export type OwnRequest = z.infer<typeof ownRequest>;

/** What is known about an instance beside its record. */
export const instanceFacts = z
  .object({
    lastRequest: ownRequest.exactOptional(),
    /** When it was first seen running, in milliseconds; from then on a failure costs data. */
    readyAt: z.number().exactOptional(),
    /** Since when it runs this time, as far as it was seen; absent while it does not. */
    runningAt: z.number().exactOptional(),
  })
  .readonly();
export type InstanceFacts = z.infer<typeof instanceFacts>;
export const noFacts: InstanceFacts = {};

/** Which start a request of ours sets going; a container that is created again starts as after a reboot. */
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
  'destroying',
  'other',
] as const;
export type InstanceStateKind = (typeof instanceStates)[number];

/** How long `exited` may linger after a start before it counts as a failure. */
export const lingerGraceMs = 120_000;

/** How long a destroyed instance may stay in the list before it counts as one that is still there. */
export const destroyGraceMs = 10 * 60_000;

/**
 * Statuses on which a machine that never ran will not get ready (docs/service/instances.md#failed-statuses).
 */
export type FailedStatus = 'exited' | 'unknown' | 'offline';
const failedStatuses: readonly string[] = ['exited', 'unknown', 'offline'] satisfies FailedStatus[];

export function isFailedStatus(status: string | null | undefined): status is FailedStatus {
  return typeof status === 'string' && failedStatuses.includes(status);
}

/**
 * Returns whether the instance is meant to run: as the record states it, else as we asked last, else as the
 * contract's own states suggest (docs/service/instances.md#intended-state).
 */
export function intentOf(instance: Instance, facts: InstanceFacts = noFacts): 'running' | 'stopped' {
  const recorded = instance.intendedStatus;
  if (recorded !== undefined) {
    return recorded === 'stopped' ? 'stopped' : 'running';
  }
  if (facts.lastRequest !== undefined) {
    return facts.lastRequest.kind === 'stop' ? 'stopped' : 'running';
  }
  if (instance.nextState !== undefined) {
    return instance.nextState === 'stopped' ? 'stopped' : 'running';
  }
  const isStill = instance.actualStatus === 'exited' || instance.actualStatus === 'stopped';
  return isStill && instance.currentState === 'stopped' ? 'stopped' : 'running';
}

/** True while our own stop was sent and the record may not show it yet. */
function stopIsUnderWay(facts: InstanceFacts, now: number): boolean {
  return facts.lastRequest?.kind === 'stop' && now - facts.lastRequest.at < lingerGraceMs;
}

/** `exited` that was there before a start or reboot and has had no time to go away. */
export function isLingering(instance: Instance, facts: InstanceFacts, now: number): boolean {
  const request = facts.lastRequest;
  if (request === undefined || startCauseOf(request) === undefined) {
    return false;
  }
  const isStill = instance.actualStatus === 'exited' || instance.actualStatus === 'stopped';
  // It waits for as long as the service means it to run; it may be cancelled elsewhere.
  const waits = request.queued === true && instance.intendedStatus !== 'stopped';
  return isStill && request.tookEffect !== true && (waits || now - request.at < lingerGraceMs);
}

/** One state for every record there can be; text that is not documented is `other`. */
export function stateOf(instance: Instance, facts: InstanceFacts, now: number): InstanceStateKind {
  const status = instance.actualStatus ?? null;
  const request = facts.lastRequest;
  // One that came back after it was gone, or never went, is shown as what it is.
  if (request?.kind === 'destroy' && request.tookEffect !== true && now - request.at < destroyGraceMs) {
    return 'destroying';
  }
  if (isLingering(instance, facts, now)) {
    return request?.queued === true ? 'queued' : 'starting';
  }
  const isStill = status === 'exited' || status === 'stopped';
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
      // A contract that stopped during the boot means that the service gave the boot up
      // (docs/service/instances.md#intended-state).
      return instance.currentState === 'stopped' ? 'gaveUp' : 'provisioning';
    case 'scheduling':
    case 'rebooting':
      return 'starting';
    default:
      return 'other';
  }
}

/** Whether it ever ran, so that there is data on it to lose. */
export function hasBeenReady(instance: Instance, facts: InstanceFacts): boolean {
  return facts.readyAt !== undefined || (instance.uptimeMinutes ?? 0) > 0;
}

const startingKinds: readonly InstanceStateKind[] = ['provisioning', 'loading', 'starting'];
const failedKinds: readonly InstanceStateKind[] = ['exited', 'outbid', 'unknown', 'offline', 'gaveUp'];

/** On its way to running; the list is read often while this is so. */
export function isStarting(kind: InstanceStateKind): boolean {
  return startingKinds.includes(kind);
}

/** Between two states, in either direction; worth reading the list often. */
export function isChanging(kind: InstanceStateKind): boolean {
  return isStarting(kind) || kind === 'stopping' || kind === 'destroying';
}

export function isReady(kind: InstanceStateKind): boolean {
  return kind === 'running';
}

/** Meant to run and will not, as far as anybody can tell. */
export function isFailed(kind: InstanceStateKind, intent: 'running' | 'stopped'): boolean {
  return intent === 'running' && failedKinds.includes(kind);
}

/**
 * A failed machine costs its disk (docs/service/instances.md#failed-statuses). Anything that may compute
 * counts in full.
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
  destroying: 'running',
  other: 'running',
};

export function billingOf(kind: InstanceStateKind): Billing {
  return billing[kind];
}

/** What it costs in this state; a disk price that is not known falls back on the full one, never on less. */
/** What it costs in this state: all of it, or the disk alone. */
export function rateOf(instance: Instance, kind: InstanceStateKind): Rate | undefined {
  const running = runningRateOf(instance);
  return billing[kind] === 'disk' ? (stoppedRateOf(instance) ?? running) : running;
}

export function costPerHour(instance: Instance, kind: InstanceStateKind): Micros | undefined {
  const rate = rateOf(instance, kind);
  return rate === undefined ? undefined : perHour(rate);
}

/** Sums what all instances cost an hour; `isPartial` where a price is not known. */
export function fleetCostPerHour(instances: readonly (readonly [Instance, InstanceStateKind])[]): {
  readonly perHour: Micros;
  readonly rate: Rate;
  readonly isPartial: boolean;
} {
  const rates = instances.map(([instance, kind]) => rateOf(instance, kind));
  const rate = sumRates(...rates.map((one) => one ?? noRate));
  return { perHour: perHour(rate), rate, isPartial: rates.includes(undefined) };
}

/** What the user may do; each menu and command asks here. */
export interface InstanceActions {
  readonly canStart: boolean;
  readonly canStop: boolean;
  readonly canReboot: boolean;
  readonly canDestroy: boolean;
  readonly canConnect: boolean;
  readonly canReplace: boolean;
  readonly canChangeBid: boolean;
  readonly canRunCommand: boolean;
}

/**
 * Returns whether there is a shell; `args` has neither SSH nor Jupyter (docs/service/renting.md#run-types).
 */
export function hasShell(instance: Instance): boolean {
  const runtype = instance.runtype?.trim();
  return runtype === undefined || runtype === '' || !/^args\b/.test(runtype);
}

export function actionsFor(instance: Instance, facts: InstanceFacts, now: number): InstanceActions {
  const kind = stateOf(instance, facts, now);
  const intent = intentOf(instance, facts);
  const isGoing = kind === 'destroying';
  return {
    canStart: kind === 'stopped',
    // Stop works in every state; only what is stopped already has nothing to stop.
    canStop: !isGoing && kind !== 'stopped' && kind !== 'stopping',
    canReboot: kind === 'running',
    canDestroy: true,
    canConnect: kind === 'running' && hasShell(instance),
    canReplace: isFailed(kind, intent),
    canChangeBid: !isGoing && instance.isInterruptible === true,
    canRunCommand: kind === 'running' || kind === 'stopped',
  };
}

const labels: Record<Exclude<InstanceStateKind, 'other'>, Text> = {
  provisioning: text('Preparing'),
  loading: text('Loading image'),
  starting: text('Starting'),
  queued: text('Waiting for a free GPU'),
  running: text('Running'),
  stopping: text('Stopping'),
  stopped: text('Stopped'),
  exited: text('Exited'),
  outbid: text('Outbid'),
  unknown: text('No heartbeat from the host'),
  offline: text('Host disconnected'),
  gaveUp: text('Gave up starting'),
  destroying: text('Destroying'),
};

export function stateLabel(instance: Instance, kind: InstanceStateKind): Text {
  return kind === 'other' ? text('State "{0}"', plain(instance.actualStatus ?? '')) : labels[kind];
}

export type StateIcon = 'running' | 'starting' | 'stopped' | 'failed' | 'warning' | 'other';

/** Warnings are for machines that ran once: there is data on them, and nothing happens by itself. */
export function stateIcon(instance: Instance, facts: InstanceFacts, kind: InstanceStateKind): StateIcon {
  if (isStarting(kind) || kind === 'stopping' || kind === 'destroying' || kind === 'queued') {
    return 'starting';
  }
  if (kind === 'running' || kind === 'stopped' || kind === 'other') {
    return kind;
  }
  return hasBeenReady(instance, facts) || intentOf(instance, facts) === 'stopped' ? 'warning' : 'failed';
}

export { plain };
