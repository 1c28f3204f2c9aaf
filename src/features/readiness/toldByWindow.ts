import type { StartEvent } from '../../store/rentals/startEvent';

/**
 * A window that is connected to the machine asks what comes next, and tells when it runs again; nobody else does
 * then. A start that takes too long is no state that it could see.
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
