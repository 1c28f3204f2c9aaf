import { posix } from 'node:path';
import type { InstanceTarget } from '../../commandSpecs';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { onSeveral } from '../../editor/onSeveral';
import { whileReadingInstances } from '../../editor/progress';
import { pickFromList } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { folderNames } from '../../model/instances/instanceFolders';
import { instanceName, nameAmong } from '../../model/instances/instanceLabel';
import { accountFor } from '../../store/accounts/sameAccount';
import { listedInstances } from '../../store/instances/listed';
import { safeFileName } from '../../util/fileName';
import { plainLabel } from '../../util/plainLabel';
import { beginCopy, isAble } from './copyData';
import { begunText, copyQuestion } from './copyDataText';
import { askPath, askTarget, measured } from './copySource';
import { cancelCopies, type DataCopyDeps } from './copyUse';

/** One of several instances to the others, or all of them to another one. */
interface Ways {
  readonly from: readonly Instance[];
  readonly to: readonly Instance[];
}

/** Copies data from one of the selected instances to the others, or from all of them to one that is not selected. */
export async function copySeveral(deps: DataCopyDeps, rows: readonly InstanceTarget[]): Promise<void> {
  const account = accountFor(deps.accounts);
  const able = (await listedInstances(deps.fleet, whileReadingInstances)).filter((one) => isAble(deps, one));
  const selected = able.filter(({ id }) => rows.some(({ instanceId }) => instanceId === id));
  if (selected.length < 2) {
    message('info', t('This needs a running or stopped instance.'));
    return;
  }
  const ways = await chooseWays(able, selected);
  const source = ways && (await askPath(ways.from));
  const folder = source === undefined ? undefined : await askTarget(source, ways?.to ?? []);
  if (!ways || source === undefined || folder === undefined) {
    return;
  }
  const sources = await measured(
    deps,
    account().client,
    ways.from.map((from) => ({ from, path: source })),
  );
  if (!(await confirm(copyQuestion(sources, { to: ways.to, path: folder })))) {
    return;
  }
  const isToSeveral = ways.from.length === 1;
  const folderName = folderNames(ways.from);
  const begun = new Set<Instance>();
  await onSeveral(isToSeveral ? ways.to : ways.from, {
    doing: t('Waiting for the service…'),
    done: t('Results: {0}', t('Copy to {0}', namesOf(ways.to))),
    fileName: (instance) => `${safeFileName(instanceName(instance), 'instance')}.txt`,
    work: async (instance) => {
      const [from, to] = isToSeveral
        ? [ways.from[0] ?? instance, instance]
        : [instance, ways.to[0] ?? instance];
      // Copies of several instances into one folder would replace each other.
      const path = isToSeveral ? folder : posix.join(folder, folderName(from));
      // Before the answer, because a copy whose answer is lost may have begun.
      begun.add(to);
      await beginCopy(deps, account(), { from, path: source }, { to, path });
      return { isOk: true, summary: path, output: begunText({ from: instanceName(from), path: source }, to) };
    },
    after: {
      icon: 'circle-slash',
      label: t('Cancel Copy'),
      run: () => cancelCopies(account().client, [...begun]),
    },
  });
}

async function chooseWays(
  able: readonly Instance[],
  selected: readonly Instance[],
): Promise<Ways | undefined> {
  const others = able.filter((one) => !selected.includes(one));
  const row = (instance: Instance, ways: Ways, label: string, description: readonly Instance[]) => ({
    id: String(instance.id),
    icon: 'vm',
    label,
    description: namesOf(description),
    value: ways,
  });
  const answer = await pickFromList<Ways>({
    title: t('{0}: {1}', titleOf('gpuRental.instance.copyData'), namesOf(selected)),
    placeholder: t('Where do you want to copy to or from?'),
    rows: [
      ...selected.map((one) => {
        const to = selected.filter((other) => other !== one);
        return row(one, { from: [one], to }, t('Copy from {0}', plainLabel(nameAmong(one, able))), to);
      }),
      ...others.map((one) =>
        row(one, { from: selected, to: [one] }, t('Copy to {0}', plainLabel(nameAmong(one, able))), selected),
      ),
    ],
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

function namesOf(instances: readonly Instance[]): string {
  return instances.map((one) => plainLabel(instanceName(one))).join(', ');
}
