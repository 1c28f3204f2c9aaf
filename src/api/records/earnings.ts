import type { Micros } from '../../model/money';

/**
 * What a host earned, by kind (docs/service/billing.md#earnings). `undefined` means that the service did not
 * state it.
 */
export interface Earned {
  readonly gpu?: Micros;
  readonly storage?: Micros;
  readonly upload?: Micros;
  readonly download?: Micros;
}

export interface EarningsReport {
  readonly summary: Earned;
  readonly balance?: Micros;
  readonly serviceFee?: Micros;
  readonly total?: Micros;
  readonly credit?: Micros;
  readonly perMachine: readonly (Earned & { readonly machineId: number })[];
  /** `day` counts days since 1970-01-01 UTC. */
  readonly perDay: readonly (Earned & { readonly day: number })[];
  /** Name and address, hidden unless asked for. */
  readonly person: Readonly<Record<string, string>>;
  /** Rows that could not be understood. */
  readonly skipped: number;
}

/** Days since 1970-01-01 UTC, both included; or a number of days back from today. */
export interface EarningsQuery {
  readonly startDay?: number;
  readonly endDay?: number;
  readonly lastDays?: number;
  readonly machineId?: number;
}
