import type { Instance } from './instance';
import { billingOf, type InstanceStateKind } from './instanceState';

/** An expired instance may be deleted this long after its end (docs/service/instances.md#billing). */
const keptAfterEndMs = 48 * 3_600_000;
/** The end of a rental is shown and announced from here on, and announced again in its last hour. */
const soonMs = 24 * 3_600_000;
const lastCallMs = 3_600_000;

/** When the host ends a rental, in milliseconds since 1970; an instance that ran on is not expired. */
export type RentalEnd =
  /** Further away than anything needs to be said of it. */
  | { readonly kind: 'later'; readonly endsAtMs: number }
  | { readonly kind: 'soon'; readonly endsAtMs: number; readonly isLastHour: boolean }
  /** `deletedAtMs` may be over: then its data can be deleted at any time. */
  | { readonly kind: 'expired'; readonly endsAtMs: number; readonly deletedAtMs: number };

export function rentalEndOf(
  { endsAt }: Pick<Instance, 'endsAt'>,
  kind: InstanceStateKind,
  now: number,
): RentalEnd | undefined {
  if (endsAt === undefined || kind === 'destroying') {
    return undefined;
  }
  const endsAtMs = endsAt * 1000;
  if (endsAtMs > now) {
    const leftMs = endsAtMs - now;
    return leftMs < soonMs
      ? { kind: 'soon', endsAtMs, isLastHour: leftMs <= lastCallMs }
      : { kind: 'later', endsAtMs };
  }
  return billingOf(kind) === 'disk'
    ? { kind: 'expired', endsAtMs, deletedAtMs: endsAtMs + keptAfterEndMs }
    : undefined;
}
