import type { Question } from '../../editor/confirm';
import { t } from '../../editor/localize';
import type { CloudConnection, CopySize } from '../../model/instances/dataCopy';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { add, formatMoney, times, type Micros } from '../../model/money';
import { bytesText } from '../../util/bytes';
import { plainLabel } from '../../util/plainLabel';

/** Without a size if the service did not state it. */
export interface Measured extends CopySize {
  readonly from: Instance;
  readonly path: string;
}

/** An end of a copy, as the question names it. */
export interface CopySide {
  readonly name: string;
  readonly path: string;
  readonly machineId?: number | undefined;
  /** What its host charges; the service states none for a volume, and a cloud has none. */
  readonly perGb: readonly (Micros | undefined)[];
  readonly isCloud?: true;
}

export interface CloudPlace {
  readonly connection: CloudConnection;
  readonly path: string;
}

export function connectionName({ id, name }: CloudConnection): string {
  return name === undefined ? t('Connection #{0}', id) : plainLabel(name);
}

/** Several sources lie on different instances; of sources and targets, one alone can be several. */
export function copyQuestion(
  sources: readonly Measured[],
  { to, path }: { readonly to: readonly Instance[]; readonly path: string },
): Question {
  const names = (instances: readonly Instance[]) => instances.map(instanceName).join(', ');
  const from = sources.map((one) => one.from);
  const bytes = sources.reduce<number | undefined>(
    (sum, one) => (sum === undefined || one.bytes === undefined ? undefined : sum + one.bytes),
    0,
  );
  // What all machines take for a gigabyte is too much for several sources, which share the size.
  const prices = [
    ...from.flatMap(({ inetUpPerGb }) => to.map(() => inetUpPerGb)),
    ...to.map(({ inetDownPerGb }) => inetDownPerGb),
  ];
  const source = sources[0]?.path ?? '';
  return {
    message: t('Copy {0} of {1} to {2}?', plainLabel(source), names(from), names(to)),
    detail: [
      sizeText({ path: source, bytes, words: sources.length === 1 ? sources[0]?.words : undefined }),
      t('Files of the same name in {0} on {1} are replaced.', plainLabel(path), names(to)),
      trafficText(bytes, prices),
    ].join(' '),
    button: t('Copy'),
  };
}

export function cloudQuestion(source: Measured, { connection, path }: CloudPlace): Question {
  return {
    message: t(
      'Copy {0} of {1} to {2}?',
      plainLabel(source.path),
      instanceName(source.from),
      connectionName(connection),
    ),
    detail: [
      sizeText(source),
      t('Files of the same name in {0} are replaced.', plainLabel(path)),
      credentialsText(),
      trafficText(source.bytes, [source.from.inetUpPerGb]),
    ].join(' '),
    button: t('Copy'),
  };
}

export function fromCloudQuestion(
  { connection, path: source, ...size }: CloudPlace & CopySize,
  { to, path }: { readonly to: Instance; readonly path: string },
): Question {
  return {
    message: t('Copy {0} of {1} to {2}?', plainLabel(source), connectionName(connection), instanceName(to)),
    detail: [
      sizeText({ path: source, ...size }),
      t('Files of the same name in {0} on {1} are replaced.', plainLabel(path), instanceName(to)),
      credentialsText(),
      trafficText(size.bytes, [to.inetDownPerGb]),
    ].join(' '),
    button: t('Copy'),
  };
}

/** Of which at least one end is a volume. */
export function volumeQuestion(from: CopySide, to: CopySide, size: CopySize): Question {
  const isOneMachine = from.machineId !== undefined && from.machineId === to.machineId;
  return {
    message: t('Copy {0} of {1} to {2}?', plainLabel(from.path), from.name, to.name),
    detail: [
      sizeText({ path: from.path, ...size }),
      t('Files of the same name in {0} on {1} are replaced.', plainLabel(to.path), to.name),
      ...(from.isCloud || to.isCloud ? [credentialsText()] : []),
      isOneMachine
        ? t('Both are on one machine, so the traffic is free.')
        : trafficText(size.bytes, [...from.perGb, ...to.perGb]),
    ].join(' '),
    button: t('Copy'),
  };
}

export function begunText(
  { from, path }: { readonly from: string; readonly path: string },
  to: Instance,
): string {
  return t(
    'The service began to copy {0} from {1} to {2}. The status of {2} shows when it is done.',
    ...[plainLabel(path), from, instanceName(to)],
  );
}

export function cancelQuestion(of: Instance): Question {
  return {
    message: t('Cancel all copies from clouds to {0}?', instanceName(of)),
    detail: t(
      'All of them end, also those of other windows and users of the account, and none can be resumed. Files that arrived are kept.',
    ),
    button: t('Cancel Copies'),
  };
}

function credentialsText(): string {
  return t(
    'The service puts the credentials of the connection on the machine while it copies. The machine belongs to a stranger.',
  );
}

function sizeText({
  path,
  bytes,
  words,
}: { readonly path: string } & { readonly [Key in keyof CopySize]: CopySize[Key] | undefined }): string {
  if (bytes === undefined && words !== undefined) {
    return t('The service states the size of {0} as "{1}".', plainLabel(path), words);
  }
  return bytes === undefined
    ? t('Could not read the size of {0}.', plainLabel(path))
    : t('{0} holds {1}.', plainLabel(path), bytesText(bytes));
}

/** Returns the hosts' charge for the traffic, as exact as the known prices and size allow. */
function trafficText(bytes: number | undefined, prices: readonly (Micros | undefined)[]): string {
  const known = prices.filter((price) => price !== undefined);
  if (known.length < prices.length) {
    return t('The service does not state what the traffic costs.');
  }
  const perGb = add(...known);
  return bytes === undefined
    ? t('The traffic costs {0}/GB.', formatMoney(perGb))
    : t('The traffic costs at most {0}.', formatMoney(times(perGb, bytes / 1e9)));
}
