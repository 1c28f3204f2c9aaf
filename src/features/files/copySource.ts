import type { Client } from '../../api/client';
import { t } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';
import { askLine } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import {
  endName,
  sizeCommand,
  sizeFrom,
  sourceProblem,
  targetProblem,
  type CopyEnd,
  type CopySize,
} from '../../model/instances/dataCopy';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { orCancelled } from '../../util/cancellation';
import { defined } from '../../util/defined';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import type { Measured } from './copyDataText';

/** A file or folder of an instance. */
export interface Source {
  readonly from: Instance;
  readonly path: string;
}

export async function askSource(from: Instance): Promise<Source | undefined> {
  const path = await askPath([from]);
  return path === undefined ? undefined : { from, path };
}

/** Asks for a file or folder that each of these instances has. */
export async function askPath(from: readonly Instance[]): Promise<string | undefined> {
  const path = await askLine({
    title: t('{0}: {1}', titleOf('gpuRental.instance.copyData'), from.map(instanceName).join(', ')),
    prompt: t('File or folder to copy'),
    value: '/workspace',
    ignoreFocusOut: true,
    problem: sourceProblem,
  });
  return path?.trim();
}

/** Asks for the folder on each of these instances that receives the copy. */
export async function askTarget(source: string, to: readonly Instance[]): Promise<string | undefined> {
  const path = await askLine({
    title: t('Copy to {0}', to.map(instanceName).join(', ')),
    prompt: t('Target folder'),
    value: source,
    ignoreFocusOut: true,
    problem: targetProblem,
  });
  return path?.trim();
}

/** Returns the size that the service states for an end; nothing if it states none, which does not prevent the copy. */
async function sizeOf(
  { log }: { readonly log: Log },
  client: Client,
  end: CopyEnd,
  signal: AbortSignal,
): Promise<CopySize> {
  try {
    return endName(end) === undefined ? {} : await orCancelled(client.copies.size(end, { signal }), signal);
  } catch (error) {
    if (!isCancelled(error)) {
      log.info(`The size of what is to be copied could not be read: ${String(error)}`);
    }
    return {};
  }
}

/** The same with progress, whose end goes on without a size. */
export function whileMeasuring(deps: { readonly log: Log }, client: Client, end: CopyEnd): Promise<CopySize> {
  return withCancellableProgress(t('Waiting for the service…'), (signal) =>
    sizeOf(deps, client, end, signal),
  );
}

/** Returns the size of each that the service reports; `undefined` if it reports none, which does not prevent the copy. */
export async function measured(
  { log }: { readonly log: Log },
  client: Client,
  sources: readonly Source[],
): Promise<readonly Measured[]> {
  const sizeOn = async ({ from, path }: Source, signal: AbortSignal): Promise<CopySize> => {
    const command = sizeCommand(path);
    if (command === undefined) {
      return sizeOf({ log }, client, { instanceId: from.id, path }, signal);
    }
    try {
      return defined<CopySize>({
        bytes: sizeFrom(await orCancelled(client.instances.execute(from.id, command, { signal }), signal)),
      });
    } catch (error) {
      if (!isCancelled(error)) {
        log.info(`The size of what is to be copied could not be read: ${String(error)}`);
      }
      return {};
    }
  };
  return withCancellableProgress(t('Waiting for the service…'), (signal) =>
    Promise.all(sources.map(async (one) => ({ ...one, ...(await sizeOn(one, signal)) }))),
  );
}
