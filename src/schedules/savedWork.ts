import type { SshService } from '../ssh/service';
import { findUnsavedWork, looseFiles } from '../ssh/unsavedWork';
import type { WorkOnInstances } from '../store/instances/workOnInstances';
import { isCancelled } from '../util/errors';
import type { Log } from '../util/log';

interface Deps {
  readonly ssh: Pick<SshService, 'entry' | 'exec'>;
  readonly work: Pick<WorkOnInstances, 'atRisk' | 'probes' | 'whole'>;
  readonly log: Log;
}

/** For a search of the whole disk (ms). */
const timeoutMs = 30_000;

/**
 * Returns whether a machine that is about to be stopped proves that all work on it is saved elsewhere: pushed, and no
 * file besides. It is not asked where no login of ours has reached it before. Rejects only if `signal` ends it.
 */
export async function isAllSaved(
  { ssh, work, log }: Deps,
  alias: string,
  instanceId: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    if (!(await ssh.entry(alias)) || !(await work.whole()) || work.atRisk(instanceId, 'disk').length > 0) {
      return false;
    }
    const files = looseFiles();
    const found = await findUnsavedWork(ssh, alias, [...work.probes, files.probe], { signal, timeoutMs });
    const isSaved =
      found?.isComplete === true &&
      found.repositories.length === 0 &&
      found.others.length === 0 &&
      files.areNone();
    log.info(`Instance ${instanceId} is about to be stopped, and proves all work on it saved: ${isSaved}`);
    return isSaved;
  } catch (error) {
    if (isCancelled(error)) {
      throw error;
    }
    log.info(`Instance ${instanceId} could not be asked for unsaved work before its stop: ${String(error)}`);
    return false;
  }
}
