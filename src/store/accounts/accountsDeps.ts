import type { ForbiddenError } from '../../api/errors';
import type { Pacing } from '../../api/pacing';
import type { Clock } from '../../util/clock';
import type { Event } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { SecretPort } from './patientSecrets';
import type { WindowHub } from '../windows/windowHub';
import type { ClientFactory } from './accountClients';
import type { SecondFactorGate } from './secondFactor';

/** The services and callbacks of `Accounts`. */
export interface AccountsDeps {
  readonly createClient: ClientFactory;
  readonly secrets: SecretPort;
  readonly storageDir: string;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  /** Receives each key before it is used, so that no log shows it. */
  readonly onSecret?: (value: string) => void;
  /** Asks for codes. Without it, a refused key stays refused. */
  readonly secondFactor?: SecondFactorGate;
  /** Receives each call for which a valid key lacked the permission. */
  readonly onForbidden?: (accountKey: string, error: ForbiddenError) => void;
  /** Runs before each read; throws if the key is known to lack the permission. */
  readonly beforeRead?: (accountKey: string, route: string) => void;
  /** The pace of each account over all windows. */
  readonly pacing?: { of(accountKey: string): Pacing; readonly onDidRecover: Event<string> };
}
