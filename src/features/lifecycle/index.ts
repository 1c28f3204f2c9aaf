import { OutputDocuments } from '../../editor/outputDocuments';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { LifecycleDeps } from './deps';
import { changeBid, rename } from './editCommands';
import { LogFollower } from './logFollower';
import { destroy, lossByDestroy, reboot, start, startNow, stop, stopNow, type Rows } from './powerCommands';
import { runOnInstance, showDetails } from './readCommands';
import { changeImage, recycle } from './recreateCommands';
import { reportMachine } from './reportMachine';
import { chooseOneInstance } from './targets';

type ManyCommand =
  | 'gpuRental.instance.start'
  | 'gpuRental.instance.stop'
  | 'gpuRental.instance.reboot'
  | 'gpuRental.instance.destroy';

/** Actions on instances besides connecting: power, names, bids, commands, logs and details. */
export function register(deps: LifecycleDeps): Disposable {
  const store = new DisposableStore();
  const documents = store.add(new OutputDocuments());
  const logs = store.add(new LogFollower(deps, documents));
  const many = (id: ManyCommand, run: (deps: LifecycleDeps, ...rows: Rows) => Promise<void>) => {
    store.add(deps.commands.register<ManyCommand>(id, (...rows) => run(deps, ...rows)));
  };
  many('gpuRental.instance.start', start);
  many('gpuRental.instance.stop', stop);
  many('gpuRental.instance.reboot', reboot);
  many('gpuRental.instance.destroy', destroy);
  const { commands } = deps;
  store.add(commands.register('gpuRental.instance.startNow', (target) => startNow(deps, target)));
  store.add(commands.register('gpuRental.instance.stopNow', (targets) => stopNow(deps, targets)));
  store.add(commands.register('gpuRental.instance.lossByDestroy', (target) => lossByDestroy(deps, target)));
  store.add(commands.register('gpuRental.instance.recycle', (target) => recycle(deps, target)));
  store.add(commands.register('gpuRental.instance.changeImage', (target) => changeImage(deps, target)));
  store.add(commands.register('gpuRental.instance.reportMachine', (target) => reportMachine(deps, target)));
  store.add(commands.register('gpuRental.instance.rename', (target) => rename(deps, target)));
  store.add(commands.register('gpuRental.instance.changeBid', (target) => changeBid(deps, target)));
  store.add(
    commands.register('gpuRental.instance.runCommand', (target) => runOnInstance(deps, documents, target)),
  );
  store.add(
    commands.register('gpuRental.instance.showDetails', (target) => showDetails(deps, documents, target)),
  );
  store.add(
    commands.register('gpuRental.instance.showLogs', async (target) => {
      const instance = await chooseOneInstance(deps, target, undefined, 'gpuRental.instance.showLogs');
      if (instance) {
        await logs.show(instance);
      }
    }),
  );
  store.add(
    commands.register('gpuRental.showText', async ({ title, content }) => {
      await documents.show(documents.uri(`text-${deps.clock.now()}`, title), content);
    }),
  );
  return store;
}
