import type { Question } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { pricePerDay } from '../../editor/priceText';
import { labelOf, titleOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import type { Difference } from '../../model/proof/verdict';
import { differenceText } from '../../model/proof/verdictText';
import { volumeName, volumePerDay, type Volume } from '../../model/volume';
import type { UnsavedRepository } from '../../ssh/unsavedWork';
import { bytesText } from '../../util/bytes';
import { plainLabel } from '../../util/plainLabel';
import type { BeforeDestroy, WorkCheck } from './beforeDestroy';
import { listed, nameOfSome } from './lifecycleText';

/** The most lines about other work, and repositories, that fit into a dialog. */
const mostOthers = 50;
const mostRepositories = 5;

export function destroyQuestion(
  instances: readonly Instance[],
  found: BeforeDestroy,
  /** Faults of a machine that its owner may be told of. */
  faultsOf: (instance: Instance) => readonly Difference[] = () => [],
): Required<Question> {
  const work = instances.flatMap((instance) => [
    ...workLines(instance, found.checks.get(instance), instances),
    ...faultLine(instance, faultsOf(instance)),
  ]);
  return {
    message: t('Destroy {0}?', nameOfSome(instances)),
    detail: [
      `${t("All data on disk is lost for good. This can't be undone.")} ${afterwards(instances, found)}`,
      ...(work.length === 0 ? [] : ['', ...work]),
    ]
      .join('\n')
      .concat(listed(instances)),
    button: titleOf('gpuRental.instance.destroy'),
    keep: instances.length === 1 ? t('Keep Instance') : t('Keep Instances'),
  };
}

/** The service takes a report only while the instance exists. The dialog has no room for another button. */
function faultLine(instance: Instance, [fault]: readonly Difference[]): readonly string[] {
  return fault === undefined
    ? []
    : [
        t(
          '⚠ {0}: {1}. To report that to the owner of the machine, first choose {2} on the page of the instance.',
          instanceName(instance),
          localize(differenceText(fault)),
          labelOf('gpuRental.instance.reportMachine'),
        ),
      ];
}

/** Returns what is kept and still costs money. */
function afterwards(
  instances: readonly Instance[],
  { volumes, hasUnreadVolumes }: Pick<BeforeDestroy, 'volumes' | 'hasUnreadVolumes'>,
): string {
  const ids = new Set(instances.map(({ id }) => id));
  const kept = (volumes ?? []).filter(({ instanceIds }) => instanceIds?.some((id) => ids.has(id)));
  if (kept.length > 0) {
    return t(
      'Data on a volume is kept and still costs money until you delete it: {0}.',
      kept.map(volumeText).join(', '),
    );
  }
  // The link may be in either record (docs/service/volumes.md#link-to-instances).
  const isKnownFree =
    instances.every((instance) => instance.volumes?.length === 0) ||
    (!hasUnreadVolumes &&
      volumes?.every(({ instanceIds }) => instanceIds !== undefined) === true &&
      instances.every((instance) => (instance.volumes ?? []).length === 0));
  return isKnownFree
    ? t('You are not charged afterwards.')
    : t('Volumes are kept and still cost money until you delete them. Could not read which ones it has.');
}

function volumeText(volume: Volume): string {
  const price = pricePerDay(volumePerDay(volume));
  return volume.sizeGb === undefined
    ? `${volumeName(volume)} (${price})`
    : t('{0} ({1} GB, {2})', volumeName(volume), Math.round(volume.sizeGb), price);
}

/** Lists unsaved work that would be lost; with several instances, each line names its instance. */
export function workLines(
  instance: Instance,
  check: WorkCheck | undefined,
  all: readonly Instance[],
): readonly string[] {
  const lines = check ? linesOf(check) : [];
  return all.length === 1 ? lines : lines.map((line) => `${instanceName(instance)}: ${line}`);
}

function linesOf(check: WorkCheck): readonly string[] {
  switch (check.kind) {
    case 'never':
      return [];
    case 'notRunning':
      return [t("It is stopped, so unsaved work on it can't be checked.")];
    case 'noAnswer':
      return [t("It did not answer over SSH, so unsaved work on it can't be checked.")];
    case 'noLogin':
      return [t("Unsaved work on it can't be checked. {0}", localize(check.why))];
    case 'seen': {
      const { repositories, others, folder, isComplete } = check.work;
      const more =
        Math.max(0, repositories.length - mostRepositories) + Math.max(0, others.length - mostOthers);
      return [
        ...others.slice(0, mostOthers).map((line) => `⚠ ${localize(line)}`),
        ...repositories.slice(0, mostRepositories).map(repositoryText),
        ...(more > 0 ? [t('… and {0} more with unsaved work', more)] : []),
        ...(isComplete ? [] : [t('Some folders on it could not be checked for Git work.')]),
        ...(repositories.length === 0 && isComplete ? [t('All Git work found on it has been pushed.')] : []),
        ...(folder ? [t('{0} holds {1}.', folder.path, bytesText(folder.kilobytes * 1024))] : []),
      ];
    }
  }
}

function repositoryText({ path, changes, unpushed }: UnsavedRepository): string {
  const parts = [
    ...(changes === 'unknown' ? [t('uncommitted files could not be read')] : []),
    ...(changes !== 'unknown' && changes > 0 ? [t('uncommitted files: {0}', changes)] : []),
    ...(unpushed === 'unknown' ? [t('unpushed commits could not be read')] : []),
    ...(unpushed !== 'unknown' && unpushed > 0 ? [t('unpushed commits: {0}', unpushed)] : []),
  ];
  return `⚠ ${plainLabel(path)}: ${parts.join(', ')}`;
}
