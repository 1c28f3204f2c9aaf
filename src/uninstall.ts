import { nodeFileSystem } from './ssh/fileSystem';
import { nodeEnvironment, thisProcess } from './ssh/nodeSsh';
import { removeEverything } from './ssh/removeEverything';
import { systemClock } from './util/clock';

/**
 * Runs after the editor uninstalled the extension, without the editor's API, and leaves the user's SSH set-up as
 * the extension found it. A failure is reported on standard error and changes nothing.
 */
removeEverything(
  { fs: nodeFileSystem, clock: systemClock, identity: thisProcess, platform: process.platform },
  nodeEnvironment(() => ({ configFile: undefined, sshPath: undefined })),
).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
});
