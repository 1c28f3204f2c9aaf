/**
 * An environment variable of the account, which its instances receive
 * (docs/service/environment-variables.md#list).
 */
export interface Secret {
  readonly name: string;
  /** Absent where the service sends stars. Never logged, shown only on request. */
  readonly value?: string;
}
