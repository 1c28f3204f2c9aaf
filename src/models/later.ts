import type { LaterWing } from '../wing';

/** Models start with their first command, and where one was served. */
export const models: LaterWing = {
  name: 'models',
  needs: ['schedules', 'jobs'],
  stored: 'models',
  load: async () => {
    const { wingOfModels } = await import('./wing');
    return wingOfModels;
  },
};
