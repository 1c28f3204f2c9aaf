import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import { suggest } from '../../editor/message';
import type { HeldMachine } from './hostChecks';

/** Asks what to do if no local key is accepted; returns true if one was attached. */
export async function offerToAttach(machine: HeldMachine): Promise<boolean> {
  const answer = await suggest(
    'warning',
    t("The instance has no SSH key of this computer, so you can't log in."),
    { label: t('Attach a Key…'), run: () => attachKeyTo(machine) },
    { label: t('Try Anyway'), run: () => true },
  );
  return answer === true;
}

/** Lets the user attach a key to the instance, if its account is still active; returns true if one was attached. */
export async function attachKeyTo({ instanceId, account }: HeldMachine): Promise<boolean> {
  account();
  return (await runCommand('gpuRental.instance.attachKey', { instanceId })) === true;
}
