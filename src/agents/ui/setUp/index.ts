import { DisposableStore, type Disposable } from '../../../util/disposable';
import type { Services } from '../../services';
import { cursorDoor } from './cursorDoor';
import { ensureAccess } from './ensureAccess';
import { keepServer, startOfServer } from './serverFile';
import { setUpAgents, type ClientDeps } from './setUpAgents';

/** Registers the ways in which agents find the tools without the chat of the editor. */
export function register(deps: ClientDeps & Pick<Services, 'commands' | 'log'>): Disposable {
  const { commands, settings, log } = deps;
  const store = new DisposableStore();
  store.add(commands.register('gpuRental.agents.setUp', () => setUpAgents(deps)));
  store.add(
    commands.register('gpuRental.agents.server', async () =>
      (await ensureAccess(deps)) ? startOfServer(deps) : undefined,
    ),
  );
  const failed = (error: unknown) => {
    log.warn(`The MCP server could not be updated: ${String(error)}`);
  };
  if (settings.get('gpuRental.agents.access') !== 'off') {
    // An update of the extension contains a new server.
    keepServer(deps).catch(failed);
  }
  store.add(cursorDoor(settings, () => startOfServer(deps), failed));
  return store;
}
