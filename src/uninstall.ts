import { nodeFileSystem } from './ssh/fileSystem';
import { nodeEnvironment, thisProcess } from './ssh/nodeSsh';
import { removeEverything } from './ssh/removeEverything';
import { systemClock } from './util/clock';

/**
 * Run by the editor after the extension was uninstalled, without the editor's own interface: the
 * user's SSH set-up is left as it was found. Failure is said on standard error and changes nothing.
 */
removeEverything(
  { fs: nodeFileSystem, clock: systemClock, identity: thisProcess, platform: process.platform },
  nodeEnvironment(() => ({ configFile: undefined, sshPath: undefined })),
).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
});
