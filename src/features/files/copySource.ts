import type { Client } from '../../api/client';
import { t } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';
import { askLine } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { sizeCommand, sizeFrom, sourceProblem } from '../../model/instances/dataCopy';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { orCancelled } from '../../util/cancellation';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';

/** A file or folder of an instance. */
export interface Source {
  readonly from: Instance;
  readonly path: string;
}

export async function askSource(from: Instance): Promise<Source | undefined> {
  const path = await askLine({
    title: t('{0}: {1}', titleOf('gpuRental.instance.copyData'), instanceName(from)),
    prompt: t('File or folder to copy'),
    value: '/workspace',
    ignoreFocusOut: true,
    problem: sourceProblem,
  });
  return path === undefined ? undefined : { from, path: path.trim() };
}

/** Returns the size that the service reports; `undefined` if it reports none, which does not prevent the copy. */
export async function sizeOf(
  { log }: { readonly log: Log },
  client: Client,
  { from, path }: Source,
): Promise<number | undefined> {
  const command = sizeCommand(path);
  if (command === undefined) {
    return undefined;
  }
  try {
    return await withCancellableProgress(t('Waiting for the service…'), async (signal) =>
      sizeFrom(await orCancelled(client.instances.execute(from.id, command, { signal }), signal)),
    );
  } catch (error) {
    if (!isCancelled(error)) {
      log.info(`The size of what is to be copied could not be read: ${String(error)}`);
    }
    return undefined;
  }
}
