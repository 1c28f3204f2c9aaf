import type { LaterWing } from '../wing';

/** Models start with their first command, and while a job serves one: it is jobs that know that. */
export const models: LaterWing = {
  name: 'models',
  needs: ['schedules', 'jobs'],
  load: async () => {
    const { wingOfModels } = await import('./wing');
    return wingOfModels;
  },
};
