/** Where the engine of a model is reached from this computer. */
export interface EngineAddress {
  /** A socket for this user alone; a port where the platform has none. */
  readonly place: { readonly socketPath: string } | { readonly host: '127.0.0.1'; readonly port: number };
  /** Of the engine, which clients never see. */
  readonly key: string;
}

/** A model as the gateway knows it. */
export interface GatewayModel {
  /** As clients call it. */
  readonly name: string;
  readonly repository: string;
  readonly contextTokens?: number | undefined;
  /** Absent while it can't be asked. */
  readonly engine?: EngineAddress | undefined;
  /** Why it can't be asked, in a sentence for clients. */
  readonly why: string;
}
