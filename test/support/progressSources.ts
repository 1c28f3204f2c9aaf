/** One bundle of both, so that the notification waits by the clock that a test sets. */
export * as progress from '../../src/editor/progress';
export * as windowClock from '../../src/editor/windowClock';
