import { explainingIfLost } from '../../api/errors';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileSending } from '../../editor/progress';
import { askLine, pickFromList, type Row } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import {
  sourceProblem,
  targetProblem,
  volumeSourceProblem,
  type CloudConnection,
  type CopyEnd,
} from '../../model/instances/dataCopy';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { volumeName, type Volume } from '../../model/volume';
import type { Account } from '../../store/accounts/accounts';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { askCloudPath, chooseConnection } from './copyCloud';
import { begunText, connectionName, volumeQuestion, type CopySide } from './copyDataText';
import { measured, whileMeasuring } from './copySource';
import { cancelCopies, holdForCopy, type DataCopyDeps } from './copyUse';

/** What a copy has at one of its ends; one of both is a volume. */
type Part =
  | { readonly kind: 'instance'; readonly part: Instance }
  | { readonly kind: 'volume'; readonly part: Volume }
  | { readonly kind: 'cloud'; readonly part: CloudConnection };
interface Way {
  readonly isTo: boolean;
  /** Nothing for a cloud connection, which is asked for. */
  readonly other: Exclude<Part, { kind: 'cloud' }> | undefined;
}

/** Copies between a volume and an instance, another volume or a cloud connection, in either direction. */
export async function copyOfVolume(
  deps: DataCopyDeps,
  account: () => Account,
  volume: Volume,
  others: { readonly instances: readonly Instance[]; readonly volumes: readonly Volume[] },
): Promise<void> {
  const way = await chooseWay(volume, others);
  if (!way) {
    return;
  }
  const connection = way.other ? undefined : await chooseConnection(account().client, volumeName(volume));
  const other: Part | undefined = way.other ?? (connection && { kind: 'cloud', part: connection });
  const own: Part = { kind: 'volume', part: volume };
  if (other) {
    const [from, to] = way.isTo ? [own, other] : [other, own];
    await copyBetween(deps, account, from, to);
  }
}

/** Copies from one end to the other after a question with the size. */
export async function copyBetween(
  deps: DataCopyDeps,
  account: () => Account,
  from: Part,
  to: Part,
): Promise<void> {
  const source = await askFrom(from, to);
  const target = source === undefined ? undefined : await askTo(to, source);
  if (source === undefined || target === undefined) {
    return;
  }
  const [end, goal] = [endOf(from, source), endOf(to, target)];
  const [instanceSize] =
    from.kind === 'instance'
      ? await measured(deps, account().client, [{ from: from.part, path: source }])
      : [];
  const size = instanceSize ?? (await whileMeasuring(deps, account().client, end));
  if (!(await confirm(volumeQuestion(sideOf(from, source, 'up'), sideOf(to, target, 'down'), size)))) {
    return;
  }
  const own = account();
  const instance = to.kind === 'instance' ? to.part : from.kind === 'instance' ? from.part : undefined;
  await whileSending(
    explainingIfLost(
      text(
        'The service did not answer, so the copy to {0} may have started. Check what is there before you try again.',
        nameOf(to),
      ),
      () => {
        if (instance) {
          holdForCopy(deps, { account: own, machines: [instance.id], sentBy: instance.id });
        }
        return own.client.copies.begin(end, goal);
      },
    ),
  );
  if (to.kind === 'instance') {
    message('info', begunText({ from: nameOf(from), path: source }, to.part), {
      label: t('Cancel Copy'),
      run: () => cancelCopies(account().client, [to.part]),
    });
  } else {
    message(
      'info',
      t(
        'The service began to copy {0} from {1} to {2}. It reports neither the progress nor the end of this copy.',
        ...[plainLabel(source), nameOf(from), nameOf(to)],
      ),
    );
  }
}

async function chooseWay(
  volume: Volume,
  { instances, volumes }: Parameters<typeof copyOfVolume>[3],
): Promise<Way | undefined> {
  const rowsOf = (other: Exclude<Part, { kind: 'cloud' }>): Row<Way>[] =>
    [true, false].map((isTo) => ({
      id: `${other.kind}:${other.part.id}:${isTo ? 'to' : 'from'}`,
      icon: other.kind === 'volume' ? 'database' : 'vm',
      label: isTo ? t('Copy to {0}', nameOf(other)) : t('Copy from {0}', nameOf(other)),
      value: { isTo, other },
    }));
  const answer = await pickFromList<Way>({
    title: t('{0}: {1}', titleOf('gpuRental.instance.copyData'), volumeName(volume)),
    placeholder: t('Where do you want to copy to or from?'),
    rows: [
      ...instances.flatMap((part) => rowsOf({ kind: 'instance', part })),
      ...volumes.filter(({ id }) => id !== volume.id).flatMap((part) => rowsOf({ kind: 'volume', part })),
      {
        id: 'toCloud',
        icon: 'cloud-upload',
        label: t('To a Cloud Connection…'),
        value: { isTo: true, other: undefined },
      },
      {
        id: 'fromCloud',
        icon: 'cloud-download',
        label: t('From a Cloud Connection…'),
        value: { isTo: false, other: undefined },
      },
    ],
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

async function askFrom(from: Part, to: Part): Promise<string | undefined> {
  if (from.kind === 'cloud') {
    return askCloudPath(t('Copy from {0}', nameOf(from)), '');
  }
  const typed = await askLine({
    title: t('Copy to {0}', nameOf(to)),
    prompt: t('File or folder to copy'),
    value: from.kind === 'volume' ? '/' : '/workspace',
    ignoreFocusOut: true,
    problem: from.kind === 'volume' ? volumeSourceProblem : sourceProblem,
  });
  return typed?.trim();
}

async function askTo(to: Part, source: string): Promise<string | undefined> {
  const value = `/${source.split('/').findLast((part) => part !== '') ?? 'data'}`;
  if (to.kind === 'cloud') {
    return askCloudPath(t('Copy to {0}', nameOf(to)), value);
  }
  const typed = await askLine({
    title: t('Copy to {0}', nameOf(to)),
    prompt: t('Target folder'),
    value: to.kind === 'volume' ? value : `/workspace${value}`,
    ignoreFocusOut: true,
    problem: targetProblem,
  });
  return typed?.trim();
}

function nameOf({ kind, part }: Part): string {
  switch (kind) {
    case 'instance':
      return plainLabel(instanceName(part));
    case 'volume':
      return volumeName(part);
    case 'cloud':
      return connectionName(part);
  }
}

function endOf({ kind, part }: Part, path: string): CopyEnd {
  switch (kind) {
    case 'instance':
      return { instanceId: part.id, path };
    case 'volume':
      return { volumeId: part.id, path };
    case 'cloud':
      return { connection: part, path };
  }
}

function sideOf(one: Part, path: string, way: 'up' | 'down'): CopySide {
  const side = { name: nameOf(one), path };
  switch (one.kind) {
    case 'instance':
      return {
        ...side,
        machineId: one.part.machineId,
        perGb: [way === 'up' ? one.part.inetUpPerGb : one.part.inetDownPerGb],
      };
    case 'volume':
      return { ...side, machineId: one.part.machineId, perGb: [undefined] };
    case 'cloud':
      return { ...side, perGb: [], isCloud: true };
  }
}
