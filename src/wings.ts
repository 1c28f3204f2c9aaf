import { agents } from './agents/later';
import { history } from './history/wing';
import { hosting } from './hosting/wing';
import { jobs } from './jobs/later';
import { models } from './models/later';
import { notebooks } from './notebooks/wing';
import { schedules } from './schedules/later';
import { several } from './several/wing';
import type { LaterWing, Wing } from './wing';
import { workspaces } from './workspaces/later';

/** The wings in the order in which they start: each after those that it needs. Without one, the others go on. */
export const wings: readonly (Wing | LaterWing)[] = [
  schedules,
  hosting,
  history,
  notebooks,
  several,
  jobs,
  agents,
  models,
  workspaces,
];
