import { explainingIfLost } from '../../api/errors';
import type { CopiedTarget } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { confirm } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileReadingInstances, whileSending } from '../../editor/progress';
import { pickFromList, type Row } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor, stateLabel, stateOf } from '../../model/instances/instanceState';
import { volumeName, type Volume } from '../../model/volume';
import type { Account } from '../../store/accounts/accounts';
import { accountFor } from '../../store/accounts/sameAccount';
import { listedInstances } from '../../store/instances/listed';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { cancelFromClouds, copyFromCloud, copyToCloud } from './copyCloud';
import { begunText, copyQuestion } from './copyDataText';
import { askSource, askTarget, measured, type Source } from './copySource';
import { cancelCopies, holdForCopy, type DataCopyDeps } from './copyUse';
import { copyBetween, copyOfVolume } from './copyVolume';

type Target =
  | { readonly kind: 'instance'; readonly instance: Instance }
  | { readonly kind: 'volume'; readonly volume: Volume }
  | { readonly kind: 'toCloud' | 'fromCloud' | 'cancelFromClouds' };

/**
 * Copies data between instances, volumes and cloud connections. The service copies; no data passes
 * through this computer.
 */
export async function copyData(deps: DataCopyDeps, target: CopiedTarget | undefined): Promise<void> {
  const account = accountFor(deps.accounts);
  const listed = (await listedInstances(deps.fleet, whileReadingInstances)).filter((one) =>
    isAble(deps, one),
  );
  if (target && 'volumeId' in target) {
    await deps.volumes.refresh();
    const volumes = listedVolumes(deps);
    const volume = volumes.find(({ id }) => id === target.volumeId);
    if (!volume) {
      throw new UserError(text('This no longer exists. Refresh the list.'));
    }
    return copyOfVolume(deps, account, volume, { instances: listed, volumes });
  }
  const id = await chooseInstance(
    target,
    listed,
    'gpuRental.instance.copyData',
    t('This needs a running or stopped instance.'),
  );
  const from = listed.find((instance) => instance.id === id);
  if (!from) {
    if (id !== undefined) {
      message('info', t('This needs a running or stopped instance.'));
    }
    return;
  }
  const to = await chooseTarget(deps, from, listed);
  switch (to?.kind) {
    case undefined:
      return;
    case 'instance':
      return copyTo(deps, account, from, to.instance);
    case 'volume':
      return copyBetween(
        deps,
        account,
        { kind: 'instance', part: from },
        { kind: 'volume', part: to.volume },
      );
    case 'cancelFromClouds':
      return cancelFromClouds(account, from);
    case 'toCloud':
      return copyToCloud(deps, account, from);
    case 'fromCloud':
      return copyFromCloud(deps, account, from);
  }
}

/** Returns true if the service can copy files of the instance in its state (docs/service/commands.md#copy). */
export function isAble({ fleet, clock }: DataCopyDeps, instance: Instance): boolean {
  return actionsFor(instance, fleet.facts(instance.id), clock.now()).canRunCommand;
}

/** The volumes as they were read last; their row reads them again. */
function listedVolumes({ volumes: { state } }: DataCopyDeps): readonly Volume[] {
  return state.kind === 'ready' ? state.value : [];
}

async function chooseTarget(
  deps: DataCopyDeps,
  from: Instance,
  listed: readonly Instance[],
): Promise<Target | undefined> {
  const { fleet, clock } = deps;
  const title = t('{0}: {1}', titleOf('gpuRental.instance.copyData'), instanceName(from));
  const others = listed.filter(({ id }) => id !== from.id);
  const rows: Row<Target>[] = others.map((instance) => ({
    id: String(instance.id),
    icon: 'vm',
    label: plainLabel(instanceName(instance)),
    description: localize(stateLabel(instance, stateOf(instance, fleet.facts(instance.id), clock.now()))),
    value: { kind: 'instance', instance },
  }));
  const answer = await pickFromList<Target>({
    title,
    placeholder: t('Where do you want to copy to or from?'),
    rows: [
      ...rows,
      ...listedVolumes(deps).map((volume): Row<Target> => ({
        id: `volume:${volume.id}`,
        icon: 'database',
        label: volumeName(volume),
        description: t('Volume'),
        value: { kind: 'volume', volume },
      })),
      {
        id: 'toCloud',
        icon: 'cloud-upload',
        label: t('To a Cloud Connection…'),
        value: { kind: 'toCloud' },
      },
      {
        id: 'fromCloud',
        icon: 'cloud-download',
        label: t('From a Cloud Connection…'),
        value: { kind: 'fromCloud' },
      },
      {
        id: 'cancelFromClouds',
        icon: 'circle-slash',
        label: t('Cancel Copies from Clouds…'),
        value: { kind: 'cancelFromClouds' },
      },
    ],
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

async function copyTo(
  deps: DataCopyDeps,
  account: () => Account,
  from: Instance,
  to: Instance,
): Promise<void> {
  const source = await askSource(from);
  if (!source) {
    return;
  }
  const path = await askTarget(source.path, [to]);
  if (path === undefined) {
    return;
  }
  const sources = await measured(deps, account().client, [source]);
  if (!(await confirm(copyQuestion(sources, { to: [to], path })))) {
    return;
  }
  await whileSending(beginCopy(deps, account(), source, { to, path }));
  message('info', begunText({ ...source, from: instanceName(from) }, to), {
    label: t('Cancel Copy'),
    run: () => cancelCopies(account().client, [to]),
  });
}

/** Sends the copy, which the service has begun afterwards. */
export function beginCopy(
  deps: DataCopyDeps,
  own: Account,
  { from, path: source }: Source,
  { to, path }: { readonly to: Instance; readonly path: string },
): Promise<void> {
  return explainingIfLost(
    text(
      'The service did not answer, so the copy to {0} may have started. Check its status before you try again.',
      instanceName(to),
    ),
    () => {
      // Before the request, because a copy whose answer is lost may have begun.
      holdForCopy(deps, { account: own, machines: [from.id, to.id], sentBy: to.id });
      return own.client.copies.begin({ instanceId: from.id, path: source }, { instanceId: to.id, path });
    },
  );
}
