import * as vscode from 'vscode';
import { explainingIfLost } from '../../../api/errors';
import { commandAction } from '../../../editor/commands';
import { confirm } from '../../../editor/confirm';
import { confirmOverBudget } from '../../../editor/confirmOverBudget';
import { listProblems, problemRow, readLongAgo } from '../../../editor/listRows';
import { t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { inView, whileAsking, withCancellableProgress } from '../../../editor/progress';
import { askNumber, pickOne } from '../../../editor/quickPick';
import { momentText } from '../../../editor/timeText';
import { labelOf, titleOf } from '../../../editor/titles';
import { tooltip } from '../../../editor/tooltip';
import type { GroupRow, TreeGroup } from '../../../editor/treeGroups';
import type { Deployment } from '../../../model/deployment';
import type { Services } from '../../../services';
import { followAccount } from '../../../shared/followAccount';
import { AccountReading, type Loaded, type RefreshOptions } from '../../../shared/reading';
import type { Account } from '../../../store/accounts/accounts';
import { accountFor } from '../../../store/accounts/sameAccount';
import { isUnlisted, listOrNone } from '../../../store/unlisted';
import { DisposableStore, type Disposable } from '../../../util/disposable';
import { Emitter } from '../../../util/emitter';
import { UserError } from '../../../util/errors';
import { plainLabel } from '../../../util/plainLabel';
import { text } from '../../../util/text';

type Deps = Pick<Services, 'accounts' | 'budget' | 'clock' | 'log' | 'commands' | 'accountGroups'>;

/** Registers serverless deployments: a heading in the account view, *Stop* and *Start*. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const list = store.add(new DeploymentList(deps));
  store.add(deps.accountGroups.addGroup(list));
  store.add(
    deps.commands.register('gpuRental.refreshDeployments', () =>
      inView('gpuRental.account', () => list.refresh()),
    ),
  );
  store.add(
    deps.commands.register('gpuRental.deployment.stop', (target) => change(deps, list, target, 'stop')),
  );
  store.add(
    deps.commands.register('gpuRental.deployment.start', (target) => change(deps, list, target, 'start')),
  );
  return store;
}

/** The deployments, read once per sign-in and on *Refresh*; the heading is hidden if there are none. */
class DeploymentList implements TreeGroup, Disposable {
  readonly id = 'deployments';
  readonly label = t('Serverless Deployments');
  readonly icon = 'rocket';
  private readonly changed = new Emitter<undefined>();
  readonly onDidChange = this.changed.event;
  private readonly store = new DisposableStore();
  private readonly nodes = new Map<number, { readonly deploymentId: number }>();
  private readonly problemNodes = { loadError: {}, skipped: {} };
  private readonly reading: AccountReading<Account, readonly Deployment[]>;

  constructor(private readonly deps: Pick<Deps, 'accounts' | 'clock' | 'log'>) {
    const { accounts, log } = deps;
    this.reading = this.store.add(
      new AccountReading({ ...deps, read: ({ client }, options) => client.deployments.list(options) }),
    );
    this.store.add(
      this.reading.onDidChange(() => {
        this.changed.fire(undefined);
      }),
    );
    this.store.add(
      followAccount(accounts, () => {
        void this.refresh({ isUnasked: true }).catch((error: unknown) => {
          log.info(`Could not read the deployments: ${String(error)}`);
        });
      }),
    );
  }

  get deployments(): readonly Deployment[] {
    return this.reading.value ?? [];
  }

  /** An old list may be wrong by now, and an active endpoint costs money. */
  description(): string {
    const now = this.deps.clock.now();
    const readAt = readLongAgo(this.reading.state, now);
    return readAt === undefined ? '' : t('as of {0}', momentText(readAt, now));
  }

  rows(): readonly GroupRow[] {
    const { state } = this.reading;
    const problems = (isMissed(state) ? listProblems(state) : []).map((problem) => ({
      node: this.problemNodes[problem.kind],
      item: () =>
        problemRow(problem, {
          name: 'deployments',
          state,
          now: this.deps.clock.now(),
          retry: 'gpuRental.refreshDeployments',
        }),
    }));
    const rows = this.deployments.map((deployment) => {
      const node = this.nodes.get(deployment.id) ?? { deploymentId: deployment.id };
      this.nodes.set(deployment.id, node);
      return { node, item: () => deploymentItem(deployment) };
    });
    return [...problems, ...rows];
  }

  async refresh(how?: RefreshOptions): Promise<void> {
    if (this.deps.accounts.active) {
      await this.reading.refresh(how);
    }
  }

  dispose(): void {
    this.store.dispose();
    this.changed.dispose();
  }
}

/** Returns true for errors to hide: a key without permission, or a service without deployments. */
function isMissed(state: Loaded<readonly Deployment[]>): boolean {
  const error = state.kind === 'failed' || state.kind === 'ready' ? state.error : undefined;
  return !isUnlisted(error);
}

function isStopped({ endpointState }: Deployment): boolean {
  return endpointState === 'stopped';
}

function workersText(workers: number | undefined): string {
  return workers === undefined ? '' : t('Workers: {0}', workers);
}

function deploymentItem(deployment: Deployment): vscode.TreeItem {
  const item = new vscode.TreeItem(nameOf(deployment));
  item.id = `deployment-${deployment.id}`;
  item.description = plainLabel(deployment.endpointState ?? t('no endpoint'));
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
    workersText(deployment.workers),
  ]);
  return item;
}

