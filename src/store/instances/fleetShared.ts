import * as z from 'zod';
import { instanceShape } from '../../model/instances/instance';
import { instanceFacts } from '../../model/instances/instanceState';
import { UserError } from '../../util/errors';
import { formatText } from '../../util/text';
import { reviveError, sharedError, shareError } from '../windows/sharedError';
import type { FleetSnapshot } from './fleetStore';
import type { Loaded } from '../../shared/reading';

const snapshot = z.object({
  instances: z.array(instanceShape).readonly(),
  missing: z.number().exactOptional(),
  skipped: z.number(),
  unconfirmed: z.array(z.number()).readonly().exactOptional(),
});
const facts = z.object({ ...instanceFacts.unwrap().shape, touchedAt: z.number() });
const memory = z.array(z.tuple([z.number(), facts]).readonly()).readonly();

/** The last list of an account on disk, without secrets. */
export const fleetFile = z.object({
  version: z.literal(1),
  fetchedAt: z.number(),
  snapshot: snapshot.nullable(),
  memory,
});

export type FleetFile = z.infer<typeof fleetFile>;

/** The message by which the polling window shares its list. */
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
      const shared = { kind: 'ready' as const, value, fetchedAt };
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
      const { kind, value, fetchedAt } = shared;
      const ready = { kind, value, fetchedAt };
      return shared.error === undefined ? ready : { ...ready, error: reviveError(shared.error) };
    }
  }
}

/** Returns an error in the form for the log. */
export function describeError(error: unknown): string {
  return error instanceof UserError ? `${error.name}: ${formatText(error.text)}` : String(error);
}
