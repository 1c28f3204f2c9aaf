import type { Wing } from '../wing';
import { register } from './ui';

export const several: Wing = {
  name: 'several',
  start: (services, own) => {
    own(register(services));
    return {};
  },
};
