import type { Client } from '../../api/client';
import type { Instance } from '../../model/instances/instance';
import type { Clock } from '../../util/clock';
import { isCompleteList } from './listed';

/** Two lists count as two readings if they are at least this far apart. */
const apartMs = 4000;
/** A new instance may be missing from the lists for this long. */
const appearanceMs = 90_000;
/** Data that can't be restored is deleted this long after an end. */
export const tidyAfterMs = 24 * 3_600_000;

interface Evidence {
  readonly wasSeen: boolean;
  /** When complete lists first and last lacked the instance (`Clock.elapsed`). */
  readonly missingSince?: number;
  readonly missingAt?: number;
  /** True once the record of the instance is gone as well. */
  readonly isRecordGone?: boolean;
}

/**
 * Decides whether an instance has ended. One list without it is a hint; an end counts when two readings agree that
 * are of different kinds or some seconds apart.
 */
export class Ends {
  private readonly byId = new Map<number, Evidence>();

  constructor(private readonly clock: Clock) {}

  /** Updates from a list that was just read. */
  learn(present: ReadonlySet<number>, isWhole: boolean): void {
    const now = this.clock.elapsed();
    for (const id of present) {
      this.byId.set(id, { wasSeen: true });
    }
    for (const [id, known] of isWhole ? this.byId : []) {
      if (!present.has(id)) {
        this.byId.set(id, { ...known, missingSince: known.missingSince ?? now, missingAt: now });
      }
    }
  }

  /** Notes that both the record and a list read at the same time lack the instance. */
  confirmed(id: number): void {
    const now = this.clock.elapsed();
    this.byId.set(id, { wasSeen: true, isRecordGone: true, missingSince: now, missingAt: now });
  }

  /** Notes instances that existed before this window opened. */
  remember(ids: Iterable<number>): void {
    for (const id of ids) {
      if (!this.byId.has(id)) {
        this.byId.set(id, { wasSeen: true });
      }
    }
  }

  /** Returns whether an instance has ended; starts to watch for an id that is new here. */
  hasEnded(id: number): boolean {
    const known = this.byId.get(id);
    if (!known) {
      this.byId.set(id, { wasSeen: false });
      return false;
    }
    const { wasSeen, missingSince, missingAt, isRecordGone } = known;
    if (missingSince === undefined || missingAt === undefined) {
      return false;
    }
    return isRecordGone === true || missingAt - missingSince >= (wasSeen ? apartMs : appearanceMs);
  }

  clear(): void {
    this.byId.clear();
  }
}

/** The state of one instance by its record and, if that is gone, also by the list. */
export type PresenceReading =
  | { readonly kind: 'there'; readonly instance: Instance }
  | { readonly kind: 'ended' }
  /** The record is gone, and the list is partial. */
  | { readonly kind: 'doubtful' };

/** Reads an instance. It returns `ended` only if record and list agree. */
export async function readPresence(
  client: Client,
  id: number,
  signal?: AbortSignal,
): Promise<PresenceReading> {
  const options = { signal };
  const record = await client.instances.get(id, options);
  if (record) {
    return { kind: 'there', instance: record };
  }
  const list = await client.instances.list(options);
  const listed = list.items.find((one) => one.id === id);
  if (listed) {
    return { kind: 'there', instance: listed };
  }
  return { kind: isCompleteList(list) ? 'ended' : 'doubtful' };
}
