import type { Services } from '../../../services';
import { parseRepositoryUrl } from '../../../ssh/repositoryUrl';
import type { Run } from '../../../ssh/run';
import { homeFolder } from '../../../util/thisUser';
import { identityStep, type WantedStep } from '../../machine/setUp/machineSetUp';

type Settings = Pick<Services['settings'], 'get'>;

/** Returns the steps of the settings that need no value of the secret store. */
export async function ownSteps(settings: Settings, run: Run): Promise<readonly WantedStep[]> {
  const identity = settings.get('gpuRental.setUp.gitIdentity') ? await localIdentity(run) : undefined;
  const dotfiles = dotfilesAddress(settings.get('gpuRental.setUp.dotfiles'));
  return [
    ...(identity ? [identity] : []),
    ...(dotfiles === undefined ? [] : [{ step: 'dotfiles' as const, lines: [dotfiles] }]),
  ];
}

/** `user/repository` is one of GitHub, as with other editors. A token in an address is left out. */
function dotfilesAddress(setting: string): string | undefined {
  const value = setting.trim();
  return parseRepositoryUrl(/^[\w.-]+\/[\w.-]+$/.test(value) ? `https://github.com/${value}` : value)?.url;
}

/** Returns what git on this computer has for all repositories; nothing where it has neither. */
async function localIdentity(run: Run): Promise<WantedStep | undefined> {
  const read = async (key: string) => {
    const { stdout } = await run('git', ['config', '--global', '--get', key], {
      cwd: homeFolder(),
      timeoutMs: 5_000,
    }).catch(() => ({ stdout: '' }));
    const value = stdout.trim();
    return value.length <= 200 && !/\p{Cc}/u.test(value) ? value : '';
  };
  const [name, email] = await Promise.all([read('user.name'), read('user.email')]);
  return name === '' && email === '' ? undefined : identityStep(name, email);
}
