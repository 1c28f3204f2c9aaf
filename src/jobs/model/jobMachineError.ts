import { UserError } from '../../util/errors';

/** The machine can't do one step of a job; the connection works. */
export class JobMachineError extends UserError {}

/** The image lacks what every job needs, so no further try can start one. */
export class UnfitMachineError extends JobMachineError {}
