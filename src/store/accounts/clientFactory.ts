import type { Client } from '../../api/client';
import type { ForbiddenError } from '../../api/errors';
import type { Pacing } from '../../api/pacing';
import type { Recover } from '../../api/serviceHttp';

/** Creates the client of an account. `bearer` runs before each request, and its result is sent to `serviceUrl` only. */
export type ClientFactory = (input: {
  readonly serviceUrl: string;
  readonly isDemo: boolean;
  /** Absent while we find out which account a key belongs to. */
  readonly accountKey?: string;
  readonly bearer: () => Promise<string>;
  /** Called when a bearer is refused, once for each bearer of a call. */
  readonly recover?: Recover | undefined;
  readonly onForbidden?: (error: ForbiddenError) => void;
  /** Runs before each read; throws if the key is known to lack the permission. */
  readonly beforeRead?: (route: string) => void;
  /** Runs right before each write that does not set `isStillWanted`; throws if the write must not be sent. */
  readonly beforeWrite?: () => void;
  /** The pace of the account, shared by all windows. */
  readonly pacing?: Pacing | undefined;
}) => Client;
