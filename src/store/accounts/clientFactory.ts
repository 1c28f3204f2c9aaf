import type { Client } from '../../api/client';
import type { ForbiddenError } from '../../api/errors';
import type { Pacing } from '../../api/pacing';
import type { Recover } from '../../api/serviceHttp';

/** Makes the client for one account; `bearer` is asked before each request and goes to `serviceUrl` only. */
export type ClientFactory = (input: {
  readonly serviceUrl: string;
  readonly isDemo: boolean;
  /** Of an account that is signed in; absent while it is found out whose a key is. */
  readonly accountKey?: string;
  readonly bearer: () => Promise<string>;
  /** Asked when a bearer is refused, once for each bearer of a call. */
  readonly recover?: Recover | undefined;
  readonly onForbidden?: (error: ForbiddenError) => void;
  /** Asked before each read; throws where the key is known not to be allowed to make it. */
  readonly beforeRead?: (route: string) => void;
  /** Of the account, over all windows. */
  readonly pacing?: Pacing | undefined;
}) => Client;
