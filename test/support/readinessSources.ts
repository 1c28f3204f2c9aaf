/** One bundle of what is said of a replacement, with the commands behind its buttons. */
export { tellOfReplacement, tellTemplateChanged } from '../../src/features/readiness/replaceWords';
export { runOwnCommandsFrom } from '../../src/editor/commands';
export { CancelledError, UserError } from '../../src/util/errors';
