import { workspaceFilePath } from '../model/workspace/workspaceFile';
import type { LaterWing } from '../wing';

/** Jobs start with the first command or workspace file, or where there are some on disk. */
export const jobs: LaterWing = {
  name: 'jobs',
  needs: ['schedules'],
  stored: 'jobs',
  document: `/${workspaceFilePath}`,
  load: async () => {
    const { wingOfJobs } = await import('./wing');
    return wingOfJobs;
  },
};
