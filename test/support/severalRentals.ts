/** What the test of several rentals loads as one, so that the commands are those that the rental runs. */
export { CommandTable, runOwnCommandsFrom } from '../../src/editor/commands';
export { Renting } from '../../src/features/rent/renting';
export { AgreementTooOldError } from '../../src/store/rentals/agreement';
export { UserError } from '../../src/util/errors';
