import type { SetUpTarget } from '../../../commandSpecs';
import { sshAuthority } from '../../../editor/remoteAuthority';
import type { HeldAlias } from '../../../model/instances/heldInstance';
import type { Services } from '../../../services';
import { followAccount } from '../../../shared/followAccount';
import { hostInAuthority } from '../../../ssh/alias';
import { DisposableStore, type Disposable } from '../../../util/disposable';
import { reach } from '../reached';
import { SetUps, type SetUpDeps } from './setUps';

/** Sets instances up before and after their windows open, and by the commands of their rows. */
export function registerSetUp(deps: SetUpDeps & Pick<Services, 'commands'>): Disposable {
  const store = new DisposableStore();
  const { accounts, commands, fleet, report, ssh } = deps;
  const setUps = store.add(new SetUps(deps));
  store.add(commands.register('gpuRental.setUp.before', (reached) => setUps.before(reached)));
  const on = (
    id: 'gpuRental.setUp.run' | 'gpuRental.setUp.showLog' | 'gpuRental.setUp.removeSecrets',
    run: (reached: HeldAlias, target: SetUpTarget) => Promise<void>,
  ) =>
    store.add(
      commands.register(id, async (target) => {
        if (target) {
          await run(await reach(deps, target.instanceId), target);
        }
      }),
    );
  on('gpuRental.setUp.run', (reached, { setUpStep }) => setUps.runAgain(reached, setUpStep));
  on('gpuRental.setUp.showLog', (reached, { setUpStep }) => setUps.showLog(reached, setUpStep));
  on('gpuRental.setUp.removeSecrets', (reached) => setUps.removeSecrets(reached));
  const host = hostInAuthority(sshAuthority());
  if (host) {
    // Another account may have the same alias without knowing the machine.
    store.add(
      followAccount(accounts, (account) => {
        const { alias, instanceId } = host;
        let isDone = account === undefined || ssh.aliasOf(account, instanceId) !== alias;
        const check = () => {
          if (!isDone && account && fleet.find(instanceId)?.actualStatus === 'running') {
            isDone = true;
            setUps.run({ instanceId, accountKey: account.key, alias }).catch((error: unknown) => {
              report.error(error);
            });
          }
        };
        check();
        return fleet.onDidChange(check);
      }),
    );
  }
  return store;
}
