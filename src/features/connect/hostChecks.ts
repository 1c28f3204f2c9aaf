import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import type { Instance } from '../../model/instances/instance';
import { hasShell, stateOf } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import type { PreparedHost } from '../../ssh/prepareHost';
import type { Account } from '../../store/accounts/accounts';
import { UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import { text } from '../../util/text';

/** An instance of the account in which the user chose it; questions and retries outlast a switch. */
export interface HeldMachine {
  readonly instanceId: number;
  /** Throws once another account is active, see `accountFor`. */
  readonly account: () => Account;
}

/** Returns the record if a login makes sense, or if the record does not show whether it does. */
export function usableInstance(
  { fleet, clock }: Pick<Services, 'fleet' | 'clock'>,
  { instanceId, account }: HeldMachine,
): Instance | undefined {
  account();
  const instance = fleet.find(instanceId);
  if (!instance) {
    return undefined;
  }
  if (!hasShell(instance)) {
    throw new UserError(
      text(
        'This instance has no SSH, because it was rented with the run type "args". Follow its logs instead.',
      ),
    );
  }
  const kind = stateOf(instance, fleet.facts(instanceId), clock.now());
  if (kind === 'stopped' || kind === 'exited' || kind === 'outbid') {
    throw new UserError(text('The instance is not running. Start it, then connect.'));
  }
  return instance;
}

export function warnAboutMemory({ fromMemory }: PreparedHost): void {
  if (fromMemory !== false) {
    message(
      'info',
      fromMemory === 'noAnswer'
        ? t('The service does not answer, so GPU Rental uses the last known address of the instance.')
        : t('The service states no address of the instance, so GPU Rental uses the last known one.'),
    );
  }
}

export function logProbes(log: Log, host: PreparedHost): void {
  const tried = host.probes.map(({ endpoint, outcome }) => `${endpoint.kind}: ${outcome}`);
  log.warn(`${host.alias} (${host.endpoint.kind}) could not be opened; ${tried.join(', ')}`);
}
