import * as vscode from 'vscode';
import { ForbiddenError, NotFoundError, sayingIfLost } from '../../api/errors';
import { listProblems, problemRow } from '../../editor/listRows';
import { whileAsking, withCancellableProgress } from '../../editor/progress';
import { plain } from '../../model/instances/instanceState';
import type { Deployment } from '../../model/deployment';
import type { Services } from '../../services';
import { NotSignedInError } from '../../store/accounts/accountErrors';
import { readyList } from '../../store/listStore';
import type { Account, Loaded } from '../../store/ports';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { pickOne } from '../../editor/quickPick';
import type { GroupRow, TreeGroup } from '../../editor/treeGroups';
import { tooltip } from '../../editor/tooltip';

type Deps = Pick<Services, 'accounts' | 'clock' | 'log' | 'commands' | 'accountGroups'>;

/** Serverless deployments: a heading in the account view, *Stop* and *Start*. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const list = store.add(new DeploymentList(deps));
  store.add(deps.accountGroups.addGroup(list));
  store.add(deps.commands.register('gpuRental.refreshDeployments', () => list.refresh()));
  store.add(
    deps.commands.register('gpuRental.deployment.stop', (target) => change(deps, list, target, 'stop')),
  );
  store.add(
    deps.commands.register('gpuRental.deployment.start', (target) => change(deps, list, target, 'start')),
  );
  return store;
}

/** Read once per sign-in and on *Refresh*; an account without any shows no heading. */
class DeploymentList implements TreeGroup, Disposable {
  readonly id = 'deployments';
  readonly label = t('Serverless Deployments');
  readonly icon = 'rocket';
  private readonly changed = new Emitter<undefined>();
  readonly onDidChange = this.changed.event;
  private readonly store = new DisposableStore();
  private accountKey: string | undefined;
  private readonly nodes = new Map<number, { readonly deploymentId: number }>();
  private readonly problemNodes = { loadError: {}, skipped: {} };
  private state: Loaded<readonly Deployment[]> = { kind: 'idle' };

  constructor(private readonly deps: Pick<Deps, 'accounts' | 'clock' | 'log'>) {
    const follow = () => {
      if (deps.accounts.active?.key !== this.accountKey) {
        this.accountKey = deps.accounts.active?.key;
        this.state = { kind: 'idle' };
        this.changed.fire(undefined);
        void this.refresh().catch((error: unknown) => {
          deps.log.info(`The deployments could not be read: ${String(error)}`);
        });
      }
    };
    this.store.add(deps.accounts.onDidChange(follow));
    follow();
  }

  get deployments(): readonly Deployment[] {
    return this.state.kind === 'ready' ? this.state.value : [];
  }

  rows(): readonly GroupRow[] {
    const { state } = this;
    const problems = listProblems(state).map((problem) => ({
      node: this.problemNodes[problem.kind],
      item: () =>
        problemRow(problem, { name: 'deployments', state, unread, retry: 'gpuRental.refreshDeployments' }),
    }));
    const rows = this.deployments.map((deployment) => {
      const node = this.nodes.get(deployment.id) ?? { deploymentId: deployment.id };
      this.nodes.set(deployment.id, node);
      return { node, item: () => deploymentItem(deployment) };
    });
    return [...problems, ...rows];
  }

  async refresh(): Promise<void> {
    const account = this.deps.accounts.active;
    if (account) {
      try {
        const { items, skipped } = await account.client.deployments.list();
        this.become(account, readyList(items, skipped, this.deps.clock.now()));
      } catch (error) {
        if (this.accountKey !== account.key) {
          // The account was left while it was read, so its trouble is not the user's any more.
          return;
        }
        const isNone = error instanceof ForbiddenError || error instanceof NotFoundError;
        const { state } = this;
        // A key that may not read them, or a service without them: nothing is missed.
        this.become(
          account,
          isNone
            ? { kind: 'idle' }
            : state.kind === 'ready'
              ? { ...state, error }
              : { kind: 'failed', error },
        );
        throw error;
      }
    }
  }

  dispose(): void {
    this.store.dispose();
    this.changed.dispose();
  }

