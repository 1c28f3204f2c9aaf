import { instanceName } from '../../model/instances/instanceLabel';
import { faultKey, laterFaults } from '../../model/proof/laterFaults';
import { expectedOf } from '../../model/proof/verdict';
import { faultNotice, faultNoticeKind } from '../../store/rentals/runningProofs';
import type { Disposable } from '../../util/disposable';
import type { ReadinessDeps } from './deps';
import type { CheckMessages } from './machineCheck';

/** Shows in one window what a machine lost while it runs. */
export function showFaults(deps: ReadinessDeps, messages: CheckMessages): Disposable {
  const { accounts, fleet, notices, oneWindow, rentals } = deps;
  return notices.onDidPost(({ key, accountKey, kind, data }) => {
    const notice = kind === faultNoticeKind ? faultNotice.safeParse(data).data : undefined;
    if (!notice) {
      return;
    }
    const { instanceId, start, later, told } = notice;
    const isStillSo = () => accounts.active?.key === accountKey && fleet.find(instanceId) !== undefined;
    const show = async () => {
      const instance = fleet.find(instanceId);
      if (instance) {
        const expected = expectedOf(instance, rentals.find(instanceId)?.offer);
        const fresh = laterFaults(start, later, expected).filter((one) => !told.includes(faultKey(one)));
        await messages.showFaults(instanceId, instanceName(instance), fresh);
      }
    };
    oneWindow.offer(key, show, { isStillSo });
  });
}
