/** One bundle of the handing of instances to other tools, with the groups that it keeps on disk. */
export { register } from '../../src/features/engines';
export { HostSets } from '../../src/store/engines/hostSets';
