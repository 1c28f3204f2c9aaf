import { runCommand } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import type { GpuRental, GpuRentalInstance } from '../../extensionInterface';
import { instanceName } from '../../model/instances/instanceLabel';
import { stateOf } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { accountFor } from '../../store/accounts/sameAccount';
import { listedInstances } from '../../store/instances/listed';
import { DisposableStore, type Disposable } from '../../util/disposable';

type Deps = Pick<Services, 'accounts' | 'accountsMenu' | 'clock' | 'fleet' | 'otherExtensions' | 'ssh'>;

/** Answers other extensions, and shows in the accounts menu who is signed in. */
export function register(deps: Deps): Disposable {
  const { accounts, accountsMenu, fleet, otherExtensions } = deps;
  const store = new DisposableStore();
  const show = () => {
    const { state } = accounts;
    if (state.kind !== 'loading') {
      accountsMenu.show(state.kind === 'signedOut' ? undefined : state.account);
    }
  };
  store.add(watchAccounts(accounts, show));
  store.add(fleet.onDidChange(() => otherExtensions.instancesChanged.fire()));
  const consents = new Consents();
  otherExtensions.answers = {
    instances: () => instancesOf(deps),
    prepareSsh: (instanceId) => prepareSsh(deps, consents, instanceId),
  };
  store.add({
    dispose: () => {
      otherExtensions.answers = undefined;
    },
  });
  show();
  return store;
}

async function instancesOf({ accounts, clock, fleet, ssh }: Deps): Promise<readonly GpuRentalInstance[]> {
  const account = accountFor(accounts);
  account();
  const listed = await listedInstances(fleet);
  return listed.map((instance) => ({
    id: instance.id,
    name: instanceName(instance),
    state: stateOf(instance, fleet.facts(instance.id), clock.now()),
    sshAlias: ssh.aliasOf(account(), instance.id),
  }));
}

async function prepareSsh(
  { accounts, fleet }: Deps,
  consents: Consents,
  instanceId: number,
): ReturnType<GpuRental['prepareSsh']> {
  const account = accountFor(accounts);
  const accountKey = account().key;
  const listed = await listedInstances(fleet);
  const instance = listed.find(({ id }) => id === instanceId);
  if (!instance) {
    throw new Error('No instance of the active account has this id.');
  }
  const isAgreed = await consents.ask(`${accountKey} ${instance.id}`, () =>
    mayConnect(instanceName(instance)),
  );
  return isAgreed ? runCommand('gpuRental.prepareSsh', { instanceId: instance.id, accountKey }) : undefined;
}

/** The editor does not tell which extension calls, so each gets what the user lets any of them have. */
function mayConnect(name: string): Promise<boolean> {
  return confirm({
    message: t('Let another extension connect to “{0}”?', name),
    detail: t(
      'An extension asked for this; the editor does not name it. GPU Rental logs in once and writes an SSH entry, with which programs of this computer can log in. Your answer holds until this window closes.',
    ),
    button: t('Connect'),
  });
}

/** What the user allowed in this window. Calls for the same thing share one question. */
class Consents {
  private readonly asked = new Map<string, Promise<boolean>>();

  async ask(what: string, question: () => Promise<boolean>): Promise<boolean> {
    const answer = this.asked.get(what) ?? question();
    this.asked.set(what, answer);
    let isAgreed = false;
    try {
      isAgreed = await answer;
    } finally {
      if (!isAgreed && this.asked.get(what) === answer) {
        this.asked.delete(what);
      }
    }
    return isAgreed;
  }
}
