/** A serverless deployment (docs/service/deployments.md#record). Times are Unix seconds. */
export interface Deployment {
  readonly id: number;
  readonly name?: string;
  readonly tag?: string;
  readonly image?: string;
  /** `active` and `stopped` are documented; null without an endpoint. */
  readonly endpointState?: string;
  readonly workers?: number;
  readonly createdAt?: number;
}
