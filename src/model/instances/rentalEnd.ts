import { isPastEnd, type Instance } from './instance';
import { billingOf, type InstanceStateKind } from './instanceState';

/** How long after its end an expired instance is kept at least (docs/service/instances.md#billing). */
const keptAfterEndMs = 48 * 3_600_000;
/** The end of a rental is shown and announced this long before it, and announced again in its last hour. */
const soonMs = 24 * 3_600_000;
const lastCallMs = 3_600_000;

/** When the host ends a rental (ms since 1970). An instance that keeps running after that is not expired. */
export type RentalEnd =
  /** Too far in the future to be announced. */
  | { readonly kind: 'later'; readonly endsAtMs: number }
  | { readonly kind: 'soon'; readonly endsAtMs: number; readonly isLastHour: boolean }
  /** If `deletedAtMs` has passed, the data can be deleted at any time. */
  | { readonly kind: 'expired'; readonly endsAtMs: number; readonly deletedAtMs: number };

export function rentalEndOf(
  instance: Pick<Instance, 'currentState' | 'endsAt'>,
  kind: InstanceStateKind,
  now: number,
): RentalEnd | undefined {
  const { endsAt } = instance;
  if (endsAt === undefined || kind === 'destroying') {
    return undefined;
  }
  const endsAtMs = endsAt * 1000;
  if (!isPastEnd(instance, now)) {
    const remainingMs = endsAtMs - now;
    return remainingMs < soonMs
      ? { kind: 'soon', endsAtMs, isLastHour: remainingMs <= lastCallMs }
      : { kind: 'later', endsAtMs };
  }
  return billingOf(instance, kind) === 'disk'
    ? { kind: 'expired', endsAtMs, deletedAtMs: endsAtMs + keptAfterEndMs }
    : undefined;
}
