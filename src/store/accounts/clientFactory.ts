import type { Client } from '../../api/client';
import type { ForbiddenError } from '../../api/errors';

/** Makes the client for one account; `bearer` is asked before each request and goes to `serviceUrl` only. */
export type ClientFactory = (input: {
  readonly serviceUrl: string;
  readonly isDemo: boolean;
  readonly bearer: () => Promise<string>;
  /** Asked once a call when the bearer is refused; true when another try has a chance. */
  readonly recover?: (refused: {
    readonly bearer: string;
    readonly signal?: AbortSignal;
  }) => Promise<boolean>;
  readonly onForbidden?: (error: ForbiddenError) => void;
}) => Client;
