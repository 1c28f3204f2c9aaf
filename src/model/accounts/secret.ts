/** An environment variable of the account, given to its instances (service-facts 2.4). */
export interface Secret {
  readonly name: string;
  /** Absent where the service sends stars. Never logged, shown only on request. */
  readonly value?: string;
}
