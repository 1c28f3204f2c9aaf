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

export function copyQuestion(
  source: Measured,
  { to, path }: { readonly to: Instance; readonly path: string },
): Question {
  return {
    message: t(
      'Copy {0} of {1} to {2}?',
      plainLabel(source.path),
      instanceName(source.from),
      instanceName(to),
    ),
    detail: [
      sizeText(source),
      t('Files of the same name in {0} on {1} are replaced.', plainLabel(path), instanceName(to)),
      trafficText(source.bytes, [source.from.inetUpPerGb, to.inetDownPerGb]),
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

function sizeText({ path, bytes }: Measured): string {
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
