import type { Question } from '../../editor/confirm';
import { t } from '../../editor/localize';
import type { CloudConnection } from '../../model/instances/dataCopy';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { add, formatMoney, times, type Micros } from '../../model/money';
import { bytesText } from '../../util/bytes';
import { plainLabel } from '../../util/plainLabel';

export interface Measured {
  readonly from: Instance;
  readonly path: string;
  /** `undefined` if the service did not state the size. */
  readonly bytes: number | undefined;
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
      sizeText({ path: source, bytes }),
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
  { connection, path: source }: CloudPlace,
  { to, path }: { readonly to: Instance; readonly path: string },
): Question {
  return {
    message: t('Copy {0} of {1} to {2}?', plainLabel(source), connectionName(connection), instanceName(to)),
    detail: [
      t('Files of the same name in {0} on {1} are replaced.', plainLabel(path), instanceName(to)),
      credentialsText(),
      trafficText(undefined, [to.inetDownPerGb]),
    ].join(' '),
    button: t('Copy'),
  };
}

function credentialsText(): string {
  return t(
    'The service puts the credentials of the connection on the machine while it copies. The machine belongs to a stranger.',
  );
}

function sizeText({ path, bytes }: Omit<Measured, 'from'>): string {
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
