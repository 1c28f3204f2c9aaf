/** One bundle of what is shown of the files of jobs, so that all of it is on one screen. */
export { fetchAfterEnd, startToFetch } from '../../src/features/jobs/startToFetch';
export { showMoves } from '../../src/features/jobs/jobMoves';
export { runOwnCommandsFrom } from '../../src/editor/commands';
export { setWindowClock } from '../../src/editor/windowClock';
