import path from 'node:path';
import type { JobServices } from '../jobs/services';
import { NetworkTransport } from '../networkTransport';
import type { ScheduleServices } from '../schedules/services';
import type { Services as CoreServices } from '../services';
import type { Own } from '../wing';
import { EngineTunnel } from './machine/engineTunnel';
import { GatewayServer } from './machine/gatewayServer';
import { findModel, hubUrl } from './store/hub';
import { ModelGateway } from './store/modelGateway';
import { ServedModels } from './store/servedModels';

export type ModelServices = ReturnType<typeof modelServices>;
/** What the features of this wing know. */
export type Services = CoreServices & ScheduleServices & JobServices & ModelServices;

type Deps = Pick<
  CoreServices & JobServices,
  'accounts' | 'clock' | 'hub' | 'jobs' | 'log' | 'redactor' | 'secrets' | 'settings' | 'ssh' | 'storageDir'
>;

/** Makes the models that jobs serve, and their address on this computer. */
export function modelServices({ accounts, jobs, settings, ssh, storageDir, ...shared }: Deps, own: Own) {
  const { clock, log } = shared;
  const url = hubUrl(process.env);
  const transport = own(new NetworkTransport(url, settings));
  const servedModels = own(new ServedModels({ clock, jobs, log }));
  const modelGateway = own(
    new ModelGateway({
      ...shared,
      models: servedModels,
      file: path.join(storageDir, 'models', 'gateway.json'),
      wantedPort: () => settings.get('gpuRental.models.port'),
      listen: (deps, port) => GatewayServer.listen(deps, port),
      openTunnel: ({ id, instanceId }) => {
        const account = accounts.active;
        return (
          account &&
          new EngineTunnel(
            { ssh, clock, log, platform: process.platform },
            { alias: ssh.aliasOf(account, instanceId), jobId: id },
          )
        );
      },
    }),
  );
  own(settings.onDidChange('gpuRental.models.port', () => modelGateway.reopen()));
  return {
    servedModels,
    modelGateway,
    findModel: (repository: string, signal: AbortSignal) =>
      findModel({ transport, log, url }, repository, signal),
  };
}
