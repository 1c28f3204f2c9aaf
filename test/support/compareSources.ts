/** One bundle of the page that compares offers, with the commands behind its buttons. */
export { ComparePanel } from '../../src/features/compare/comparePanel';
export { runOwnCommandsFrom } from '../../src/editor/commands';
