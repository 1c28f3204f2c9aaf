import type { Clock } from '../util/clock';
import type { Tokens } from './secondFactor/tokens';

export interface SimulatorOptions {
  /** The first account's full key; a random one, readable in `RunningSimulator.apiKey`, when left out. */
  readonly apiKey?: string;
  /** 0 picks a free port. */
  readonly port?: number;
  readonly seed?: number;
  /** How many machines the market has; each is offered in one to four sizes. */
  readonly machines?: number;
  /** Divides the waits of a booting machine; money and dates keep the true rate. */
  readonly speed?: number;
  /** Enforce the documented least times between two calls; on unless `false`. */
  readonly limits?: boolean;
  /** Where the state is kept; nothing survives without it. */
  readonly stateFile?: string;
  /** Keep the state readable instead of sealed with the API key. */
  readonly plainState?: boolean;
  /** Records carry only the documented fields and `id`. */
  readonly minimalRecords?: boolean;
  /**
   * Makes the v0 list of instances answer `deprecated_endpoint`, as the public service does
   * (docs/service/instances.md#list).
   */
  readonly deprecatedList?: boolean;
  /** There is no v1 list of instances, as in the interface. */
  readonly noPagedList?: boolean;
  /** Rows on a page of the lists of instances, at most 25; without it the v0 list is one page. */
  readonly rowsPerPage?: number;
  /**
   * The fault of the token of the next page: the same one again, one that is no text, or a next page after the last.
   */
  readonly pageTokens?: 'repeat' | 'odd' | 'endless';
  /** Lists have an instance so many seconds after it was rented; its own record has it at once. */
  readonly listLagSeconds?: number;
  /** Whether instances can be reached by SSH; they can, unless it is `false`. */
  readonly sshServer?: boolean;
  /** Returns the bundled `engine/main.ts`, which plays engines that serve models; it lies beside the simulator unless given. */
  readonly engineScript?: () => string | undefined;
  /** How long such an engine starts (ms), where `speed` is not to say it. */
  readonly engineStartMs?: number;
  /** Folders of the instances; beside the state file, or a temporary folder, unless given. */
  readonly instancesDir?: string;
  /** Dollars that the first account begins with. */
  readonly credit?: number;
  /** Further names that clients may put into `Host`, for tests through a proxy. */
  readonly allowedHosts?: readonly string[];
  /** Everything is served below this path, for example `/gpu`. */
  readonly pathPrefix?: string;
  /** Ends the server this many seconds after the last sign of a client. */
  readonly idleExitSeconds?: number;
  /** Called once the server has ended by itself. */
  readonly onIdleExit?: () => void;
  readonly clock?: Clock;
  /** Called with each new session, challenge, code and TOTP secret, for tests that search for them. */
  readonly onToken?: (token: { readonly kind: keyof Tokens; readonly value: string }) => void;
  /** Faults inside the simulator, for the log of the program that runs it. */
  readonly onError?: (error: unknown) => void;
}