function nameOf({ id, name }: Deployment): string {
  return name === undefined || plainLabel(name) === '' ? `#${id}` : plainLabel(name);
}

async function change(
  deps: Deps,
  list: DeploymentList,
  target: { readonly deploymentId: number } | undefined,
  action: 'stop' | 'start',
): Promise<void> {
  const account = accountFor(deps.accounts);
  const deployment = await choose(list, target, action);
  if (!deployment || !(await isWanted(deps, account, deployment, action))) {
    return;
  }
  const { client } = account();
  const title =
    action === 'stop' ? t('Stopping {0}…', nameOf(deployment)) : t('Starting {0}…', nameOf(deployment));
  let answered: string | undefined;
  try {
    ({ endpointState: answered } = await withCancellableProgress(title, (signal) =>
      explainingIfLost(
        text(
          'The service did not answer, so {0} may be running. If it is, its workers cost money. Refresh to check.',
          nameOf(deployment),
        ),
        () => client.deployments[action](deployment.id, { signal }),
      ),
    ));
  } finally {
    // Its failure is a row.
    await list.refresh().catch(() => undefined);
  }
  const listed = list.deployments.find(({ id }) => id === deployment.id)?.endpointState;
  reportState(nameOf(deployment), action, [answered, listed]);
}

/** An answer that states no state, or another one, is no proof; the list may be. */
function reportState(name: string, action: 'stop' | 'start', states: readonly (string | undefined)[]): void {
  const aim = action === 'stop' ? 'stopped' : 'active';
  if (states.includes(aim)) {
    message('info', t('The endpoint of {0} is now: {1}.', name, aim));
    return;
  }
  message(
    'warning',
    action === 'stop'
      ? t(
          'The service accepted the request, but the endpoint of {0} may still be running and cost money. Refresh to check.',
          name,
        )
      : t(
          'The service accepted the request, but the endpoint of {0} is not active yet. Refresh to check.',
          name,
        ),
    commandAction(labelOf('gpuRental.refresh'), 'gpuRental.refreshDeployments'),
  );
}

/** `account` throws unless the account is active whose deployment and budget that is. */
async function isWanted(
  { budget }: Pick<Deps, 'budget'>,
  account: () => Account,
  deployment: Deployment,
  action: 'stop' | 'start',
): Promise<boolean> {
  const name = nameOf(deployment);
  if (action === 'stop') {
    return confirm({
      message: t('Stop the deployment “{0}”?', name),
      detail: t(
        'Its endpoint stops answering requests. The deployment is kept, not deleted, and you can start it again.',
      ),
      button: titleOf('gpuRental.instance.stop'),
    });
  }
  const isAgreed = await confirm({
    message: t('Start the deployment “{0}”?', name),
    detail: t('Its workers cost money until you stop it. The service does not state their price.'),
    button: t('Start'),
  });
  if (!isAgreed) {
    return false;
  }
  account();
  return confirmOverBudget(budget, {
    message: t('Continue outside your budget?'),
    button: t('Continue Anyway'),
  });
}

async function choose(
  list: DeploymentList,
  target: { readonly deploymentId: number } | undefined,
  action: 'stop' | 'start',
): Promise<Deployment | undefined> {
  if (target) {
    const deployment = list.deployments.find(({ id }) => id === target.deploymentId);
    if (!deployment) {
      throw new UserError(text('This no longer exists. Refresh the list.'));
    }
    return deployment;
  }
  const title =
    action === 'stop' ? titleOf('gpuRental.deployment.stop') : titleOf('gpuRental.deployment.start');
  const isListed = await listOrNone(whileAsking(list.refresh().then(() => true)));
  if (isListed === undefined) {
    const id = await askNumber({ title, prompt: t('Number of the deployment.') });
    return id === undefined ? undefined : { id };
  }
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
    message('info', t('No deployment is in a state for this.'));
    return undefined;
  }
  return (await pickOne(rows, { title }))?.deployment;
}
