import type { Wing } from '../wing';
import { register } from './ui';

export const wingOfWorkspaces: Wing = {
  name: 'workspaces',
  start: (services, own) => {
    own(register(services));
    return {};
  },
};
