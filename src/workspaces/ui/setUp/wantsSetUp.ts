import type { Services } from '../../../services';

/** Where the answers about workspace files are kept. */
export const repositoriesKey = 'gpuRental.setUp.folders';

/** Returns whether the settings of the user want anything of a machine. */
export function wantsSetUp(settings: Pick<Services['settings'], 'get'>): boolean {
  return (
    settings.get('gpuRental.setUp.gitIdentity') ||
    settings.get('gpuRental.setUp.dotfiles').trim() !== '' ||
    settings.get('gpuRental.setUp.secrets').length > 0 ||
    settings.get('gpuRental.setUp.extensions').length > 0
  );
}
