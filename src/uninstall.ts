import { nodeFileSystem } from './ssh/fileSystem';
import { nodeEnvironment } from './ssh/nodeSsh';
import { removeEverything } from './ssh/removeEverything';
import { systemClock } from './util/clock';
import { thisProcess } from './util/fileLock';

/**
 * Runs after the editor uninstalled the extension, without the editor's API, and restores the user's SSH setup. A
 * failure is printed to standard error and changes nothing.
 */
removeEverything(
  { fs: nodeFileSystem, clock: systemClock, identity: thisProcess, platform: process.platform },
  nodeEnvironment(() => ({ configFile: undefined, sshPath: undefined })),
).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
});
