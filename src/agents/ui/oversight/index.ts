import { join } from 'node:path';
import { runCommand } from '../../../editor/commands';
import { t } from '../../../editor/localize';
import type { Services } from '../../services';
import { AuditLog } from '../../store/auditLog';
import { answerOutside } from '../../store/outsideCalls';
import { DisposableStore, type Disposable } from '../../../util/disposable';
import { AgentsGroup } from './agentsGroup';
import { AgentNotes } from './agentNotes';
import { showAgentStatus } from './agentStatus';
import { AgentWatch, type AgentWatchDeps } from './agentWatch';
import { copyConfiguration, type CopyDeps } from './copyConfiguration';
import { keepServer } from './serverFile';
import { stopAllOfAgents } from './stopAll';

type Deps = CopyDeps &
  AgentWatchDeps &
  Pick<
    Services,
    | 'accounts'
    | 'agentDoor'
    | 'agentTools'
    | 'accountGroups'
    | 'instanceGroups'
    | 'commands'
    | 'hub'
    | 'rentedByAgents'
    | 'work'
  >;

/** Registers the access for agents outside of the editor, and the views of all agents. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { agentDoor, agentTools, commands, settings, log } = deps;
  const audit = new AuditLog(join(deps.storageDir, 'agents.log'), log);
  store.add(agentDoor.serve(answerOutside(agentTools)));
  store.add(agentTools.onDidCall((call) => void audit.add(call)));
  const watch = store.add(new AgentWatch(deps));
  store.add(deps.accountGroups.addGroup(store.add(new AgentsGroup(deps, watch))));
  store.add(deps.instanceGroups.addInstanceNotes(store.add(new AgentNotes(watch))));
  store.add(showAgentStatus(watch, deps.clock));
  store.add(commands.register('gpuRental.agents.stopAll', () => stopAllOfAgents(watch, deps)));
  store.add(commands.register('gpuRental.agents.copyMcpConfiguration', () => copyConfiguration(deps)));
  store.add(
    commands.register('gpuRental.agents.showLog', async () => {
      const content = await audit.read();
      await runCommand('gpuRental.showText', {
        title: t('Agent Log'),
        content: content === '' ? t('No agent has called a tool yet.') : content,
      });
    }),
  );
  const isOn = () => settings.get('gpuRental.agents.access') !== 'off';
  store.add(
    deps.work.add({
      renters: () => deps.rentedByAgents(),
      // A call of an agent outside of the editor would not load the product.
      isPending: isOn,
      onDidChange: (listener) => settings.onDidChange('gpuRental.agents', listener),
    }),
  );
  if (isOn()) {
    // An update of the extension contains a new server.
    keepServer(deps).catch((error: unknown) => {
      log.warn(`The MCP server could not be updated: ${String(error)}`);
    });
  }
  return store;
}
