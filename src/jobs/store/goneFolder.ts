import type { JobRow } from '../model/job';
import type { JobEvent } from '../model/jobProgress';
import { jobFolderGone } from '../model/jobWords';
import type { JobLook } from '../model/onMachine';

/** The outputs of a job whose folder is gone. */
export const noOutputs = { files: 0, bytes: 0, hash: '', areHashed: false, leftOut: 0 };

/** A folder that is missing twice in a row will not come back; without it, nothing of the job is running. */
export function withoutFolder({ state }: JobRow, look: JobLook): JobEvent | undefined {
  if (look.phase !== 'none' || look.end) {
    return undefined;
  }
  if (state.trouble?.why?.template !== jobFolderGone.template) {
    return { kind: 'failed', trouble: state.reopened ? 'fetch' : 'machineFails', why: jobFolderGone };
  }
  if (state.reopened) {
    return { kind: 'notFetched', why: jobFolderGone };
  }
  const end = { code: undefined, why: 'gone', at: undefined, isOutOfMemory: false } as const;
  return { kind: 'looked', look: { ...look, end } };
}
