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
  const { accounts, commands, fleet, machineSetUps, report, ssh } = deps;
  const setUps = store.add(new SetUps(deps));
  store.add(commands.register('gpuRental.setUp.before', (reached, folder) => setUps.before(reached, folder)));
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
    store.add(
      followAccount(accounts, (account) => {
        // Another account may have the same alias without knowing the machine.
        if (account === undefined || ssh.aliasOf(account, host.instanceId) !== host.alias) {
          return undefined;
        }
        const reached = { ...host, accountKey: account.key };
        const onError = (error: unknown) => {
          report.error(error);
        };
        let isDone = false;
        const check = () => {
          if (!isDone && fleet.find(host.instanceId)?.actualStatus === 'running') {
            isDone = true;
            setUps.run(reached).catch(onError);
          }
        };
        const followed = new DisposableStore();
        followed.add(fleet.onDidChange(check));
        // Another window may have told the machine of them.
        followed.add(
          machineSetUps.onDidChange(() => {
            setUps.installExtensions(reached).catch(onError);
          }),
        );
        check();
        return followed;
      }),
    );
  }
  return store;
}
