import { t } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';
import { printedLog } from '../../instanceKeys';
import type { Instance } from '../../model/instances/instance';
import { hasBeenReady, hasShell, isStarting, stateOf } from '../../model/instances/instanceState';
import type { Volume } from '../../model/volume';
import { findUnsavedWork, type UnsavedWork } from '../../ssh/unsavedWork';
import type { Account } from '../../store/accounts/accounts';
import { UserError } from '../../util/errors';
import type { Text } from '../../util/text';
import type { LifecycleDeps } from './deps';
import { nameOfSome } from './lifecycleText';

/** What was found on a machine, or why it was not checked. */
export type WorkCheck =
  | { readonly kind: 'seen'; readonly work: UnsavedWork }
  /** SSH did not answer in time, or the user did not wait. */
  | { readonly kind: 'noAnswer' }
  | { readonly kind: 'noLogin'; readonly why: Text }
  | { readonly kind: 'notRunning' }
  /** This computer never connected to it, or it has no SSH. */
  | { readonly kind: 'never' };

export interface BeforeDestroy {
  /** The volumes of all machines; `undefined` if they could not be read. */
  readonly volumes: readonly Volume[] | undefined;
  /** True if more volumes exist than could be read. */
  readonly hasUnreadVolumes: boolean;
  readonly checks: ReadonlyMap<Instance, WorkCheck>;
}

type Deps = Pick<LifecycleDeps, 'clock' | 'fleet' | 'log' | 'ssh' | 'volumes' | 'work'>;

/** The question appears after this time at the latest, with what is known by then (ms). */
const patienceMs = 8_000;

/** Finds out within seconds what would be kept and what would be lost. Never rejects. */
export function checkBeforeDestroy(
  deps: Deps,
  account: Account,
  instances: readonly Instance[],
): Promise<BeforeDestroy> {
  const title = t('Checking {0} for unsaved work…', nameOfSome(instances));
  return withCancellableProgress(title, (stop) => checkQuietly(deps, account, instances, stop));
}

/** Does the same without a progress notification, which would appear beneath the question. */
export async function checkQuietly(
  deps: Deps,
  account: Account,
  instances: readonly Instance[],
  stop?: AbortSignal,
): Promise<BeforeDestroy> {
  const patience = AbortSignal.timeout(patienceMs);
  const signal = stop === undefined ? patience : AbortSignal.any([stop, patience]);
  const [volumes, ...checks] = await Promise.all([
    readVolumes(deps, signal),
    ...instances.map(async (instance) => [instance, await check(deps, account, instance, signal)] as const),
  ]);
  const { state } = deps.volumes;
  const hasUnreadVolumes = state.kind === 'ready' && state.skipped !== undefined;
  return { volumes, hasUnreadVolumes, checks: new Map(checks) };
}

/** Returns whether a machine has something that parking it would save. */
export function hasWorkToSave({ checks }: BeforeDestroy): boolean {
  return [...checks.values()].some(
    (check) =>
      check.kind === 'seen' &&
      (check.work.repositories.length + check.work.others.length > 0 ||
        (check.work.folder?.kilobytes ?? 0) > 0),
  );
}

async function readVolumes(deps: Deps, signal: AbortSignal): Promise<readonly Volume[] | undefined> {
  const { volumes, log } = deps;
  const isRead = await Promise.race([
    volumes.refresh().then(
      () => true,
      (error: unknown) => {
        log.info(`The volumes could not be read: ${String(error)}`);
        return false;
      },
    ),
    aborted(signal),
  ]);
  return isRead && volumes.state.kind === 'ready' ? volumes.state.value : undefined;
}

function aborted(signal: AbortSignal): Promise<false> {
  return new Promise((resolve) => {
    const end = () => {
      resolve(false);
    };
    if (signal.aborted) {
      end();
    } else {
      signal.addEventListener('abort', end, { once: true });
    }
  });
}

async function check(
  deps: Deps,
  account: Account,
  instance: Instance,
  signal: AbortSignal,
): Promise<WorkCheck> {
  const { clock, fleet, log, ssh } = deps;
  const facts = fleet.facts(instance.id);
  const state = stateOf(instance, facts, clock.now());
  if (state !== 'running') {
    // A stopped instance may have run while it was not observed.
    const isNew = isStarting(state) && !hasBeenReady(instance, facts);
    return { kind: isNew ? 'never' : 'notRunning' };
  }
  if (!hasShell(instance)) {
    return { kind: 'never' };
  }
  try {
    // A machine that is about to be destroyed gets no SSH entry.
    if (!(await ssh.entry(ssh.aliasOf(account, instance.id)))) {
      return { kind: 'never' };
    }
    const { alias } = await ssh.prepare(
      {
        account,
        instanceId: instance.id,
        instance,
        registeredKeys: undefined,
        log: printedLog(account.client, instance.id, { signal }),
      },
      signal,
    );
    await deps.work.whole();
    const { probes: checks } = deps.work;
    const work = await findUnsavedWork(ssh, alias, checks, { signal, timeoutMs: patienceMs });
    return work ? { kind: 'seen', work } : { kind: 'noAnswer' };
  } catch (error) {
    log.info(`Instance ${instance.id} could not be looked at before it is destroyed: ${String(error)}`);
    return error instanceof UserError ? { kind: 'noLogin', why: error.text } : { kind: 'noAnswer' };
  }
}
