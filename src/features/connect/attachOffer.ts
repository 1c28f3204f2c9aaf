import { commandAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import { suggest } from '../../editor/message';

/** Asks what to do if no local key is accepted; returns true if one was attached. */
export async function offerToAttach(instanceId: number): Promise<boolean> {
  const answer = await suggest<unknown>(
    'warning',
    t("The instance has no SSH key of this computer, so you can't log in."),
    commandAction(t('Attach a Key…'), 'gpuRental.instance.attachKey', { instanceId }),
    { label: t('Try Anyway'), run: () => true },
  );
  return answer === true;
}
