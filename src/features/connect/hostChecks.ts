import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import type { Instance } from '../../model/instances/instance';
import { hasShell, stateOf } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import { explainVerification, type Explained } from '../../ssh/problemText';
import type { PreparedHost } from '../../ssh/prepareHost';
import { UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import { text } from '../../util/text';

/** The record, where it says that a login makes sense or says nothing at all. */
export function usableInstance(
  { fleet, clock }: Pick<Services, 'fleet' | 'clock'>,
  instanceId: number,
): Instance | undefined {
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

export function warnAboutMemory(host: PreparedHost): void {
  if (host.fromMemory) {
    void vscode.window.showInformationMessage(
      t('The service did not say where the instance is. Its last known address is used.'),
    );
  }
}

export function logProbes(log: Log, host: PreparedHost): void {
  const tried = host.probes.map(({ endpoint, outcome }) => `${endpoint.kind}: ${outcome}`);
  log.warn(`${host.alias} (${host.endpoint.kind}) could not be opened; ${tried.join(', ')}`);
}

/** Where the config is at fault a failed login says less than the config does. */
export function brokenConfig(host: PreparedHost): Explained | undefined {
  return host.verification.kind === 'equal' ? undefined : explainVerification(host.verification);
}
