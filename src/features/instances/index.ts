import { runCommand } from '../../editor/commands';
import { inView, whileAsking } from '../../editor/progress';
import type { Services } from '../../services';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { InstanceTree, firstSignMs } from './instanceTree';
import { followWorkspaceFile } from './workspaceFileKey';

type Deps = Pick<
  Services,
  | 'accounts'
  | 'fleet'
  | 'volumes'
  | 'clock'
  | 'trees'
  | 'instanceGroups'
  | 'commands'
  | 'templates'
  | 'sshKeys'
  | 'settings'
  | 'log'
  | 'rentals'
  | 'contextKeys'
  | 'presence'
  | 'secondFactor'
  | 'windowInUse'
>;

/**
 * Registers the instances view and *Refresh* for all views, and informs the fleet whether this window shows the list.
 */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const tree = deps.trees['gpuRental.instances'];
  const provider = store.add(new InstanceTree(deps));
  tree.setProvider(provider);
  store.add(tickFirstSteps(deps));
  store.add(followWorkspaceFile(deps));
  store.add(deps.commands.register('gpuRental.refresh', () => refresh(deps)));
  store.add(
    deps.commands.register('gpuRental.showLog', () => {
      deps.log.show();
    }),
  );
  store.add(
    deps.commands.register('gpuRental.instance.reveal', async ({ instanceId: id }) => {
      if (deps.fleet.find(id)) {
        await tree.view.reveal(provider.nodeOf(id), { select: true, focus: true });
      }
    }),
  );
  const updateRenting = () => {
    const open = deps.rentals.rentals.some(({ phase }) =>
      ['sent', 'notKnown', 'waiting'].includes(phase.kind),
    );
    deps.contextKeys.set('gpuRental.renting', open);
  };
  store.add(deps.rentals.onDidChange(updateRenting));
  updateRenting();
  const updateInterest = () => {
    const { state } = deps.fleet;
    // The status bar shows the same list while it has something to show.
    const isInStatusBar =
      deps.settings.get('gpuRental.statusBar.enabled') &&
      state.kind === 'ready' &&
      state.value.instances.length > 0;
    const viewVisible = tree.view.visible || isInStatusBar;
    const windowFocused = deps.windowInUse.isFocused;
    if (viewVisible !== sent?.viewVisible || windowFocused !== sent.windowFocused) {
      sent = { viewVisible, windowFocused };
      deps.fleet.setInterest(sent);
    }
  };
  let sent: { readonly viewVisible: boolean; readonly windowFocused: boolean } | undefined;
  store.add(deps.fleet.onDidChange(updateInterest));
  store.add(deps.settings.onDidChange('gpuRental.statusBar', updateInterest));
  store.add(tree.view.onDidChangeVisibility(updateInterest));
  store.add(deps.windowInUse.onDidChange(updateInterest));
  updateInterest();
  return store;
}

/** Refreshes everything that is shown; after a key that could not be read, also the account. */
async function refresh({ accounts, fleet, templates, sshKeys, trees }: Deps): Promise<void> {
  await accounts.load();
  const { state } = accounts;
  if (state.kind === 'unreadable') {
    throw state.error;
  }
  if (!accounts.active) {
    return;
  }
  const work = inView('gpuRental.instances', async () => {
    await Promise.all([
      fleet.refresh(),
      accounts.refreshUser(),
      ...(trees['gpuRental.templates'].view.visible ? [templates.refresh()] : []),
      ...(trees['gpuRental.sshKeys'].view.visible ? [sshKeys.refresh()] : []),
      runCommand('gpuRental.refreshMachines'),
      runCommand('gpuRental.refreshAccount'),
      runCommand('gpuRental.refreshDeployments'),
      runCommand('gpuRental.refreshVolumes'),
      runCommand('gpuRental.refreshInstanceKeys'),
    ]);
  });
  await whileAsking(work, firstSignMs);
}

type FirstStepsDeps = Pick<Services, 'contextKeys' | 'fleet' | 'presence' | 'rentals'>;

const steps = ['gpuRental.done.rent', 'gpuRental.done.connect', 'gpuRental.done.stop'] as const;

/**
 * Ticks the steps of the walkthrough when they are done, whether by a message, a row, a terminal or in another window.
 */
export function tickFirstSteps({ contextKeys, fleet, presence, rentals }: FirstStepsDeps): Disposable {
  const store = new DisposableStore();
  const update = () => {
    const { state } = fleet;
    const instances = state.kind === 'ready' ? state.value.instances : [];
    const done: Readonly<Record<(typeof steps)[number], boolean>> = {
      'gpuRental.done.rent': rentals.rentals.some(({ phase }) => 'instanceId' in phase),
      'gpuRental.done.connect': presence.isAnyUsed,
      'gpuRental.done.stop': instances.some(({ id }) => {
        const request = fleet.facts(id).lastRequest;
        return request?.isAccepted === true && (request.kind === 'stop' || request.kind === 'destroy');
      }),
    };
    // A completed step stays ticked, for example _Stop_ after the instance started again.
    for (const key of steps) {
      if (done[key]) {
        contextKeys.set(key, true);
      }
    }
  };
  store.add(fleet.onDidChange(update));
  store.add(presence.onDidChange(update));
  store.add(rentals.onDidChange(update));
  update();
  return store;
}
