import type { Client } from '../../api/client';
import { t } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';
import { askLine } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { sizeCommand, sizeFrom, sourceProblem, targetProblem } from '../../model/instances/dataCopy';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { orCancelled } from '../../util/cancellation';
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

/** Returns the size of each that the service reports; `undefined` if it reports none, which does not prevent the copy. */
export async function measured(
  { log }: { readonly log: Log },
  client: Client,
  sources: readonly Source[],
): Promise<readonly Measured[]> {
  const sizeOf = async ({ from, path }: Source, signal: AbortSignal) => {
    const command = sizeCommand(path);
    if (command === undefined || signal.aborted) {
      return undefined;
    }
    try {
      return sizeFrom(await orCancelled(client.instances.execute(from.id, command, { signal }), signal));
    } catch (error) {
      if (!isCancelled(error)) {
        log.info(`The size of what is to be copied could not be read: ${String(error)}`);
      }
      return undefined;
    }
  };
  return withCancellableProgress(t('Waiting for the service…'), (signal) =>
    Promise.all(sources.map(async (one) => ({ ...one, bytes: await sizeOf(one, signal) }))),
  );
}
