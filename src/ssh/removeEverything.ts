import { OwnFolder } from './ownFolder';
import { sshPaths, type SshEnvironment } from './paths';
import { ManualStepError, UserConfig, type ConfigDeps } from './userConfig';

/**
 * Removes everything that we wrote for SSH: the Include block wherever it is, our entries and our host keys. Throws
 * `ManualStepError` after everything else is done, if a config could not be changed.
 */
export async function removeEverything(deps: ConfigDeps, environment: SshEnvironment): Promise<void> {
  const paths = sshPaths(environment);
  const folder = new OwnFolder(deps, paths, () => Promise.resolve());
  const configs = new Set<string | undefined>([
    undefined,
    environment.configFile,
    ...(await folder.configFiles()),
  ]);
  let manual: ManualStepError | undefined;
  for (const configFile of configs) {
    try {
      await new UserConfig(deps, sshPaths({ ...environment, configFile })).remove();
    } catch (error) {
      if (!(error instanceof ManualStepError)) {
        throw error;
      }
      manual = error;
    }
  }
  await folder.removeAll();
  if (manual) {
    throw manual;
  }
}
