/** One bundle of the commands of watched searches, on one screen. */
export { manageWatches } from '../../src/features/searchWatch/manage';
export { watchSearch } from '../../src/features/searchWatch/watchSearch';
export { runOwnCommandsFrom } from '../../src/editor/commands';
