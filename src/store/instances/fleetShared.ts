import * as z from 'zod';
import type { Instance } from '../../model/instances/instance';
import type { InstanceFacts } from '../../model/instances/instanceState';
import { UserError } from '../../util/errors';
import { formatText } from '../../util/text';
import { reviveError, sharedError, shareError } from '../windows/sharedError';
import type { FleetSnapshot } from '../ports';
import type { Loaded } from '../../shared/reading';

/** Written by this store and by no one else; the id is what everything hangs on. */
const instance = z.custom<Instance>(
  (value) => typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'number',
);
const snapshot = z.object({
  instances: z.array(instance),
  missing: z.number().optional(),
  skipped: z.number(),
  unconfirmed: z.array(z.number()).optional(),
});
const facts = z.custom<InstanceFacts & { readonly touchedAt: number }>(
  (value) => typeof value === 'object' && value !== null && 'touchedAt' in value,
);
const memory = z.array(z.tuple([z.number(), facts]).readonly()).readonly();

/** The last list of an account on disk, without secrets. */
export const fleetFile = z.object({
  version: z.literal(1),
  fetchedAt: z.number(),
  snapshot: snapshot.nullable(),
  memory,
});

export type FleetFile = z.infer<typeof fleetFile>;

/** What the polling window tells the others. */
export const fleetNews = z.object({
  accountKey: z.string(),
  state: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('idle') }),
    z.object({ kind: z.literal('loading') }),
    z.object({
      kind: z.literal('ready'),
      value: snapshot,
      fetchedAt: z.number(),
      error: sharedError.optional(),
    }),
    z.object({ kind: z.literal('failed'), error: sharedError }),
  ]),
  memory,
});
export type FleetNews = z.infer<typeof fleetNews>;

export function shareState(state: Loaded<FleetSnapshot>): FleetNews['state'] {
  switch (state.kind) {
    case 'idle':
    case 'loading':
      return state;
    case 'failed':
      return { kind: 'failed', error: shareError(state.error) };
    case 'ready': {
      const { value, fetchedAt } = state;
      const shared = { kind: 'ready' as const, value: mutable(value), fetchedAt };
      return state.error === undefined ? shared : { ...shared, error: shareError(state.error) };
    }
  }
}

export function reviveState(shared: FleetNews['state']): Loaded<FleetSnapshot> {
  switch (shared.kind) {
    case 'idle':
    case 'loading':
      return shared;
    case 'failed':
      return { kind: 'failed', error: reviveError(shared.error) };
    case 'ready': {
      const ready = {
        kind: 'ready' as const,
        value: reviveSnapshot(shared.value),
        fetchedAt: shared.fetchedAt,
      };
      return shared.error === undefined ? ready : { ...ready, error: reviveError(shared.error) };
    }
  }
}

export function reviveSnapshot(value: z.infer<typeof snapshot>): FleetSnapshot {
  const { instances, skipped, missing, unconfirmed } = value;
  return {
    instances,
    skipped,
    ...(missing === undefined ? {} : { missing }),
    ...(unconfirmed === undefined ? {} : { unconfirmed }),
  };
}

export function mutable(value: FleetSnapshot): z.infer<typeof snapshot> {
  const { instances, unconfirmed, ...rest } = value;
  return {
    ...rest,
    instances: [...instances],
    ...(unconfirmed === undefined ? {} : { unconfirmed: [...unconfirmed] }),
  };
}

/** For the log. */
export function describeError(error: unknown): string {
  return error instanceof UserError ? `${error.name}: ${formatText(error.text)}` : String(error);
}
