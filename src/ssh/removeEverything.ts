import { OwnFolder } from './ownFolder';
import { sshPaths, type SshEnvironment } from './paths';
import { BlockLeftError, UserConfig, type ConfigDeps } from './userConfig';

/**
 * Removes everything that we wrote for SSH: the Include block wherever it is, our entries and our host keys. If a
 * config could not be changed, it stays in our list, and `BlockLeftError` is thrown after everything else is done.
 */
export async function removeEverything(deps: ConfigDeps, environment: SshEnvironment): Promise<void> {
  const paths = sshPaths(environment);
  const folder = new OwnFolder(deps, paths, () => Promise.resolve());
  const configs = new Set<string | undefined>([
    undefined,
    environment.configFile,
    ...(await folder.configFiles()),
  ]);
  const kept = new Map<string | undefined, BlockLeftError>();
  for (const configFile of configs) {
    try {
      await new UserConfig(deps, sshPaths({ ...environment, configFile })).remove();
    } catch (error) {
      if (!(error instanceof BlockLeftError)) {
        throw error;
      }
      kept.set(configFile, error);
    }
  }
  await folder.removeAll([...kept.keys()].filter((file) => file !== undefined));
  const [first] = kept.values();
  if (first) {
    throw first;
  }
}
