import type { Instance } from '../../model/instances/instance';
import {
  billingOf,
  destroyGraceMs,
  intentOf,
  noFacts,
  startCauseOf,
  stateOf,
  type InstanceFacts,
  type OwnRequest,
} from '../../model/instances/instanceState';
import { defined } from '../../util/defined';
import { isWithin } from '../../util/duration';
import { longestGapMs } from './idleWatch';

interface Remembered extends InstanceFacts {
  /** When the instance was last listed or requested, in milliseconds. */
  readonly touchedAt: number;
}

/** The form on disk and between windows. */
export type RememberedEntries = readonly (readonly [id: number, facts: Remembered])[];

const keepAbsentMs = 24 * 3_600_000;

/** Facts about instances that their records don't contain. */
export class RememberedFacts {
  private entries = new Map<number, Remembered>();

  facts(id: number): InstanceFacts {
    return this.entries.get(id) ?? noFacts;
  }

  note(id: number, request: OwnRequest): void {
    const { stillSince, ...known } = this.entries.get(id) ?? { touchedAt: request.at };
    // A request is no look, and only this one leaves it as still as it was.
    const isStill = request.kind === 'destroy' && isWithin(longestGapMs, known.touchedAt, request.at);
    this.entries.set(id, {
      ...known,
      ...(isStill && stillSince !== undefined ? { stillSince } : {}),
      lastRequest: request,
      touchedAt: request.at,
    });
  }

  forget(id: number): void {
    const known = this.entries.get(id);
    if (known) {
      const { lastRequest: _, ...facts } = known;
      this.entries.set(id, facts);
    }
  }

  /** Returns true while a destroy has not been confirmed. */
  hasOpenDestruction(now: number): boolean {
    return [...this.entries.values()].some(
      ({ lastRequest }) =>
        lastRequest?.kind === 'destroy' &&
        lastRequest.tookEffect !== true &&
        isWithin(destroyGraceMs, lastRequest.at, now),
    );
  }

  /**
   * Learns from a list; `isComplete` means that missing instances are gone. Rows that it lacks, and that are kept of an
   * older one (`unconfirmed`), show nothing.
   */
  learn(
    instances: readonly Instance[],
    isComplete: boolean,
    now: number,
    unconfirmed: ReadonlySet<number> = new Set(),
  ): void {
    const present = new Set<number>();
    for (const instance of instances) {
      present.add(instance.id);
      const { runningAt, stoppedAt, stillSince, ...known } = this.entries.get(instance.id) ?? {
        touchedAt: now,
      };
      const request = known.lastRequest && seen(known.lastRequest, instance, now);
      const isStopped = isStoppedStill(
        instance,
        defined<InstanceFacts>({ ...known, lastRequest: request }),
        now,
      );
      const isRunning = instance.actualStatus === 'running';
      const isUnbroken = isWithin(longestGapMs, known.touchedAt, now);
      const isListed = !unconfirmed.has(instance.id);
      const still = (isUnbroken ? stillSince : undefined) ?? (isListed ? now : undefined);
      this.entries.set(instance.id, {
        ...known,
        ...(isRunning ? { runningAt: runningAt ?? beganAt(instance, now) } : {}),
        ...(isStopped ? { stoppedAt: stoppedAt ?? sentAt(known.lastRequest, request) ?? now } : {}),
        ...(isStopped && still !== undefined ? { stillSince: still } : {}),
        ...(request === undefined ? {} : { lastRequest: request }),
        ...(known.readyAt === undefined && isRunning ? { readyAt: now } : {}),
        touchedAt: isListed ? now : known.touchedAt,
      });
    }
    if (isComplete) {
      this.learnAbsence(present, now);
    }
  }

  export(): RememberedEntries {
    return [...this.entries];
  }

  import(entries: RememberedEntries): void {
    this.entries = new Map(entries);
  }

  /** Adds facts from an earlier session. Facts that are known already stay. */
  recall(entries: RememberedEntries): void {
    for (const [id, before] of entries) {
      this.entries.set(id, { ...before, ...this.entries.get(id) });
    }
  }

  clear(): void {
    this.entries.clear();
  }

  private learnAbsence(present: ReadonlySet<number>, now: number): void {
    for (const [id, known] of this.entries) {
      if (present.has(id)) {
        continue;
      }
      if (known.lastRequest?.kind === 'destroy' && known.lastRequest.tookEffect !== true) {
        this.entries.set(id, { ...known, lastRequest: { ...known.lastRequest, tookEffect: true } });
      }
      if (now - known.touchedAt > keepAbsentMs) {
        this.entries.delete(id);
      }
    }
  }
}

/** Returns when an instance that is new here began, by its reported uptime. */
function beganAt({ uptimeMinutes = 0 }: Instance, now: number): number {
  return now - uptimeMinutes * 60_000;
}

/** Returns whether an instance is stopped on purpose, also while its host can't be reached. */
function isStoppedStill(instance: Instance, facts: InstanceFacts, now: number): boolean {
  return (
    intentOf(instance, facts) === 'stopped' && billingOf(instance, stateOf(instance, facts, now)) === 'disk'
  );
}

/** Returns when our stop was sent, if its effect is new; an earlier one is not the time of a stop from elsewhere. */
function sentAt(before: OwnRequest | undefined, after: OwnRequest | undefined): number | undefined {
  return after?.kind === 'stop' && before?.tookEffect !== true ? after.at : undefined;
}

/** Marks a request of ours as effective once the record shows it. */
function seen(request: OwnRequest, instance: Instance, now: number): OwnRequest {
  if (request.tookEffect === true || now < request.at) {
    return request;
  }
  const isStill = instance.actualStatus === 'exited' || instance.actualStatus === 'stopped';
  const isSeen =
    (request.kind === 'start' && !isStill) ||
    (request.kind === 'stop' && isStill) ||
    (startCauseOf(request) === 'reboot' && instance.actualStatus !== 'running');
  return isSeen ? { ...request, tookEffect: true } : request;
}
