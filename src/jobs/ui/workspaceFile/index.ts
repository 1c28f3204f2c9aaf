import { DisposableStore, type Disposable } from '../../../util/disposable';
import type { Services } from '../../services';
import { createWorkspaceFile, openSample } from './createWorkspaceFile';
import { rentForJob, rentForWorkspace } from './rentForWorkspace';

type Deps = Pick<
  Services,
  'accounts' | 'clock' | 'extensionUri' | 'fleet' | 'jobs' | 'rentals' | 'report' | 'templates' | 'commands'
>;

/** Registers the workspace file, which lets everyone who clones a repository rent its machine with one command. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  store.add(deps.commands.register('gpuRental.rentForWorkspace', () => rentForWorkspace(deps)));
  store.add(deps.commands.register('gpuRental.rentForJob', (wanted) => rentForJob(deps, wanted)));
  store.add(deps.commands.register('gpuRental.workspaceFile.create', () => createWorkspaceFile(deps)));
  store.add(deps.commands.register('gpuRental.openSample', () => openSample(deps)));
  return store;
}
