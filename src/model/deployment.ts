/** A serverless deployment (docs/service/deployments.md#record). Times are Unix seconds. */
export interface Deployment {
  readonly id: number;
  readonly name?: string;
  readonly tag?: string;
  readonly image?: string;
  readonly endpointId?: number;
  /** `active` and `stopped` are documented; null without an endpoint. */
  readonly endpointState?: string;
  readonly workers?: number;
  readonly storageGb?: number;
  readonly currentVersionId?: number;
  readonly lastHealthyVersionId?: number;
  readonly lastHeartbeatAt?: number;
  readonly createdAt?: number;
  readonly updatedAt?: number;
}
