import { DisposableStore, type Disposable } from '../../util/disposable';
import type { Services } from '../services';
import { chatDoor } from './chat/registerChat';
import { useInChat } from './chat/useInChat';
import { copyEndpoint } from './copyEndpoint';
import type { ModelDeps } from './deps';
import { keepServing, stopServing } from './modelCommands';
import { showModelMessages } from './modelMessages';
import { ModelRows, workOfModels } from './modelRows';
import { serveAgain, serveModel } from './serveModel';

/** Models that rented GPUs serve: their rows, messages and commands, and their place in the editor's chat. */
export function register(services: Services): Disposable {
  const deps: ModelDeps = services;
  const { commands, instanceGroups, jobs, servedModels, work } = deps;
  const store = new DisposableStore();
  store.add(instanceGroups.addInstanceRows(new ModelRows(servedModels)));
  store.add(work.add(workOfModels(servedModels, jobs)));
  store.add(showModelMessages(deps));
  store.add(commands.register('gpuRental.model.serve', () => serveModel(deps)));
  store.add(commands.register('gpuRental.model.serveAgain', (target) => serveAgain(deps, target)));
  store.add(commands.register('gpuRental.model.stop', (target) => stopServing(deps, target)));
  store.add(commands.register('gpuRental.model.keep', (target) => keepServing(deps, target)));
  store.add(commands.register('gpuRental.model.copyEndpoint', (target) => copyEndpoint(services, target)));
  // What registers this has started.
  store.add(commands.register('gpuRental.model.follow', () => undefined));
  store.add(registerChat(services));
  return store;
}

function registerChat(services: Services): Disposable {
  const { commands, log, modelGateway: gateway, servedModels: models, settings } = services;
  const store = new DisposableStore();
  const isWanted = () => settings.get('gpuRental.models.inChat');
  const door = store.add(
    chatDoor({
      gateway,
      models,
      isWanted,
      onDidChangeWanted: (listener) => settings.onDidChange('gpuRental.models.inChat', listener),
      warn: (text) => log.warn(text),
    }),
  );
  store.add(
    commands.register('gpuRental.model.useInChat', (target) =>
      useInChat({ ...services, chatDoor: door, isWanted }, target),
    ),
  );
  return store;
}
