import type { Wing } from '../wing';
import { register as registerDeployments } from './ui/deployments';
import { register as registerMachines } from './ui/machines';
import { register as registerVolumes } from './ui/volumes';

export const hosting: Wing = {
  name: 'hosting',
  start: (services, own) => {
    own(registerVolumes(services));
    own(registerMachines(services));
    own(registerDeployments(services));
    own(
      services.commands.registerLater(
        (feature) => feature === 'hosting',
        async () => {
          const { register } = await import('./ui/reports');
          own(register(services));
        },
      ),
    );
    return {};
  },
};
