import type { Client } from '../../api/client';
import type { Instance } from '../../model/instances/instance';
import type { Clock } from '../../util/clock';

/** Two lists are two readings when they are so far apart. */
const apartMs = 4000;
/** A new instance may be missing from the lists for this long. */
const appearanceMs = 90_000;
/** What can't be undone here is tidied away this long after an end. */
export const tidyAfterMs = 24 * 3_600_000;

interface Evidence {
  readonly wasSeen: boolean;
  /** When complete lists began to lack it, and lacked it last (`Clock.elapsed`). */
  readonly missingSince?: number;
  readonly missingAt?: number;
  /** Its own record is gone as well. */
  readonly isRecordGone?: boolean;
}

/**
 * Decides whether an instance has ended. One list without it is a hint; an end counts when two readings agree that
 * are of different kinds or some seconds apart.
 */
export class Ends {
  private readonly byId = new Map<number, Evidence>();

  constructor(private readonly clock: Clock) {}

  /** Takes a list that was just read. */
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

  /** Its record was read and is gone, and so is it from a list that was read beside it. */
  confirmed(id: number): void {
    const now = this.clock.elapsed();
    this.byId.set(id, { wasSeen: true, isRecordGone: true, missingSince: now, missingAt: now });
  }

  /** Instances that were there before this window was. */
  remember(ids: Iterable<number>): void {
    for (const id of ids) {
      if (!this.byId.has(id)) {
        this.byId.set(id, { wasSeen: true });
      }
    }
  }

  /** Begins to watch for an instance that it does not know. */
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

/** What the service says of one instance: its record, and where that is gone also the list. */
export type PresenceReading =
  | { readonly kind: 'there'; readonly instance: Instance }
  | { readonly kind: 'ended' }
  /** The record is gone, and the list is partial. */
  | { readonly kind: 'doubtful' };

/** Reads an instance; that it has ended is said where record and list agree alone. */
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
  const { items, skipped, found } = await client.instances.list(options);
  const listed = items.find((one) => one.id === id);
  if (listed) {
    return { kind: 'there', instance: listed };
  }
  return { kind: skipped === 0 && (found ?? 0) <= items.length ? 'ended' : 'doubtful' };
}