  private become(account: Account, state: Loaded<readonly Deployment[]>): void {
    if (this.accountKey === account.key) {
      this.state = state;
      this.changed.fire(undefined);
    }
  }
}

function unread(count: number): string {
  return count === 1 ? t('1 deployment could not be read') : t('{0} deployments could not be read', count);
}

function isStopped({ endpointState }: Deployment): boolean {
  return endpointState === 'stopped';
}

function deploymentItem(deployment: Deployment): vscode.TreeItem {
  const item = new vscode.TreeItem(nameOf(deployment));
  item.id = `deployment-${deployment.id}`;
  item.description = plain(deployment.endpointState ?? t('no endpoint'));
  item.iconPath = new vscode.ThemeIcon(isStopped(deployment) ? 'circle-outline' : 'rocket');
  item.contextValue =
    deployment.endpointState === undefined
      ? ';deployment;'
      : isStopped(deployment)
        ? ';deployment;canStartDeployment;'
        : ';deployment;canStopDeployment;';
  item.tooltip = tooltip([
    t('Deployment #{0}', deployment.id),
    deployment.image ?? '',
    deployment.workers === undefined ? '' : t('{0} workers', deployment.workers),
  ]);
  return item;
}

function nameOf({ id, name }: Deployment): string {
  return name === undefined || plain(name) === '' ? `#${id}` : plain(name);
}

async function change(
  deps: Deps,
  list: DeploymentList,
  target: unknown,
  action: 'stop' | 'start',
): Promise<void> {
  const account = deps.accounts.active;
  if (!account) {
    throw new NotSignedInError();
  }
  const deployment = await choose(list, target, action);
  if (!deployment) {
    return;
  }
  if (action === 'stop') {
    if (
      !(await confirm({
        message: t('Stop the deployment {0}?', nameOf(deployment)),
        detail: t(
          'Its endpoint answers no more requests. The deployment is kept, not deleted, and can be started again.',
        ),
        button: t('Stop'),
      }))
    ) {
      return;
    }
  }
  const title =
    action === 'stop' ? t('Stopping {0}…', nameOf(deployment)) : t('Starting {0}…', nameOf(deployment));
  const { endpointState } = await withCancellableProgress(title, (signal) =>
    sayingIfLost(
      action === 'stop'
        ? text(
            'It is not known whether {0} was stopped: the answer of the service was lost. If it was not, its workers go on costing. Refresh to see.',
            nameOf(deployment),
          )
        : text(
            'It is not known whether {0} was started: the answer of the service was lost. If it was, its workers cost money. Refresh to see.',
            nameOf(deployment),
          ),
      () => account.client.deployments[action](deployment.id, { signal }),
    ),
  ).finally(() =>
    // Its failure is a row.
    list.refresh().catch(() => undefined),
  );
  void vscode.window.showInformationMessage(
    t('The endpoint of {0} is now: {1}.', nameOf(deployment), plain(endpointState ?? action)),
  );
}

async function choose(
  list: DeploymentList,
  target: unknown,
  action: 'stop' | 'start',
): Promise<Deployment | undefined> {
  if (typeof target === 'object' && target !== null && 'deploymentId' in target) {
    const deployment = list.deployments.find(({ id }) => id === Number(target.deploymentId));
    if (!deployment) {
      throw new UserError(text('The deployment is no longer in the list. Refresh the list.'));
    }
    return deployment;
  }
  await whileAsking(list.refresh());
  const rows = list.deployments
    .filter(
      (deployment) =>
        deployment.endpointState !== undefined && isStopped(deployment) === (action === 'start'),
    )
    .map((deployment) => ({
      label: nameOf(deployment),
      description: deployment.endpointState ?? '',
      deployment,
    }));
  if (rows.length === 0) {
    void vscode.window.showInformationMessage(
      action === 'stop' ? t('No deployment is active.') : t('No deployment is stopped.'),
    );
    return undefined;
  }
  const title = action === 'stop' ? t('Stop Deployment') : t('Start Deployment');
  return (await pickOne(rows, { title }))?.deployment;
}
