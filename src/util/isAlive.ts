import { errorCode } from './errorCode';

/** Returns whether a process with this number runs on this computer. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process lives and belongs to another user.
    return errorCode(error) !== 'ESRCH';
  }
}
