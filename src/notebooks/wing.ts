import type { Wing } from '../wing';
import { register } from './ui';

export const notebooks: Wing = {
  name: 'notebooks',
  start: (services, own) => {
    own(register(services));
    return {};
  },
};
