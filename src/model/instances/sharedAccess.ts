/** A key of another user that this computer put on an instance. */
export interface SharedAccess {
  readonly id: string;
  readonly instanceId: number;
  /** Whom it is for, as one plain line. */
  readonly name: string;
  readonly publicKey: string;
  /** When it was given (ms). */
  readonly createdAt: number;
  /** When it is taken back (ms); absent for access until the instance is destroyed. */
  readonly endsAt?: number | undefined;
}
