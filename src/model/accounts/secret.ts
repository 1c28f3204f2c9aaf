/** An environment variable of the account, which its instances receive (docs/service/environment-variables.md#list). */
export interface Secret {
  readonly name: string;
  /** Absent if the service masks it. Never logged, and shown only on request. */
  readonly value?: string;
}
