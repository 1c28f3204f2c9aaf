import type { JobRow } from '../../model/jobs/job';
import type { JobEvent } from '../../model/jobs/jobProgress';
import type { JobLook } from '../../model/jobs/onMachine';
import { text } from '../../util/text';

export const folderGone = text('Its folder on the machine is gone.');

/** The outputs of a job whose folder is gone. */
export const noOutputs = { files: 0, bytes: 0, hash: '', areHashed: false, leftOut: 0 };

/** A folder that is missing twice in a row will not come back; without it, nothing of the job is running. */
export function withoutFolder({ state }: JobRow, look: JobLook): JobEvent | undefined {
  if (look.phase !== 'none' || look.end) {
    return undefined;
  }
  if (state.trouble?.why?.template !== folderGone.template) {
    return { kind: 'failed', trouble: 'unreachable', why: folderGone };
  }
  const end = { code: undefined, why: 'gone', at: undefined, isOutOfMemory: false } as const;
  return { kind: 'looked', look: { ...look, end } };
}
