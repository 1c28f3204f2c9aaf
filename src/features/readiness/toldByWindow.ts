import type { StartEvent } from '../../store/rentals/startEvent';

/**
 * Returns whether a window that is connected to the machine reports the event itself, so that no other window does. It
 * can't detect a start that takes too long.
 */
export function isToldByWindow(event: StartEvent): boolean {
  switch (event.kind) {
    case 'ready':
    case 'trouble':
      return true;
    case 'failed':
      return event.reason !== 'timedOut';
    case 'long':
    case 'tooDear':
    case 'destroyedAgain':
    case 'notDestroyed':
      return false;
  }
}
