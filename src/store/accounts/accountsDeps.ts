import type { ForbiddenError } from '../../api/errors';
import type { Pacing } from '../../api/pacing';
import type { Clock } from '../../util/clock';
import type { Event } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { SecretPort, WindowHub } from '../ports';
import type { ClientFactory } from './clientFactory';
import type { SecondFactorGate } from './secondFactor';

/** What the accounts need. */
export interface AccountsDeps {
  readonly createClient: ClientFactory;
  readonly secrets: SecretPort;
  readonly storageDir: string;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  /** Told each key before it is used, so that no log can hold it. */
  readonly onSecret?: (value: string) => void;
  /** Asks for codes; without it a refused key stays refused. */
  readonly secondFactor?: SecondFactorGate;
  /** Told each call that a valid key was not allowed to make. */
  readonly onForbidden?: (accountKey: string, error: ForbiddenError) => void;
  /** Asked before each read; throws where the key is known not to be allowed to make it. */
  readonly beforeRead?: (accountKey: string, route: string) => void;
  /** The pace of each account over all windows. */
  readonly pacing?: { of(accountKey: string): Pacing; readonly onDidRecover: Event<string> };
}
